/** EMSA-PSS (RFC 8017 §9.1) around a raw RSA operation. */
import { concat, equalConstantTime } from '../../core/bytes.js';
import type { DigestFunction, HashName, RandomSource } from '../../core/contracts.js';
import { hashLengths, xorMgf1 } from './mgf.js';

/** The parameters of one use. */
export interface PssParameters {
  readonly hash: HashName;
  readonly mgfHash: HashName;
  readonly saltLength: number;
}

const ZEROS = new Uint8Array(8);
const TRAILER = 0xbc;

/**
 * @param bits length of the modulus in bits
 * @returns the block as long as the modulus, or undefined when the modulus is too short
 */
export function encodePss(
  data: Uint8Array,
  bits: number,
  parameters: PssParameters,
  tools: { readonly digest: DigestFunction; readonly random: RandomSource },
): Uint8Array | undefined {
  const { hash, mgfHash, saltLength } = parameters;
  const length = Math.ceil((bits - 1) / 8);
  const hashLength = hashLengths[hash];
  if (length < hashLength + saltLength + 2) return undefined;
  const salt = tools.random.bytes(saltLength);
  const hashed = tools.digest(hash, concat(ZEROS, tools.digest(hash, data), salt));
  const block = new Uint8Array(Math.ceil(bits / 8));
  const encoded = block.subarray(block.length - length);
  const masked = encoded.subarray(0, length - hashLength - 1);
  masked[masked.length - saltLength - 1] = 1;
  masked.set(salt, masked.length - saltLength);
  xorMgf1(tools.digest, mgfHash, hashed, masked);
  masked[0] = (masked[0] ?? 0) & topMask(bits);
  encoded.set(hashed, masked.length);
  encoded[length - 1] = TRAILER;
  return block;
}

/** @param block what the public operation gave, as long as the modulus */
export function verifyPss(
  block: Uint8Array,
  data: Uint8Array,
  bits: number,
  parameters: PssParameters,
  digest: DigestFunction,
): boolean {
  const { hash, mgfHash, saltLength } = parameters;
  const length = Math.ceil((bits - 1) / 8);
  const hashLength = hashLengths[hash];
  if (length < hashLength + saltLength + 2) return false;
  const encoded = new Uint8Array(block.subarray(block.length - length));
  if (block.length > length && block[0] !== 0) return false;
  if (encoded[length - 1] !== TRAILER) return false;
  const masked = encoded.subarray(0, length - hashLength - 1);
  const hashed = encoded.subarray(masked.length, length - 1);
  if (((masked[0] ?? 0) & ~topMask(bits)) !== 0) return false;
  xorMgf1(digest, mgfHash, hashed, masked);
  masked[0] = (masked[0] ?? 0) & topMask(bits);
  const start = masked.length - saltLength;
  for (let index = 0; index < start - 1; index++) if (masked[index] !== 0) return false;
  if (masked[start - 1] !== 1) return false;
  const again = digest(hash, concat(ZEROS, digest(hash, data), masked.subarray(start)));
  return equalConstantTime(again, hashed);
}

/** The bits of the first byte that may be set. */
function topMask(bits: number): number {
  return 0xff >> (8 * Math.ceil((bits - 1) / 8) - (bits - 1));
}
