/** The key derivation of PKCS#12 (RFC 7292 appendix B). */
import { concat } from '../../core/bytes.js';
import type { HashName } from '../../core/contracts.js';
import { fileDigest } from '../openssl/key-files.js';

export interface Pkcs12Derivation {
  /** 1 = key, 2 = IV, 3 = MAC key (appendix B.3). */
  readonly id: number;
  /** From `bmpPassword`. */
  readonly password: Uint8Array;
  readonly salt: Uint8Array;
  readonly iterations: number;
  /** Bytes wanted. */
  readonly length: number;
}

/** The password as UTF-16BE with a terminating zero character (appendix B.1). */
export function bmpPassword(password: string): Uint8Array {
  return Buffer.from(`${password}\0`, 'utf16le').swap16();
}

/** Appendix B.2, its step numbers in the comments. */
export function pkcs12Derive(hash: HashName, derivation: Pkcs12Derivation): Uint8Array {
  const { id, password, salt, iterations, length } = derivation;
  const block = hash === 'SHA-384' || hash === 'SHA-512' ? 128 : 64;
  // 1 to 4
  const diversifier = new Uint8Array(block).fill(id);
  const input = concat(fillBlocks(salt, block), fillBlocks(password, block));
  const out: Uint8Array[] = [];
  for (let have = 0; have < length;) {
    // 6 A
    let chunk = fileDigest(hash, concat(diversifier, input));
    for (let round = 1; round < iterations; round += 1) chunk = fileDigest(hash, chunk);
    out.push(chunk);
    have += chunk.length;
    // 6 B, C
    const addend = repeat(chunk, block);
    for (let at = 0; at < input.length; at += block) addOnePlus(input.subarray(at, at + block), addend);
  }
  return concat(...out).subarray(0, length);
}

/** `block += addend + 1`, big-endian, modulo its size. */
function addOnePlus(block: Uint8Array, addend: Uint8Array): void {
  let carry = 1;
  for (let at = block.length - 1; at >= 0; at -= 1) {
    carry += (block[at] ?? 0) + (addend[at] ?? 0);
    block[at] = carry & 0xff;
    carry >>= 8;
  }
}

function fillBlocks(bytes: Uint8Array, block: number): Uint8Array {
  return repeat(bytes, Math.ceil(bytes.length / block) * block);
}

function repeat(bytes: Uint8Array, length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, index) => bytes[index % bytes.length] ?? 0);
}
