/** Reads key files. */
import { open } from 'node:fs/promises';
import { CountersignError } from '../../core/errors.js';
import { fileProblem } from '../../core/file-problem.js';
import { malformed } from './failures.js';

/** A key store of a megabyte is already a mistake. */
const MAX_FILE = 1024 * 1024;

/** @throws CountersignError KEY_FILE_UNREADABLE, KEY_FILE_MALFORMED (over 1 MiB) */
export async function readKeyFile(file: string): Promise<Uint8Array> {
  try {
    const handle = await open(file, 'r');
    try {
      const { size } = await handle.stat();
      if (size > MAX_FILE) throw malformed('is larger than 1 MiB');
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof CountersignError) throw error;
    throw new CountersignError('KEY_FILE_UNREADABLE', `cannot be read (${fileProblem(error)})`, {
      cause: error,
    });
  }
}
