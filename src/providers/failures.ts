import { CountersignError, isCountersignError } from '../core/errors.js';
import type { KeyHandle } from './contract.js';

/**
 * The one error of unwrapping and decrypting. It has no cause and no details: what exactly went wrong must not be
 * told (security: padding and tag oracles), not even by a log that somebody may read.
 */
export function decryptFailed(): CountersignError {
  return new CountersignError(
    'DECRYPT_FAILED',
    'a key could not be unwrapped or data could not be decrypted',
  );
}

export function unsupported(provider: string, what: string): CountersignError {
  return new CountersignError('OPERATION_UNSUPPORTED', `provider ${provider} does not offer ${what}`, {
    details: { provider },
  });
}

/** A failure of the back end. Errors of this product pass through. */
export function providerFailed(provider: string, doing: string, cause: unknown): CountersignError {
  if (isCountersignError(cause)) return cause;
  return new CountersignError('PROVIDER_FAILED', `provider ${provider} failed ${doing}`, {
    cause,
    details: { provider },
  });
}

export function keyUnreadable(what: string, cause?: unknown): CountersignError {
  return new CountersignError('CERTIFICATE_MALFORMED', `the public key cannot be used: ${what}`, { cause });
}

export function privateKeyUnreadable(what: string, cause?: unknown): CountersignError {
  return new CountersignError('KEY_FILE_MALFORMED', `the private key cannot be used: ${what}`, { cause });
}

/** A handle of another provider, or of the wrong sort: a fault of the code that calls. */
export function foreignKey(provider: string, handle: KeyHandle): CountersignError {
  return new CountersignError(
    'PROVIDER_FAILED',
    `provider ${provider} was given a ${handle.visibility} key of provider ${handle.provider}`,
    { details: { provider } },
  );
}
