import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's root; compiled tests live in `.build/test/`. */
export const root: string = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');

/** A file or folder below `test/fixtures`. */
export const fixture = (...path: string[]): string => resolve(root, 'test/fixtures', ...path);

/** Where the third-party vectors are (`COUNTERSIGN_VECTORS`), or undefined, said in one line. */
export function vectors(...path: string[]): string | undefined {
  const folder = resolve(root, process.env['COUNTERSIGN_VECTORS'] ?? '../shared/vectors', ...path);
  if (existsSync(folder)) return folder;
  process.stderr.write(`vectors not found at ${folder}: skipped (set COUNTERSIGN_VECTORS)\n`);
  return undefined;
}
