import * as z from 'zod';
import { parseDuration } from '../../core/units.js';
import { automaticKeep, claimSignatures, refuseSeen } from '../../wss/replay.js';
import { factsOf } from '../evidence.js';
import type { StepBuild, StepModule } from '../handler.js';
import { policyError } from '../policy-error.js';
import { checkTimestamp } from './check-timestamp.js';
import { duration } from './options.js';
import { verify } from './verify.js';

export interface ReplayOptions {
  readonly keep: string;
}

const schema: z.ZodType<ReplayOptions> = z.strictObject({
  keep: z.union([z.literal('auto'), duration], 'auto, or a duration such as 10m').default('auto'),
});

/** Claims every Signature that a `verify` took, as the very last thing before the message goes on. */
export const replay: StepModule<ReplayOptions> = {
  name: 'replay',
  direction: 'inbound',
  summary: 'Refuses a message that was received before.',
  schema,
  example: { keep: 'auto' },
  create(options, build) {
    if (build.siblings(verify).length === 0) {
      throw policyError(
        'POLICY_ORDER',
        'replay tells messages apart by their signatures and needs a verify step',
        '',
      );
    }
    const { keep, skew } = lifetimes(options, build);
    const { store, startedAt } = build.replay;
    return {
      direction: 'inbound',
      label: build.label,
      screens: { screen: (replayId) => refuseSeen(store, replayId) },
      claim: ({ evidence, now }) => {
        const [timestamp] = factsOf(evidence, 'timestamp');
        const message = { signatures: factsOf(evidence, 'signed'), timestamp };
        return claimSignatures(store, message, { keep, skew, startedAt }, now);
      },
    };
  },
};

/** A claim lives at least as long as the message would be accepted (design/policy.md, Replay). */
function lifetimes({ keep }: ReplayOptions, build: StepBuild): { keep: number; skew: number } {
  const [check] = build.siblings(checkTimestamp);
  const skew = check === undefined ? 0 : parseDuration(check.options.skew);
  const bounded = check !== undefined && check.options.signed && !check.options.optional;
  const window = check === undefined ? 0 : automaticKeep(parseDuration(check.options['max-age']), skew);
  if (keep === 'auto') {
    if (bounded) return { keep: window, skew };
    const message =
      'keep: auto needs check-timestamp with a signed, required Timestamp; else write a duration';
    throw policyError('POLICY_INVALID', message, 'keep');
  }
  const written = parseDuration(keep);
  if (bounded && written < window) {
    const message = `a message is accepted for ${window / 1000}s (max-age + 2 × skew), longer than its claim is kept`;
    throw policyError('POLICY_INVALID', message, 'keep');
  }
  return { keep: written, skew };
}
