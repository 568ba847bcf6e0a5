/**
 * EME-OAEP (RFC 8017 §7.1) with the label hash and the MGF1 hash apart, as XML Encryption 1.1 §5.5.2 allows and
 * node:crypto and SoftHSM do not: for use around a raw RSA operation.
 */
import { EMPTY } from '../../core/bytes.js';
import type { DigestFunction, HashName, RandomSource } from '../../core/contracts.js';
import { decryptFailed } from '../failures.js';
import { maskIfZero } from './constant-time.js';
import { hashLengths, xorMgf1 } from './mgf.js';

/** The parameters of one use. */
export interface OaepParameters {
  readonly hash: HashName;
  readonly mgfHash: HashName;
  readonly label?: Uint8Array;
}

/** The longest message that fits a modulus of `size` bytes; below 0 when not even an empty one does. */
export function oaepCapacity(size: number, hash: HashName): number {
  return size - 2 * hashLengths[hash] - 2;
}

/**
 * @param size length of the modulus in bytes
 * @returns the encoded block, `size` bytes
 * @throws RangeError when `message` is too long for the modulus
 */
export function encodeOaep(
  message: Uint8Array,
  size: number,
  parameters: OaepParameters,
  tools: { readonly digest: DigestFunction; readonly random: RandomSource },
): Uint8Array {
  const { hash, mgfHash, label = EMPTY } = parameters;
  const length = hashLengths[hash];
  if (message.length > oaepCapacity(size, hash)) throw new RangeError('the key is too short for the message');
  const block = new Uint8Array(size);
  const seed = block.subarray(1, 1 + length);
  const data = block.subarray(1 + length);
  seed.set(tools.random.bytes(length));
  data.set(tools.digest(hash, label));
  data[data.length - message.length - 1] = 1;
  data.set(message, data.length - message.length);
  xorMgf1(tools.digest, mgfHash, seed, data);
  xorMgf1(tools.digest, mgfHash, data, seed);
  return block;
}

/**
 * Undoes the encoding. The caller knows how long the message must be, so every byte has a fixed place and the check
 * has no branch and no look-up that depends on the secret (Manger's attack: all failures are one, in one time).
 * `block` is overwritten.
 *
 * @param expected length of the message in bytes
 * @throws CountersignError DECRYPT_FAILED
 */
export function decodeOaep(
  block: Uint8Array,
  expected: number,
  parameters: OaepParameters,
  digest: DigestFunction,
): Uint8Array {
  const { hash, mgfHash, label = EMPTY } = parameters;
  const length = hashLengths[hash];
  if (expected > oaepCapacity(block.length, hash)) throw decryptFailed();
  const seed = block.subarray(1, 1 + length);
  const data = block.subarray(1 + length);
  xorMgf1(digest, mgfHash, data, seed);
  xorMgf1(digest, mgfHash, seed, data);
  const labelHash = digest(hash, label);
  const start = data.length - expected;
  let bad = block[0] ?? 1;
  for (let index = 0; index < length; index++) bad |= (data[index] ?? 0) ^ (labelHash[index] ?? 0);
  for (let index = length; index < start - 1; index++) bad |= data[index] ?? 1;
  bad |= (data[start - 1] ?? 0) ^ 1;
  const message = new Uint8Array(data.subarray(start));
  block.fill(0);
  if (maskIfZero(bad) === 0) {
    message.fill(0);
    throw decryptFailed();
  }
  return message;
}
