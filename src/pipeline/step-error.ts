import { CountersignError, isCountersignError } from '../core/errors.js';
import type { Chain } from './chain.js';

/** Where something failed. */
export interface Failure {
  /** The step that was running. */
  readonly step: string | undefined;
  /** Whether a private key had been used on the message. */
  readonly afterKey: boolean | undefined;
}

/**
 * Whatever was thrown, as an error that says in which step and at which place of the policy it happened. What is not
 * an error of this product is a fault of its code: INTERNAL, with the original as cause for the log.
 */
export function stepError(error: unknown, chain: Chain, failure?: Failure): CountersignError {
  const known = isCountersignError(error)
    ? error
    : new CountersignError('INTERNAL', 'a fault in Countersign', { cause: error });
  if (failure === undefined) return known;
  const { at } = known.details;
  const step = failure.step ?? 'header';
  const place = chain.locate(step, typeof at === 'string' && at !== '' ? at : undefined);
  const details = {
    ...known.details,
    step,
    ...(place === undefined ? {} : { place }),
    ...(failure.afterKey === true ? { afterKey: true } : {}),
  };
  return new CountersignError(known.code, known.message, { cause: error, details });
}
