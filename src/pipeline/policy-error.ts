import type { Code } from '../core/codes.js';
import { CountersignError, isCountersignError, type ErrorDetails } from '../core/errors.js';

type PolicyCode = Extract<
  Code,
  'POLICY_INVALID' | 'POLICY_ORDER' | 'POLICY_PARTS' | 'CONFIG_UNKNOWN_NAME' | 'ALGORITHM_DENIED'
>;

/**
 * An error of the policy.
 *
 * @param at path of the option within the step: `parts.1`; empty: the step itself
 */
export function policyError(
  code: PolicyCode,
  message: string,
  at: string,
  details: ErrorDetails = {},
): CountersignError {
  return new CountersignError(code, message, { details: { ...details, at } });
}

/** Runs `work` and says where in the step its failure belongs, unless it says so itself. @param hints more details */
export function located<T>(at: string, work: () => T, hints: ErrorDetails = {}): T {
  try {
    return work();
  } catch (error) {
    if (!isCountersignError(error)) throw error;
    throw new CountersignError(error.code, error.message, {
      cause: error,
      details: { ...error.details, ...hints, at },
    });
  }
}
