/**
 * Byte helpers that every layer shares. Base64 is strict and never goes through a string of more than 64 KB:
 * longer ones land in V8's large-object space and cost milliseconds (perf/README.md).
 */
import type { Scratch } from './buffers.js';

/** 48 KiB: divisible by 3, so that base64 pieces join, and by 16, so that cipher blocks do. */
export const PIECE: number = 49_152;

export const EMPTY: Uint8Array = new Uint8Array(0);

/** A view of the same bytes with Buffer's methods. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Joins `parts` into one new array. */
export function concat(...parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const joined = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}

/** Whether `a` and `b` are equal. For values that are not secret. */
export function equal(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && asBuffer(a).equals(b);
}

/** Whether `a` and `b` are equal, in time that depends on their lengths only. */
export function equalConstantTime(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let index = 0; index < a.length; index++) difference |= (a[index] ?? 0) ^ (b[index] ?? 0);
  return difference === 0;
}

/** Overwrites secrets that are no longer needed. */
export function wipe(bytes: Uint8Array): void {
  bytes.fill(0);
}

/** Lower-case hexadecimal. */
export function toHex(bytes: Uint8Array): string {
  return asBuffer(bytes).toString('hex');
}

/** Characters that the base64 of `length` bytes takes. */
export function base64Length(length: number): number {
  return Math.ceil(length / 3) * 4;
}

/**
 * Writes the base64 of `bytes` into `target`, without line breaks.
 *
 * @returns the offset after the last character
 */
export function writeBase64(bytes: Uint8Array, target: Uint8Array, offset = 0): number {
  const from = asBuffer(bytes);
  const to = asBuffer(target);
  let at = offset;
  for (let start = 0; start < from.length; start += PIECE) {
    const end = Math.min(start + PIECE, from.length);
    at += to.write(from.toString('base64', start, end), at, 'latin1');
  }
  return at;
}

const PAD = 64;
const SPACE = 65;
const INVALID = 255;
const PAD_CHARACTER = 0x3d;
/** Below this, strings cost more than they save. */
const SHORT = 1024;

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

const values: Uint8Array = (() => {
  const table = new Uint8Array(256).fill(INVALID);
  for (let value = 0; value < alphabet.length; value++) table[alphabet.charCodeAt(value)] = value;
  table[PAD_CHARACTER] = PAD;
  for (const space of [0x20, 0x09, 0x0a, 0x0d]) table[space] = SPACE;
  return table;
})();

/**
 * Reads base64 as xsd:base64Binary defines it (XML Schema part 2 §3.2.16): white space may stand anywhere, the last
 * group must be padded and its unused bits must be zero, nothing else is accepted. Node's own decoder skips junk.
 *
 * @param text ASCII bytes, or a short string
 * @param scratch where the octets go, if not into memory of their own
 * @returns undefined when `text` is not valid
 */
export function decodeBase64(text: Uint8Array | string, scratch?: Scratch): Uint8Array | undefined {
  const source = typeof text === 'string' ? Buffer.from(text, 'utf8') : text;
  const decoder = new Base64Decoder(source.length, scratch);
  return decoder.write(source) ? decoder.end() : undefined;
}

/** Decodes base64 that comes in pieces (a text with markup or line breaks between). */
export class Base64Decoder {
  readonly #target: Uint8Array;
  #length = 0;
  /** Characters of the group that is not complete yet. */
  #bits = 0;
  #count = 0;
  #pads = 0;

  /**
   * @param characters upper bound of the characters that will come
   * @param scratch where the octets go, if not into memory of their own
   */
  constructor(characters: number, scratch?: Scratch) {
    const size = Math.ceil((characters * 3) / 4) + 3;
    this.#target = scratch === undefined ? Buffer.allocUnsafe(size) : scratch.take(size);
  }

  /** @returns false when a character is not allowed where it stands; the decoder is of no use then */
  write(source: Uint8Array): boolean {
    let index = this.#pieces(source);
    while (index < source.length) {
      if (this.#count === 0 && this.#pads === 0) index = this.#groups(source, index);
      const character = source[index];
      if (character === undefined) break;
      index++;
      const value = values[character] ?? INVALID;
      if (value === SPACE) continue;
      if (!this.#character(value)) return false;
    }
    return true;
  }

  /** @returns the bytes, or undefined when the last group is not complete */
  end(): Uint8Array | undefined {
    return this.#count === 0 ? this.#target.subarray(0, this.#length) : undefined;
  }

  /**
   * Long runs without white space, by Node's decoder, which is several times as fast: what it made is encoded again and
   * must be the very text, so that nothing it skips or forgives goes through. @returns where it had to stop
   */
  #pieces(source: Uint8Array): number {
    if (this.#count > 0 || this.#pads > 0 || source.length < SHORT) return 0;
    const text = asBuffer(source);
    const target = asBuffer(this.#target);
    let start = 0;
    while (source.length - start >= 4) {
      // Never the last group: padding may only stand there.
      const end = Math.min(start + PIECE, source.length - (source.length % 4) - 4);
      if (end <= start || source[end - 1] === PAD_CHARACTER) break;
      const piece = text.toString('latin1', start, end);
      const length = target.write(piece, this.#length, 'base64');
      if (target.toString('base64', this.#length, this.#length + length) !== piece) break;
      this.#length += length;
      start = end;
    }
    return start;
  }

  /** Whole groups without white space: nearly all of any text. @returns where it had to stop */
  #groups(source: Uint8Array, start: number): number {
    const target = this.#target;
    const end = source.length - 3;
    let at = this.#length;
    let index = start;
    for (; index < end; index += 4) {
      const a = values[source[index] ?? 0] ?? INVALID;
      const b = values[source[index + 1] ?? 0] ?? INVALID;
      const c = values[source[index + 2] ?? 0] ?? INVALID;
      const d = values[source[index + 3] ?? 0] ?? INVALID;
      if ((a | b | c | d) >= PAD) break;
      target[at] = (a << 2) | (b >> 4);
      target[at + 1] = (b << 4) | (c >> 2);
      target[at + 2] = (c << 6) | d;
      at += 3;
    }
    this.#length = at;
    return index;
  }

  #character(value: number): boolean {
    if (value === PAD) {
      if (this.#count < 2) return false;
      this.#pads++;
      this.#bits <<= 6;
    } else {
      if (value === INVALID || this.#pads > 0) return false;
      this.#bits = (this.#bits << 6) | value;
    }
    this.#count++;
    return this.#count < 4 || this.#endGroup();
  }

  #endGroup(): boolean {
    const bits = this.#bits;
    if ((this.#pads === 1 && (bits & 0xff) !== 0) || (this.#pads === 2 && (bits & 0xffff) !== 0))
      return false;
    const target = this.#target;
    target[this.#length] = bits >> 16;
    target[this.#length + 1] = (bits >> 8) & 0xff;
    target[this.#length + 2] = bits & 0xff;
    this.#length += 3 - this.#pads;
    this.#bits = 0;
    this.#count = 0;
    return true;
  }
}
