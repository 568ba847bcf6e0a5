import * as z from 'zod';
import type { StepModule } from '../handler.js';
import { policyError } from '../policy-error.js';

export interface StripOptions {
  readonly keep: boolean;
  readonly ids: boolean;
}

const schema: z.ZodType<StripOptions> = z.strictObject({
  keep: z.boolean().default(false),
  ids: z.boolean().default(false),
});

/** Says what is taken away, not when: that is always at the end of the inbound steps. */
export const strip: StepModule<StripOptions> = {
  name: 'strip',
  direction: 'inbound',
  summary: 'Says whether the Security header and the ids of signed elements are passed on.',
  schema,
  example: { keep: false, ids: true },
  create(options, build) {
    if (options.keep && build.outboundFollows) {
      throw policyError(
        'POLICY_ORDER',
        'the Security header cannot be kept where outbound steps write a new one',
        'keep',
      );
    }
    return { direction: 'inbound', label: build.label, strips: options };
  },
};
