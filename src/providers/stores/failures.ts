/** Why a key file cannot be used. Raised without the file's name; `openKey` adds key and file. Never holds a password. */
import type { Code } from '../../core/codes.js';
import { CountersignError } from '../../core/errors.js';

export type StoreCode = Extract<Code, `KEY_${string}`>;

/** A failure of a key or its file. `problem` reads on from the file's name: "does not open with this password". */
export function storeError(code: StoreCode, problem: string, cause?: unknown): CountersignError {
  return new CountersignError(code, problem, { cause });
}

export function malformed(problem: string, cause?: unknown): CountersignError {
  return storeError('KEY_FILE_MALFORMED', problem, cause);
}

export function wrongPassword(cause?: unknown): CountersignError {
  return storeError('KEY_PASSWORD_WRONG', 'does not open with the given password', cause);
}

export function missingPassword(): CountersignError {
  return storeError('KEY_PASSWORD_MISSING', 'is encrypted and no password is given');
}
