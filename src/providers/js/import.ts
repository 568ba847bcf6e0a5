/** Keys from DER (RFC 5280 §4.1.2.7, RFC 5958, RFC 8017 §A.1, RFC 5915, RFC 8410). */
import { concat } from '../../core/bytes.js';
import type { RandomSource } from '../../core/contracts.js';
import {
  bitStringOctets,
  childrenOf,
  type DerCursor,
  integerBytes,
  oidOf,
  readOne,
  smallInteger,
  tags,
} from '../../pki/der.js';
import { curveOids, oids } from '../../pki/oids.js';
import { readPss } from '../../pki/pss.js';
import type { KeyHandle } from '../contract.js';
import { keyUnreadable, privateKeyUnreadable } from '../failures.js';
import { curveName, curves, type CurveName } from './curves.js';
import { digest } from './digest.js';
import { JsKey } from './keys.js';
import { bigFromBytes, bitLength, RsaEngine, type RsaPrivate, type RsaPublic } from './rsa.js';

const MAX_RSA_BITS = 16_384;

/** A positive INTEGER. */
function positive(fields: DerCursor): bigint {
  const bytes = integerBytes(fields.take(tags.integer));
  const value = bigFromBytes(bytes);
  if ((bytes[0] ?? 0) >= 0x80 || value === 0n) throw new Error('a number that must be positive');
  return value;
}

function curveOf(oid: string): CurveName {
  const name = curveName(curveOids.get(oid)?.name);
  if (name === undefined) throw new Error('a curve that the provider does not have');
  return name;
}

const bitsOf = (curve: CurveName): number => Number(curve.slice(2));

export function importPublicKey(spki: Uint8Array): KeyHandle {
  try {
    const fields = childrenOf(readOne(spki, tags.sequence));
    const algorithm = childrenOf(fields.take(tags.sequence));
    const key = new Uint8Array(bitStringOctets(fields.take(tags.bitString)));
    fields.end();
    const kind = oidOf(algorithm.take(tags.oid));
    if (kind === oids.rsaEncryption) return rsaPublic(key);
    if (kind === oids.rsaPss) return rsaPssPublic(algorithm, key);
    if (kind === oids.ecPublicKey) return ecPublic(curveOf(oidOf(algorithm.take(tags.oid))), key);
    if (kind !== oids.ed25519 || key.length !== 32) throw new Error(`a key of kind ${kind}`);
    return new JsKey({ kind: 'Ed25519', bits: 256 }, 'public', ['verify'], {
      type: 'ed25519-public',
      bytes: key,
    });
  } catch (error) {
    throw keyUnreadable('it is not a SubjectPublicKeyInfo of a known kind', error);
  }
}

function readRsa(der: Uint8Array): RsaPublic {
  const fields = childrenOf(readOne(der, tags.sequence));
  const n = positive(fields);
  const e = positive(fields);
  fields.end();
  const bits = bitLength(n);
  if (bits > MAX_RSA_BITS || e < 3n || (e & 1n) === 0n || e >= n) {
    throw new Error('an RSA key that cannot be one');
  }
  return { n, e, bits };
}

function rsaPublic(der: Uint8Array): KeyHandle {
  const rsa = readRsa(der);
  const material = { type: 'rsa-public', rsa, pss: undefined } as const;
  return new JsKey({ kind: 'RSA', bits: rsa.bits }, 'public', ['verify', 'wrapKey'], material);
}

/** A key for RSASSA-PSS alone; its parameters, where it has some, limit its use (RFC 4055 §1.2, §3.3). */
function rsaPssPublic(algorithm: DerCursor, key: Uint8Array): KeyHandle {
  const limits = algorithm.done ? undefined : readPss(algorithm);
  if (limits === undefined && !algorithm.done) throw new Error('parameters that are not known');
  const rsa = readRsa(key);
  const pss = limits ?? 'any';
  return new JsKey({ kind: 'RSA', bits: rsa.bits }, 'public', ['verify'], { type: 'rsa-public', rsa, pss });
}

