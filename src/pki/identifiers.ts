/** The names by which WS-Security references point to a certificate. */
import { equal } from '../core/bytes.js';
import type { DigestFunction, HashName } from '../core/contracts.js';
import { bitStringOctets, childrenOf, readOne, tags } from './der.js';
import type { Certificate } from './types.js';

/** SHA-1 thumbprints of certificates that are known by reference; every message asks for one or two. */
const thumbprints = new WeakMap<Certificate, Uint8Array>();

/** The digest of the whole certificate: ThumbprintSHA1 of WSS 1.1.1 §7.3 is the SHA-1 one. */
export function thumbprint(
  certificate: Certificate,
  digest: DigestFunction,
  hash: HashName = 'SHA-1',
): Uint8Array {
  if (hash !== 'SHA-1') return digest(hash, certificate.der);
  const known = thumbprints.get(certificate);
  if (known !== undefined) return known;
  const value = digest(hash, certificate.der);
  thumbprints.set(certificate, value);
  return value;
}

/**
 * Whether a SubjectKeyIdentifier of a message names this certificate: the value of its extension (X.509 Token Profile
 * 1.1.1 §3.2.1), or, where it has none, the SHA-1 of the key bits, which WSS4J and .NET then write.
 */
export function matchesKeyIdentifier(
  certificate: Certificate,
  identifier: Uint8Array,
  digest: DigestFunction,
): boolean {
  return equal(certificate.subjectKeyIdentifier ?? keyIdentifier(certificate.spki, digest), identifier);
}

/** The identifier of a key after RFC 5280 §4.2.1.2, method 1: SHA-1 of the key's bits. `spki` is DER. */
export function keyIdentifier(spki: Uint8Array, digest: DigestFunction): Uint8Array {
  const fields = childrenOf(readOne(spki, tags.sequence));
  fields.take(tags.sequence);
  return digest('SHA-1', bitStringOctets(fields.take(tags.bitString)));
}
