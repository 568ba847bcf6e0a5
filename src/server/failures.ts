import { codes, type Code } from '../core/codes.js';
import { CountersignError, isCountersignError } from '../core/errors.js';
import type { Outcome } from '../pipeline/index.js';

/** Refused before there is an envelope: answered by HTTP alone, and the connection is closed. */
const bare: ReadonlySet<Code> = new Set<Code>([
  'HTTP_FRAMING',
  'HTTP_METHOD',
  'HTTP_MEDIA_TYPE',
  'HTTP_CONTENT_ENCODING',
  'HTTP_TOO_LARGE',
  'HTTP_HEADER_LIMIT',
  'HTTP_TIMEOUT',
  'HTTP_NOT_FOUND',
  'CLIENT_UNAUTHORISED',
  'ATTACHMENTS_REFUSED',
  // A fault would have to be signed, which is what there is no time for.
  'SERVICE_OVERLOADED',
]);

/** Nobody judged the message: something broke. */
const broken: ReadonlySet<string> = new Set([
  'unavailable',
  'operator-error',
  'internal',
  'http-499',
  'upstream-timeout',
]);
const brokenCodes: ReadonlySet<Code> = new Set<Code>([
  'UPSTREAM_UNREACHABLE',
  'UPSTREAM_ABORTED',
  'HTTP_TIMEOUT',
]);

export const isBare = (error: CountersignError): boolean => bare.has(error.code);

/** How the record names an exchange that ended with `error`. */
export function outcomeOf(error: CountersignError): Outcome {
  return broken.has(codes[error.code].kind) || brokenCodes.has(error.code) ? 'error' : 'refused';
}

/** Anything thrown, in the gateway's words. */
export function asError(thrown: unknown): CountersignError {
  if (isCountersignError(thrown)) return thrown;
  return new CountersignError('INTERNAL', `a fault in Countersign: ${describe(thrown)}`, { cause: thrown });
}

function describe(thrown: unknown): string {
  if (typeof thrown === 'object' && thrown !== null && 'message' in thrown) return String(thrown.message);
  return String(thrown);
}

/**
 * An answer that is no proper envelope is the service's doing, not the caller's (design/policy.md, Faults and empty
 * answers): the caller gets a 502.
 */
export function asUpstreamError(error: CountersignError): CountersignError {
  if (error.kind.fault !== 'env:Sender' && error.kind.fault !== 'env:VersionMismatch') return error;
  return new CountersignError('UPSTREAM_NOT_SOAP', `${error.code}: ${error.message}`, {
    cause: error,
    details: error.details,
  });
}
