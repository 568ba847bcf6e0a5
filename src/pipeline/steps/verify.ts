import * as z from 'zod';
import { assertVerified, type Protection } from '../../wss/assert.js';
import type { StepModule } from '../handler.js';
import { inboundParts } from '../inbound-parts.js';
import { partScope } from '../parts.js';
import { name, parts } from './options.js';

export interface VerifyOptions {
  readonly trust: string;
  readonly parts: readonly string[];
  readonly protection: Protection;
  readonly optional: boolean;
  readonly name?: string | undefined;
}

const schema: z.ZodType<VerifyOptions> = z.strictObject({
  trust: name,
  parts,
  protection: z.enum(['sign-then-encrypt', 'encrypt-then-sign', 'any']).default('sign-then-encrypt'),
  optional: z.boolean().default(false),
  name: name.optional(),
});

/** Takes one Signature and says what it must cover. */
export const verify: StepModule<VerifyOptions> = {
  name: 'verify',
  direction: 'inbound',
  summary: 'Requires a signature of a trusted signer over parts of the message.',
  schema,
  example: { trust: 'partners', parts: ['body'], protection: 'sign-then-encrypt', optional: false },
  repeatable: true,
  create(options, build) {
    const requirement = {
      step: build.label,
      parts: inboundParts(options.parts, build, { verifies: build.siblings(verify), content: false }),
      protection: options.protection,
      optional: options.optional,
    };
    return {
      direction: 'inbound',
      label: build.label,
      verifies: { trust: build.trust(options.trust, 'trust') },
      settle: (message) => {
        assertVerified(partScope(message), requirement, message.evidence);
      },
    };
  },
};
