import * as z from 'zod';
import { encryptParts, type EncryptionTarget } from '../../wss/encryption/encrypt.js';
import type { Transport } from '../../wss/encryption/encrypted-key.js';
import { makeTransport } from '../../wss/encryption/transport.js';
import type { ReferenceStyle } from '../../wss/references/types.js';
import type { StepBuild, StepModule } from '../handler.js';
import { findParts, outboundParts } from '../outbound-parts.js';
import { policyError } from '../policy-error.js';
import { recipientFor } from '../recipient.js';
import { chooseAlgorithm } from './algorithms.js';
import { recipient, reference, someParts } from './options.js';
import { sign } from './sign.js';
import { timestamp } from './timestamp.js';

export interface EncryptOptions {
  readonly to: string;
  readonly parts: readonly string[];
  readonly algorithm: string;
  readonly 'key-transport': string;
  readonly digest?: string | undefined;
  readonly mgf?: string | undefined;
  readonly reference: ReferenceStyle;
}

const schema: z.ZodType<EncryptOptions> = z
  .strictObject({
    to: recipient,
    parts: someParts,
    algorithm: z.string().default('aes128-gcm'),
    'key-transport': z.string().default('rsa-oaep'),
    digest: z.string().optional(),
    mgf: z.string().optional(),
    reference: reference.default('thumbprint'),
  })
  .overwrite(withHashes);

/** The hashes that hold for the transport (design/policy.md), in the order of the schema, which `expand` shows. */
function withHashes(options: EncryptOptions): EncryptOptions {
  const { reference: named, digest, mgf, ...others } = options;
  switch (options['key-transport']) {
    case 'rsa-oaep':
      return { ...others, digest: digest ?? 'sha256', mgf: mgf ?? 'sha256', reference: named };
    case 'rsa-oaep-mgf1p':
      return { ...others, digest: digest ?? 'sha1', ...(mgf === undefined ? {} : { mgf }), reference: named };
    default:
      return options;
  }
}

/** Encrypts parts of the message for one recipient (WSS 1.1.1 §9). */
export const encrypt: StepModule<EncryptOptions> = {
  name: 'encrypt',
  direction: 'outbound',
  summary: 'Encrypts parts of the message to the certificate of a key, or to whoever signed the request.',
  schema,
  example: {
    to: 'partner',
    parts: ['body/content'],
    algorithm: 'aes128-gcm',
    'key-transport': 'rsa-oaep',
    digest: 'sha256',
    mgf: 'sha256',
    reference: 'thumbprint',
  },
  repeatable: true,
  create(options, build) {
    const to = recipientFor(options.to, build);
    const cipher = chooseAlgorithm(build, {
      kind: 'cipher',
      id: options.algorithm,
      use: 'encrypt',
      at: 'algorithm',
    });
    const transport = transportFor(options, build);
    const parts = outboundParts(options.parts, build, { timestamp, sign: [sign] });
    for (const [index, part] of parts.entries()) {
      if (part.target.kind !== 'body' || part.content) continue;
      const message = 'the Body must stay readable as such: encrypt body/content (WSS 1.1.1 §9)';
      throw policyError('POLICY_PARTS', message, `parts.${index}`);
    }
    return {
      direction: 'outbound',
      label: build.label,
      run(message) {
        const { document, envelope, securityHeader: header, toolkit, timer, now } = message;
        const targets: EncryptionTarget[] = [];
        for (const { part, elements } of findParts(message, parts, 'encrypted')) {
          const mode = part.content ? 'content' : 'element';
          for (const element of elements) targets.push({ element, mode });
        }
        const { name, certificate, publicKey } = to(message);
        encryptParts(
          { document, envelope, header, toolkit, timer, now },
          {
            to: { certificate, publicKey },
            keyName: name,
            targets,
            cipher,
            transport,
            reference: options.reference,
          },
        );
      },
    };
  },
};

function transportFor(options: EncryptOptions, build: StepBuild): Transport {
  const { algorithms } = build.toolkit;
  const { digest, mgf } = options;
  const keyTransport = options['key-transport'];
  const use = 'encrypt';
  chooseAlgorithm(build, { kind: 'key-transport', id: keyTransport, use, at: 'key-transport' });
  const transport = makeTransport({ keyTransport, digest, mgf }, algorithms);
  if (transport.digest !== undefined) {
    chooseAlgorithm(build, { kind: 'digest', id: transport.digest.id, use, at: 'digest' });
  }
  if (transport.mgf !== undefined)
    chooseAlgorithm(build, { kind: 'mgf', id: transport.mgf.id, use, at: 'mgf' });
  return transport;
}
