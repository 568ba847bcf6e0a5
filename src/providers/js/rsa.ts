/**
 * RSA on BigInt: a private operation takes an eighth of node-forge's time (docs/adr/0013). BigInt arithmetic is not
 * constant-time, so every private operation is blinded, the exponents are walked in fixed windows that always
 * multiply, and the result is checked with the public key (a fault in one CRT half would give the key away).
 */
import type { RandomSource } from '../../core/contracts.js';

export interface RsaPublic {
  readonly n: bigint;
  readonly e: bigint;
  readonly bits: number;
}

/** RFC 8017 §3.2, two primes. */
export interface RsaPrivate extends RsaPublic {
  readonly p: bigint;
  readonly q: bigint;
  readonly dp: bigint;
  readonly dq: bigint;
  readonly qInverse: bigint;
}

export function bigFromBytes(bytes: Uint8Array): bigint {
  return bytes.length === 0
    ? 0n
    : BigInt(`0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`);
}

/** Big-endian, exactly `size` bytes. */
export function bytesFromBig(value: bigint, size: number): Uint8Array {
  return Buffer.from(value.toString(16).padStart(2 * size, '0'), 'hex');
}

export function bitLength(value: bigint): number {
  return value === 0n ? 0 : value.toString(2).length;
}

const WINDOW = 5n;
const BASE = 32;

/** base^exponent mod modulus; the sequence of operations depends on the length of the exponent only. */
function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  const powers = [1n];
  for (let last = 1n; powers.length < BASE;) powers.push((last = (last * base) % modulus));
  let result = 1n;
  for (const digit of exponent.toString(BASE)) {
    for (let bit = 0n; bit < WINDOW; bit++) result = (result * result) % modulus;
    result = (result * (powers[Number.parseInt(digit, BASE)] ?? 1n)) % modulus;
  }
  return result;
}

/** Square and multiply, for public exponents. */
function publicPower(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n;
  let square = base;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = (result * square) % modulus;
    square = (square * square) % modulus;
  }
  return result;
}

/** @returns undefined when `block` is not as long as the modulus or not below it */
export function rawPublic(key: RsaPublic, block: Uint8Array): Uint8Array | undefined {
  const size = Math.ceil(key.bits / 8);
  const value = bigFromBytes(block);
  if (block.length !== size || value >= key.n) return undefined;
  return bytesFromBig(publicPower(value, key.e, key.n), size);
}

function inverse(value: bigint, modulus: bigint): bigint | undefined {
  let [a, b] = [value % modulus, modulus];
  let [x, y] = [1n, 0n];
  while (b !== 0n) {
    const quotient = a / b;
    [a, b] = [b, a - quotient * b];
    [x, y] = [y, x - quotient * y];
  }
  return a === 1n ? ((x % modulus) + modulus) % modulus : undefined;
}

/** Uses of one blinding pair, squared from use to use, before a fresh one is drawn. */
const BLINDING_USES = 32;

/** The private operation of one key, with its blinding. */
export class RsaEngine {
  readonly #key: RsaPrivate;
  readonly #random: RandomSource;
  #blind = 0n;
  #unblind = 0n;
  #uses = BLINDING_USES;

  constructor(key: RsaPrivate, random: RandomSource) {
    this.#key = key;
    this.#random = random;
  }

  /**
   * x^d mod n.
   *
   * @returns undefined when `block` is not as long as the modulus or not below it
   * @throws Error when the result does not check
   */
  run(block: Uint8Array): Uint8Array | undefined {
    const { n, e, bits, p, q, dp, dq, qInverse } = this.#key;
    const size = Math.ceil(bits / 8);
    const value = bigFromBytes(block);
    if (block.length !== size || value >= n) return undefined;
    this.#turn();
    const blinded = (value * this.#blind) % n;
    const one = power(blinded % p, dp, p);
    const two = power(blinded % q, dq, q);
    const difference = (((one - two) * qInverse) % p) + p;
    const result = ((two + q * (difference % p)) * this.#unblind) % n;
    if (publicPower(result, e, n) !== value) throw new Error('an RSA result does not check');
    return bytesFromBig(result, size);
  }

  #turn(): void {
    const { n, e, bits } = this.#key;
    if (this.#uses < BLINDING_USES) {
      this.#uses++;
      this.#blind = (this.#blind * this.#blind) % n;
      this.#unblind = (this.#unblind * this.#unblind) % n;
      return;
    }
    for (;;) {
      const factor = bigFromBytes(this.#random.bytes(Math.ceil(bits / 8) + 8)) % n;
      const inverted = inverse(factor, n);
      if (inverted === undefined) continue;
      this.#blind = publicPower(factor, e, n);
      this.#unblind = inverted;
      this.#uses = 1;
      return;
    }
  }
}
