/** Facts about the key in a SubjectPublicKeyInfo. */
import { bitStringOctets, childrenOf, DerError, integerBytes, oidOf, readOne, tags } from './der.js';
import { curveOids, oids } from './oids.js';
import type { Certificate } from './types.js';

/** Above this a public operation alone is a denial of service. */
const MAX_RSA_BITS = 16_384;

/**
 * Kind, size and curve of a public key.
 *
 * @throws DerError when it is malformed, of an unknown kind, an RSA key that cannot be one (exponent 1 or even), or an EC
 * key with explicit parameters (CVE-2020-0601)
 */
export function readPublicKey(spki: Uint8Array): Certificate['publicKey'] {
  const fields = childrenOf(readOne(spki, tags.sequence));
  const algorithm = childrenOf(fields.take(tags.sequence));
  const key = bitStringOctets(fields.take(tags.bitString));
  fields.end();
  const kind = oidOf(algorithm.take(tags.oid));
  switch (kind) {
    case oids.rsaEncryption:
    case oids.rsaPss:
      return { kind: 'RSA', bits: rsaBits(key) };
    case oids.ecPublicKey: {
      const curve = curveOids.get(oidOf(algorithm.take(tags.oid)));
      if (curve === undefined) throw new DerError('an elliptic curve that is not known');
      return { kind: 'EC', bits: curve.bits, curve: curve.name };
    }
    case oids.ed25519:
      if (key.length !== 32) throw new DerError('an Ed25519 key that is not 32 octets');
      return { kind: 'Ed25519', bits: 256 };
    default:
      throw new DerError(`a public key of an unsupported kind (${kind})`);
  }
}

function rsaBits(key: Uint8Array): number {
  const fields = childrenOf(readOne(key, tags.sequence));
  const modulus = integerBytes(fields.take(tags.integer));
  const exponent = integerBytes(fields.take(tags.integer));
  fields.end();
  const last = exponent[exponent.length - 1] ?? 0;
  const usable = (exponent[0] ?? 0x80) < 0x80 && last % 2 === 1 && !(exponent.length === 1 && last === 1);
  if (!usable || (modulus[0] ?? 0x80) >= 0x80) throw new DerError('an RSA key that cannot be one');
  const octets = modulus[0] === 0 ? modulus.subarray(1) : modulus;
  const bits = octets.length * 8 - Math.clz32(octets[0] ?? 0) + 24;
  if (bits > MAX_RSA_BITS) throw new DerError('an RSA key larger than 16384 bits');
  return bits;
}
