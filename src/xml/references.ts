import { isChar } from './chars.js';
import { startsWith } from './markup.js';
import { malformed } from './refusal.js';

/**
 * The code point of the reference that begins at `start` and ends before `end`.
 *
 * @throws XML_NOT_WELL_FORMED for an unknown entity, a malformed reference or a forbidden character (XML 1.0 §4.1)
 */
export function referenceValue(bytes: Buffer, start: number, end: number): number {
  if (bytes[start + 1] === 0x23) return characterReference(bytes, start, end);
  const point = predefined(bytes, start + 1, end - start - 2);
  if (point === 0) throw malformed('an entity that is not one of the five predefined ones is used', start);
  return point;
}

/** The character of a predefined entity (XML 1.0 §4.6), or 0. */
function predefined(bytes: Buffer, at: number, length: number): number {
  switch (length) {
    case 2:
      if (startsWith(bytes, at, 'lt')) return 0x3c;
      return startsWith(bytes, at, 'gt') ? 0x3e : 0;
    case 3:
      return startsWith(bytes, at, 'amp') ? 0x26 : 0;
    case 4:
      if (startsWith(bytes, at, 'quot')) return 0x22;
      return startsWith(bytes, at, 'apos') ? 0x27 : 0;
    default:
      return 0;
  }
}

/** The offset after the reference that begins at `start`; `limit` ends the text it stands in. */
export function referenceEnd(bytes: Buffer, start: number, limit: number): number {
  for (let at = start + 1; at < limit; at++) {
    const byte = bytes[at] as number;
    if (byte === 0x3b) return at + 1;
    if (byte <= 0x20 || byte === 0x3c || byte === 0x26) break;
  }
  throw malformed('a reference is not closed', start);
}

function characterReference(bytes: Buffer, start: number, end: number): number {
  const hexadecimal = bytes[start + 2] === 0x78;
  const radix = hexadecimal ? 16 : 10;
  const from = start + (hexadecimal ? 3 : 2);
  let point = from < end - 1 ? 0 : -1;
  for (let at = from; at < end - 1 && point >= 0; at++) {
    const digit = digitValue(bytes[at] as number);
    point = digit < radix && point <= 0x10ffff ? point * radix + digit : -1;
  }
  if (point < 0 || !isChar(point)) throw malformed('a character reference names no character of XML', start);
  return point;
}

function digitValue(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : 99;
}

/** Whether canonical form writes this reference in text just so (Canonical XML 1.0 §2.3, text nodes). */
export function canonicalInText(bytes: Buffer, start: number, end: number, point: number): boolean {
  if (bytes[start + 1] !== 0x23) return point === 0x26 || point === 0x3c || point === 0x3e;
  return end - start === 5 && point === 0x0d && bytes[start + 2] === 0x78 && bytes[start + 3] === 0x44;
}

/** Whether canonical form writes this reference in an attribute value just so. */
export function canonicalInValue(bytes: Buffer, start: number, end: number, point: number): boolean {
  if (bytes[start + 1] !== 0x23) return point === 0x26 || point === 0x3c || point === 0x22;
  if (end - start !== 5 || bytes[start + 2] !== 0x78) return false;
  const digit = bytes[start + 3];
  return (
    (point === 0x0d && digit === 0x44) ||
    (point === 0x0a && digit === 0x41) ||
    (point === 0x09 && digit === 0x39)
  );
}

/** Writes a code point as UTF-8; returns the offset after it. */
export function putCodePoint(target: Uint8Array, at: number, point: number): number {
  if (point < 0x80) {
    target[at] = point;
    return at + 1;
  }
  if (point < 0x800) {
    target[at] = 0xc0 | (point >> 6);
    target[at + 1] = 0x80 | (point & 0x3f);
    return at + 2;
  }
  if (point < 0x10000) {
    target[at] = 0xe0 | (point >> 12);
    target[at + 1] = 0x80 | ((point >> 6) & 0x3f);
    target[at + 2] = 0x80 | (point & 0x3f);
    return at + 3;
  }
  target[at] = 0xf0 | (point >> 18);
  target[at + 1] = 0x80 | ((point >> 12) & 0x3f);
  target[at + 2] = 0x80 | ((point >> 6) & 0x3f);
  target[at + 3] = 0x80 | (point & 0x3f);
  return at + 4;
}

/**
 * The value that text or an attribute value stands for, in UTF-8: references resolved, line ends and (in attributes)
 * white space normalised (XML 1.0 §2.11, §3.3.3). The bytes must have been parsed already.
 */
export function decode(bytes: Buffer, start: number, end: number, where: 'text' | 'value'): Buffer {
  const target = Buffer.allocUnsafe(end - start);
  let to = 0;
  for (let at = start; at < end;) {
    const byte = bytes[at] as number;
    if (byte === 0x26) {
      const after = referenceEnd(bytes, at, end);
      to = putCodePoint(target, to, referenceValue(bytes, at, after));
      at = after;
      continue;
    }
    if (byte === 0x0d) {
      if (bytes[at + 1] !== 0x0a || at + 1 === end) target[to++] = where === 'text' ? 0x0a : 0x20;
    } else if (where === 'value' && (byte === 0x0a || byte === 0x09)) {
      target[to++] = 0x20;
    } else {
      target[to++] = byte;
    }
    at++;
  }
  return target.subarray(0, to);
}
