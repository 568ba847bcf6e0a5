import * as z from 'zod';
import type { KeyEntry, KeyRing } from '../../providers/keys.js';
import { selectForUse } from '../../providers/rollover.js';
import type { SignatureDescriptor } from '../../wss/algorithms/descriptor.js';
import { insertionPoint } from '../../wss/header.js';
import type { ReferenceStyle } from '../../wss/references/types.js';
import { signParts } from '../../wss/signature/sign.js';
import type { NodeId } from '../../xml/index.js';
import type { StepBuild, StepModule } from '../handler.js';
import { findParts, outboundParts } from '../outbound-parts.js';
import { policyError } from '../policy-error.js';
import { chooseAlgorithm, fittingSignature } from './algorithms.js';
import { name, reference, someParts } from './options.js';
import { timestamp } from './timestamp.js';

export interface SignOptions {
  readonly key: string;
  readonly parts: readonly string[];
  readonly algorithm?: string | undefined;
  readonly digest: string;
  readonly reference: ReferenceStyle;
}

const schema: z.ZodType<SignOptions> = z.strictObject({
  key: name,
  parts: someParts,
  algorithm: z.string().optional(),
  digest: z.string().default('sha256'),
  reference: reference.default('direct'),
});

/** Signs parts of the message (WSS 1.1.1 §8). */
export const sign: StepModule<SignOptions> = {
  name: 'sign',
  direction: 'outbound',
  summary: 'Signs parts of the message with a private key.',
  schema,
  example: { key: 'client', parts: ['body'], digest: 'sha256', reference: 'direct' },
  faults: true,
  repeatable: true,
  create(options, build) {
    const ring = build.key(options.key, 'key');
    const algorithms = new Map(
      ring.entries.map((entry) => [entry, algorithmFor(entry, ring, options, build)]),
    );
    const digest = chooseAlgorithm(build, { kind: 'digest', id: options.digest, use: 'sign', at: 'digest' });
    const parts = outboundParts(options.parts, build, { timestamp, sign: [sign] });
    for (const [index, part] of parts.entries()) {
      if (!part.content) continue;
      throw policyError(
        'POLICY_PARTS',
        'a signature covers elements: /content is for encrypt',
        `parts.${index}`,
      );
    }
    return {
      direction: 'outbound',
      label: build.label,
      async run(message) {
        const found = findParts(message, parts, 'signed');
        const key = selectForUse(ring, 'sign', message.now);
        const algorithm = algorithms.get(key);
        if (algorithm === undefined) throw new Error(`the key ${ring.name} changed while it was in use`);
        const { document, securityHeader, toolkit, timer } = message;
        // A set: a part may match as many elements as a message can hold.
        const elements = new Set<NodeId>();
        for (const { elements: more } of found) for (const element of more) elements.add(element);
        const signature = await signParts(
          document,
          { parent: securityHeader, before: insertionPoint(document, securityHeader) },
          {
            key,
            keyName: ring.name,
            elements: [...elements],
            algorithm,
            digest,
            reference: options.reference,
          },
          toolkit,
          timer,
        );
        message.signatures.set(build.label, signature);
      },
    };
  },
};

/** What fits the key, where the policy does not say. */
function algorithmFor(
  entry: KeyEntry,
  ring: KeyRing,
  options: SignOptions,
  build: StepBuild,
): SignatureDescriptor {
  if (entry.privateKey === undefined) {
    throw policyError('POLICY_INVALID', `the key ${ring.name} has no private key to sign with`, 'key');
  }
  const id = options.algorithm ?? fittingSignature(entry.publicKey);
  const at = options.algorithm === undefined ? 'key' : 'algorithm';
  return chooseAlgorithm(build, { kind: 'signature', id, use: 'sign', at }, entry.publicKey);
}
