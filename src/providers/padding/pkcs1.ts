/** RSAES-PKCS1-v1_5 and EMSA-PKCS1-v1_5 (RFC 8017 §7.2, §9.2) around a raw RSA operation. */
import { concat } from '../../core/bytes.js';
import type { DigestFunction, HashName, RandomSource } from '../../core/contracts.js';
import { choose, maskIfZero } from './constant-time.js';
import { hashLengths } from './mgf.js';

/** Bytes that the padding takes at least. */
const OVERHEAD = 11;

/** Last arc of the hash's OID under 2.16.840.1.101.3.4.2 (NIST); SHA-1 has an OID of its own. */
const nistArcs: Readonly<Partial<Record<HashName, number>>> = {
  'SHA-224': 4,
  'SHA-256': 1,
  'SHA-384': 2,
  'SHA-512': 3,
  'SHA3-224': 7,
  'SHA3-256': 8,
  'SHA3-384': 9,
  'SHA3-512': 10,
};
const sha1Oid = [0x2b, 0x0e, 0x03, 0x02, 0x1a];
const nistOid = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02];

/** DER of the DigestInfo with `value` in it (RFC 8017 §9.2 note 1: parameters are NULL). */
export function digestInfo(hash: HashName, value: Uint8Array): Uint8Array {
  const arc = nistArcs[hash];
  const oid = arc === undefined ? sha1Oid : [...nistOid, arc];
  const algorithm = [0x30, oid.length + 4, 0x06, oid.length, ...oid, 0x05, 0x00];
  const octets = [0x04, value.length];
  const body = algorithm.length + octets.length + value.length;
  return concat(Uint8Array.from([0x30, body, ...algorithm, ...octets]), value);
}

/**
 * EMSA-PKCS1-v1_5.
 *
 * @returns undefined when the modulus is too short
 */
export function encodeSignature(hash: HashName, digest: Uint8Array, size: number): Uint8Array | undefined {
  const info = digestInfo(hash, digest);
  if (size < info.length + OVERHEAD) return undefined;
  const block = new Uint8Array(size).fill(0xff);
  block[0] = 0;
  block[1] = 1;
  block[size - info.length - 1] = 0;
  block.set(info, size - info.length);
  return block;
}

/** RSAES-PKCS1-v1_5 encoding. @throws RangeError when `message` is too long */
export function encodeEncryption(message: Uint8Array, size: number, random: RandomSource): Uint8Array {
  const padding = size - message.length - 3;
  if (padding < 8) throw new RangeError('the key is too short for the message');
  const block = new Uint8Array(size);
  block[1] = 2;
  block.set(message, size - message.length);
  for (let filled = 0; filled < padding;) {
    for (const byte of random.bytes(padding - filled)) {
      if (byte !== 0) block[2 + filled++] = byte;
    }
  }
  return block;
}

/**
 * Undoes RSAES-PKCS1-v1_5 with implicit rejection: a wrong padding gives a key that looks like any other, the same
 * one each time, so that nobody learns that the padding was wrong (Bleichenbacher's attack). No branch and no
 * look-up depends on the block. `block` is overwritten.
 *
 * @param expected length of the message in bytes
 * @param substitute the bytes that stand in when the padding is wrong, `expected` bytes
 */
export function decodeEncryption(block: Uint8Array, expected: number, substitute: Uint8Array): Uint8Array {
  const start = block.length - expected;
  let bad = (block[0] ?? 1) | ((block[1] ?? 0) ^ 2) | (block[start - 1] ?? 1);
  for (let index = 2; index < start - 1; index++) bad |= maskIfZero(block[index] ?? 0);
  // At least 8 bytes of padding; lengths are public.
  bad |= start - 3 < 8 ? 1 : 0;
  const good = maskIfZero(bad & 0xff);
  const message = new Uint8Array(expected);
  for (let index = 0; index < expected; index++) {
    message[index] = choose(good, block[start + index] ?? 0, substitute[index] ?? 0);
  }
  block.fill(0);
  return message;
}

/**
 * The key that stands in for one that cannot be unwrapped: derived from a secret of the private key and from the
 * ciphertext, so that the same ciphertext always gives the same key.
 *
 * @param secret at least 32 bytes that only the holder of the private key knows
 */
export function substituteKey(
  digest: DigestFunction,
  secret: Uint8Array,
  wrapped: Uint8Array,
  length: number,
): Uint8Array {
  const key = new Uint8Array(length);
  const step = hashLengths['SHA-256'];
  for (let start = 0, count = 0; start < length; start += step, count++) {
    const inner = digest('SHA-256', concat(Uint8Array.of(count), secret, wrapped));
    const outer = digest('SHA-256', concat(secret, inner));
    key.set(outer.subarray(0, Math.min(step, length - start)), start);
  }
  return key;
}
