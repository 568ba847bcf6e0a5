import type { DigestFunction, HashName } from '../../core/contracts.js';

/** Output lengths in bytes. */
export const hashLengths: Readonly<Record<HashName, number>> = Object.freeze({
  'SHA-1': 20,
  'SHA-224': 28,
  'SHA-256': 32,
  'SHA-384': 48,
  'SHA-512': 64,
  'SHA3-224': 28,
  'SHA3-256': 32,
  'SHA3-384': 48,
  'SHA3-512': 64,
});

/** XORs MGF1 of `seed` onto `target` (RFC 8017 §B.2.1). */
export function xorMgf1(digest: DigestFunction, hash: HashName, seed: Uint8Array, target: Uint8Array): void {
  const block = new Uint8Array(seed.length + 4);
  block.set(seed);
  const counter = new DataView(block.buffer, seed.length, 4);
  const step = hashLengths[hash];
  for (let start = 0, count = 0; start < target.length; start += step, count++) {
    counter.setUint32(0, count);
    const mask = digest(hash, block);
    const end = Math.min(step, target.length - start);
    for (let index = 0; index < end; index++) {
      target[start + index] = (target[start + index] ?? 0) ^ (mask[index] ?? 0);
    }
  }
}
