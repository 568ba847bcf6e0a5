import { kinds, type Kind } from './codes/entry.js';
import { codes, type Code } from './codes.js';

/** Facts that go with an error to the operator. Never keys, passwords, plaintext or other secrets. */
export type ErrorDetails = Readonly<
  Record<string, string | number | boolean | readonly string[] | undefined>
>;

/**
 * The one error class. Steps, providers and the server throw it; the chain runner adds where it happened.
 *
 * `message` is for the operator only. What the peer sees is decided by the code's row in the table.
 */
export class CountersignError extends Error {
  override readonly name = 'CountersignError';
  readonly code: Code;
  readonly details: ErrorDetails;

  constructor(code: Code, message: string, options: { cause?: unknown; details?: ErrorDetails } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
  }

  /** What the code's kind means outside: who can act, which fault, which status. */
  get kind(): Kind {
    return kinds[codes[this.code].kind];
  }
}

/** True for errors of this product, whichever realm they were made in (jest runs tests in another realm). */
export function isCountersignError(value: unknown): value is CountersignError {
  return typeof value === 'object' && value !== null && 'name' in value && value.name === 'CountersignError';
}
