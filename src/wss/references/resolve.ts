/** From a reference to the one certificate that it names. */
import { equal, toHex } from '../../core/bytes.js';
import type { DigestFunction } from '../../core/contracts.js';
import { CountersignError } from '../../core/errors.js';
import {
  issuerSerialMatches,
  matchesKeyIdentifier,
  matchesWrittenName,
  thumbprint,
} from '../../pki/index.js';
import type { Certificate } from '../../pki/types.js';
import type { TokenIndex } from '../tokens/index-tokens.js';
import type { Toolkit } from '../toolkit.js';
import type { Criterion, KeyReference, ResolvedToken } from './types.js';

/**
 * Finds the certificate that a reference names: a token of the message, the certificate inside the reference, or one
 * that is configured. Whether it is trusted is not asked here.
 *
 * @param configured certificates that the policy knows, for references that only identify one
 * @throws CountersignError TOKEN_UNAVAILABLE where there is none, TOKEN_AMBIGUOUS where there are several,
 *   TOKEN_UNSUPPORTED, TOKEN_MALFORMED, CERTIFICATE_MALFORMED
 */
export function resolveCertificate(
  reference: KeyReference,
  tokens: TokenIndex,
  configured: readonly Certificate[],
  toolkit: Toolkit,
): ResolvedToken {
  const [only] = reference.criteria;
  if (reference.criteria.length === 1 && only?.by === 'token') {
    const token = tokens.byId(only.id);
    tokens.use(token);
    const { certificate, intermediates } = tokens.read(token);
    return { certificate, intermediates, token };
  }
  const found = candidates(reference, tokens, configured, toolkit).filter(({ certificate }) =>
    fits(reference, certificate, tokens, toolkit),
  );
  const [first] = found;
  if (first === undefined) throw unavailable(reference, tokens);
  // The same certificate as a token and in the configuration is one.
  if (found.some(({ certificate }) => !sameCertificate(certificate, first.certificate))) {
    throw new CountersignError('TOKEN_AMBIGUOUS', 'a reference fits more than one certificate', {
      details: { element: tokens.doc.path(reference.element), named: reference.criteria.map(describe) },
    });
  }
  if (first.token !== undefined) tokens.use(first.token);
  return first;
}

/**
 * The entries whose certificate a reference names: how `decrypt` finds its key.
 *
 * @throws CountersignError TOKEN_UNAVAILABLE, TOKEN_UNSUPPORTED, TOKEN_MALFORMED, CERTIFICATE_MALFORMED
 */
export function matchingEntries<T extends { readonly certificate: Certificate }>(
  reference: KeyReference,
  tokens: TokenIndex,
  entries: readonly T[],
  toolkit: Toolkit,
): T[] {
  for (const criterion of reference.criteria)
    if (criterion.by === 'token') tokens.use(tokens.byId(criterion.id));
  return entries.filter(({ certificate }) => fits(reference, certificate, tokens, toolkit));
}

/** Whether everything that a reference says holds for a certificate. */
function fits(
  { criteria }: KeyReference,
  certificate: Certificate,
  tokens: TokenIndex,
  toolkit: Toolkit,
): boolean {
  return criteria.every((criterion) => satisfies(criterion, certificate, tokens, toolkit));
}

/** Certificates are remembered by their bytes, so that equal ones are nearly always one object. */
function sameCertificate(one: Certificate, other: Certificate): boolean {
  return one === other || equal(one.der, other.der);
}

function candidates(
  reference: KeyReference,
  tokens: TokenIndex,
  configured: readonly Certificate[],
  toolkit: Toolkit,
): ResolvedToken[] {
  for (const criterion of reference.criteria) {
    if (criterion.by === 'token') {
      const token = tokens.byId(criterion.id);
      return [{ ...tokens.read(token), token }];
    }
    if (criterion.by === 'certificate') {
      return [{ certificate: toolkit.certificates.read(criterion.der), intermediates: [], token: undefined }];
    }
  }
  return [
    ...tokens.readable().map((token) => ({ ...tokens.read(token), token })),
    ...configured.map((certificate) => ({ certificate, intermediates: [], token: undefined })),
  ];
}

function satisfies(
  criterion: Criterion,
  certificate: Certificate,
  tokens: TokenIndex,
  toolkit: Toolkit,
): boolean {
  const digest: DigestFunction = (hash, bytes) => toolkit.crypto.digest(hash, bytes);
  switch (criterion.by) {
    case 'token':
      return sameCertificate(tokens.read(tokens.byId(criterion.id)).certificate, certificate);
    case 'certificate':
      return equal(criterion.der, certificate.der);
    case 'thumbprint':
      return equal(criterion.value, thumbprint(certificate, digest));
    case 'ski':
      return matchesKeyIdentifier(certificate, criterion.value, digest);
    case 'issuer-serial':
      return issuerSerialMatches(certificate, criterion.issuer, criterion.serial);
    case 'subject':
      return matchesWrittenName(certificate.subject, criterion.subject);
  }
}

const shortHex = (bytes: Uint8Array): string => toHex(bytes.subarray(0, 64));

/** A criterion, for the operator. */
export function describe(criterion: Criterion): string {
  switch (criterion.by) {
    case 'token':
      return `token #${criterion.id.slice(0, 100)}`;
    case 'certificate':
      return 'the certificate itself';
    case 'thumbprint':
      return `thumbprint ${shortHex(criterion.value)}`;
    case 'ski':
      return `subject key identifier ${shortHex(criterion.value)}`;
    case 'issuer-serial':
      return `issuer ${criterion.issuer.slice(0, 200)}, serial ${criterion.serial.slice(0, 64)}`;
    case 'subject':
      return `subject ${criterion.subject.slice(0, 200)}`;
  }
}

/** For a reference that only identifies a certificate: whoever has it not cannot verify. */
const remedy =
  'The sender must send its certificate along (reference: direct), or the trust must list it under certificates:';

function unavailable(reference: KeyReference, tokens: TokenIndex): CountersignError {
  const named = reference.criteria.map(describe);
  return new CountersignError('TOKEN_UNAVAILABLE', `no certificate is known by ${named.join(' and ')}`, {
    details: {
      element: tokens.doc.path(reference.element),
      named,
      ...(reference.criteria.some(({ by }) => by === 'token' || by === 'certificate') ? {} : { remedy }),
    },
  });
}
