import { readFileSync } from 'node:fs';
import { CountersignError } from '../core/errors.js';
import { fileProblem } from '../core/file-problem.js';
import type { Secret } from './config.js';

/**
 * The value of a secret: of its environment variable, or of its file without the line end.
 *
 * @throws CountersignError SECRET_UNAVAILABLE, naming the variable or file and never the value
 */
export function readSecret(secret: Secret): string {
  if ('env' in secret) {
    const value = process.env[secret.env];
    if (value === undefined || value === '') {
      throw new CountersignError('SECRET_UNAVAILABLE', `the environment variable ${secret.env} is not set`);
    }
    return value;
  }
  let text: string;
  try {
    text = readFileSync(secret.file, 'utf8');
  } catch (cause) {
    throw new CountersignError(
      'SECRET_UNAVAILABLE',
      `the secret file ${secret.file} cannot be read: ${fileProblem(cause)}`,
      {
        cause,
      },
    );
  }
  const value = text.replace(/\r?\n$/, '');
  if (value === '')
    throw new CountersignError('SECRET_UNAVAILABLE', `the secret file ${secret.file} is empty`);
  return value;
}
