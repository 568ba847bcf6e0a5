import * as z from 'zod';
import { isCountersignError } from '../../core/errors.js';
import { assertDecrypted } from '../../wss/assert.js';
import { count } from '../context.js';
import type { StepModule } from '../handler.js';
import { inboundParts } from '../inbound-parts.js';
import { partScope } from '../parts.js';
import { policyError } from '../policy-error.js';
import { name, parts } from './options.js';
import { verify } from './verify.js';

export interface DecryptOptions {
  readonly key: string;
  readonly parts: readonly string[];
  readonly 'unauthenticated-cbc': boolean;
}

const schema: z.ZodType<DecryptOptions> = z.strictObject({
  key: name,
  parts,
  'unauthenticated-cbc': z.boolean().default(false),
});

/** Decrypts what the message's EncryptedKeys name, and says what must have been encrypted. */
export const decrypt: StepModule<DecryptOptions> = {
  name: 'decrypt',
  direction: 'inbound',
  summary: 'Decrypts the message and requires parts of it to have been encrypted.',
  schema,
  example: { key: 'server', parts: ['body/content'], 'unauthenticated-cbc': false },
  repeatable: true,
  create(options, build) {
    const keys = build.key(options.key, 'key');
    if (keys.entries.some((entry) => entry.privateKey === undefined)) {
      throw policyError('POLICY_INVALID', `the key ${keys.name} has no private key to decrypt with`, 'key');
    }
    if (keys.entries.some((entry) => entry.publicKey.kind !== 'RSA')) {
      throw policyError('POLICY_INVALID', `the key ${keys.name} is not RSA and cannot decrypt`, 'key');
    }
    const unauthenticatedCbc = options['unauthenticated-cbc'];
    const requirement = {
      step: build.label,
      parts: inboundParts(options.parts, build, { verifies: build.siblings(verify), content: true }),
      unauthenticatedCbc,
    };
    return {
      direction: 'inbound',
      label: build.label,
      decrypts: { keys, unauthenticatedCbc },
      settle(message) {
        try {
          assertDecrypted(partScope(message), requirement, message.evidence);
        } catch (error) {
          const isWaived = message.waivesEncryption && message.facts.fault && isNotEncrypted(error);
          if (!isWaived) throw error;
          count(message.facts, 'fault-allow-unencrypted');
        }
      },
    };
  },
};

const isNotEncrypted = (error: unknown): boolean =>
  isCountersignError(error) && error.code === 'PART_NOT_ENCRYPTED';
