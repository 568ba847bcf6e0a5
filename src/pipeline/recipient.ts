import { CountersignError } from '../core/errors.js';
import type { Certificate } from '../pki/types.js';
import type { Crypto, KeyHandle } from '../providers/contract.js';
import { selectForUse } from '../providers/rollover.js';
import type { Message } from './context.js';
import type { StepBuild } from './handler.js';
import { policyError } from './policy-error.js';

/** Whom a message is encrypted to. */
export interface Recipient {
  /** For the timing record. */
  readonly name: string;
  readonly certificate: Certificate;
  readonly publicKey: KeyHandle;
}

const SIGNER = 'request-signer';

/**
 * The recipient that a policy names: a key, `request-signer` (the certificate of the request's first `verify`) or
 * `request-signer/NAME`.
 *
 * @throws CountersignError CONFIG_UNKNOWN_NAME, POLICY_INVALID
 */
export function recipientFor(to: string, build: StepBuild): (message: Message) => Recipient {
  if (to === SIGNER || to.startsWith(`${SIGNER}/`)) return requestSigner(to, build);
  const ring = build.key(to, 'to');
  if (ring.entries.some((entry) => entry.publicKey.kind !== 'RSA')) {
    throw policyError('POLICY_INVALID', `the key ${to} is not RSA and nothing can be encrypted to it`, 'to');
  }
  return ({ now }) => {
    const { certificate, publicKey } = selectForUse(ring, 'encrypt', now);
    return { name: ring.name, certificate, publicKey };
  };
}

function requestSigner(to: string, build: StepBuild): (message: Message) => Recipient {
  const { requestVerifies } = build;
  if (requestVerifies === undefined) {
    throw policyError('POLICY_INVALID', 'request-signer is for the response chain', 'to');
  }
  const wanted = to === SIGNER ? requestVerifies[0] : to.slice(SIGNER.length + 1);
  if (wanted === undefined) {
    throw policyError(
      'POLICY_INVALID',
      'the request chain has no verify step, so there is no request-signer',
      'to',
    );
  }
  if (!requestVerifies.includes(wanted)) {
    throw policyError('CONFIG_UNKNOWN_NAME', `the request chain has no verify step named ${wanted}`, 'to', {
      kind: 'verify step',
      name: wanted,
      known: requestVerifies.join(', '),
    });
  }
  const { crypto } = build.toolkit;
  return ({ exchange }) => {
    const certificate = exchange.requestSigners.get(wanted);
    if (certificate === undefined) {
      throw new CountersignError(
        'REQUEST_SIGNER_MISSING',
        `the request was not signed for its step ${wanted}`,
        {
          details: { at: 'to' },
        },
      );
    }
    return { name: SIGNER, certificate, publicKey: importKey(certificate, crypto) };
  };
}

function importKey(certificate: Certificate, crypto: Crypto): KeyHandle {
  if (certificate.publicKey.kind === 'RSA') return crypto.importPublicKey(certificate.spki);
  throw new CountersignError(
    'REQUEST_SIGNER_MISSING',
    `the request was signed with a key of kind ${certificate.publicKey.kind}, which nothing can be encrypted to`,
    { details: { at: 'to' } },
  );
}