function ecPublic(curve: CurveName, bytes: Uint8Array): KeyHandle {
  // Throws unless the point is on the curve.
  curves[curve].Point.fromBytes(bytes).assertValidity();
  return new JsKey({ kind: 'EC', bits: bitsOf(curve), curve }, 'public', ['verify'], {
    type: 'ec-public',
    curve,
    bytes,
  });
}

export function importSecretKey(bytes: Uint8Array): KeyHandle {
  return new JsKey(
    { kind: 'secret', bits: bytes.length * 8 },
    'secret',
    ['sign', 'verify', 'encrypt', 'decrypt', 'wrapKey', 'unwrapKey'],
    { type: 'secret', bytes: new Uint8Array(bytes) },
  );
}

/** @param random for the blinding of RSA keys */
export function importPrivateKey(pkcs8: Uint8Array, random: RandomSource): KeyHandle {
  try {
    const fields = childrenOf(readOne(pkcs8, tags.sequence));
    if (smallInteger(fields.take(tags.integer)) > 1) throw new Error('an unknown version of PKCS#8');
    const algorithm = childrenOf(fields.take(tags.sequence));
    const key = fields.take(tags.octetString).value;
    const kind = oidOf(algorithm.take(tags.oid));
    if (kind === oids.rsaEncryption) return rsaPrivate(key, pkcs8, random);
    if (kind === oids.ecPublicKey) return ecPrivate(curveOf(oidOf(algorithm.take(tags.oid))), key);
    if (kind !== oids.ed25519) throw new Error(`a key of kind ${kind}`);
    const seed = readOne(key, tags.octetString).value;
    if (seed.length !== 32) throw new Error('an Ed25519 key that is not 32 octets');
    const bytes = new Uint8Array(seed);
    return new JsKey({ kind: 'Ed25519', bits: 256 }, 'private', ['sign'], { type: 'ed25519-private', bytes });
  } catch (error) {
    throw privateKeyUnreadable('it is not an unencrypted PKCS#8 key of a known kind', error);
  }
}

function rsaPrivate(der: Uint8Array, pkcs8: Uint8Array, random: RandomSource): KeyHandle {
  const fields = childrenOf(readOne(der, tags.sequence));
  if (smallInteger(fields.take(tags.integer)) !== 0) throw new Error('an RSA key of more than two primes');
  const [n, e] = [positive(fields), positive(fields)];
  positive(fields); // d: not used, the primes are
  const [p, q, dp, dq, qInverse] = [
    positive(fields),
    positive(fields),
    positive(fields),
    positive(fields),
    positive(fields),
  ];
  fields.end();
  const bits = bitLength(n);
  const key: RsaPrivate = { n, e, bits, p, q, dp, dq, qInverse };
  if (p * q !== n || (e * dp) % (p - 1n) !== 1n || (e * dq) % (q - 1n) !== 1n || (qInverse * q) % p !== 1n) {
    throw new Error('an RSA key whose numbers do not fit together');
  }
  const rejection = digest('SHA-256', concat(Buffer.from('countersign implicit rejection'), pkcs8));
  return new JsKey({ kind: 'RSA', bits }, 'private', ['sign', 'unwrapKey'], {
    type: 'rsa-private',
    engine: new RsaEngine(key, random),
    rejection,
  });
}

function ecPrivate(curve: CurveName, der: Uint8Array): KeyHandle {
  const fields = childrenOf(readOne(der, tags.sequence));
  if (smallInteger(fields.take(tags.integer)) !== 1) throw new Error('an unknown version of an EC key');
  const digits = fields.take(tags.octetString).value;
  const size = Math.ceil(bitsOf(curve) / 8);
  if (digits.length > size) throw new Error('an EC key longer than its curve');
  const bytes = concat(new Uint8Array(size - digits.length), digits);
  if (!curves[curve].utils.isValidSecretKey(bytes)) throw new Error('an EC key out of range');
  return new JsKey({ kind: 'EC', bits: bitsOf(curve), curve }, 'private', ['sign'], {
    type: 'ec-private',
    curve,
    bytes,
  });
}
