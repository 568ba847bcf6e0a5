import type { Code } from '../core/codes.js';
import { CountersignError } from '../core/errors.js';
import type { Limits } from '../core/limits.js';

/** The error for bytes that are not well-formed. `offset` is in bytes from the start of the message or fragment. */
export function malformed(what: string, offset: number): CountersignError {
  return refusal('XML_NOT_WELL_FORMED', what, offset);
}

export function refusal(code: Code, what: string, offset: number): CountersignError {
  return new CountersignError(code, `${what} (byte ${offset})`, { details: { offset } });
}

/** The error for a limit that was passed; `details.limit` is its name in the configuration. */
export function overLimit(limit: keyof Limits, limits: Limits, offset: number): CountersignError {
  return new CountersignError('XML_LIMIT', `more than ${limits[limit]} allowed by limit "${limit}"`, {
    details: { limit, allowed: limits[limit], offset },
  });
}
