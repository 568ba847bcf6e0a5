/**
 * PKCS#12 is BER (RFC 7292 §4): some tools (BouncyCastle, old Windows, NSS) write indefinite lengths and octet strings in
 * pieces. This rewrites such a file with definite lengths and whole octet strings, so that the strict reader reads it.
 */
import { concat } from '../../core/bytes.js';
import { element } from '../../pki/der-writer.js';
import { tags } from '../../pki/der.js';
import { malformed } from './failures.js';

const MAX_DEPTH = 32;

interface Parsed {
  readonly tag: number;
  /** Of a primitive element, or the rewritten content of a constructed one. */
  readonly content: Uint8Array;
  readonly end: number;
}

/** @throws CountersignError KEY_FILE_MALFORMED */
export function toDefinite(bytes: Uint8Array): Uint8Array {
  const parsed = parse(bytes, 0, bytes.length, 0);
  if (parsed.end !== bytes.length) throw malformed('has bytes after its end');
  return element(parsed.tag, parsed.content);
}

function parse(bytes: Uint8Array, start: number, limit: number, depth: number): Parsed {
  const tag = bytes[start];
  const first = bytes[start + 1];
  if (tag === undefined || first === undefined || start + 1 >= limit || depth > MAX_DEPTH) {
    throw malformed('is truncated or nested too deeply');
  }
  if ((tag & 0x1f) === 0x1f) throw malformed('is not a PKCS#12 store');
  const constructed = (tag & 0x20) !== 0;
  if (first === 0x80) {
    if (!constructed) throw malformed('has an indefinite length where none may be');
    return parseChildren(bytes, tag, { at: start + 2, limit, indefinite: true, depth });
  }
  const { length, at } = readLength(bytes, start + 1);
  const end = at + length;
  if (end > limit) throw malformed('is truncated');
  if (!constructed) return { tag, content: bytes.subarray(at, end), end };
  return parseChildren(bytes, tag, { at, limit: end, indefinite: false, depth });
}

function parseChildren(
  bytes: Uint8Array,
  tag: number,
  place: { at: number; limit: number; indefinite: boolean; depth: number },
): Parsed {
  const children: Parsed[] = [];
  let { at } = place;
  for (;;) {
    if (place.indefinite && bytes[at] === 0 && bytes[at + 1] === 0) {
      at += 2;
      break;
    }
    if (!place.indefinite && at === place.limit) break;
    const child = parse(bytes, at, place.limit, place.depth + 1);
    children.push(child);
    at = child.end;
  }
  // A constructed OCTET STRING is its pieces, joined.
  if (tag === (tags.octetString | 0x20)) {
    return { tag: tags.octetString, content: concat(...children.map((child) => child.content)), end: at };
  }
  return { tag, content: concat(...children.map((child) => element(child.tag, child.content))), end: at };
}

function readLength(bytes: Uint8Array, start: number): { length: number; at: number } {
  const first = bytes[start] ?? 0;
  if (first < 0x80) return { length: first, at: start + 1 };
  const count = first & 0x7f;
  if (count > 4) throw malformed('has a length out of range');
  let length = 0;
  for (const octet of bytes.subarray(start + 1, start + 1 + count)) length = length * 256 + octet;
  return { length, at: start + 1 + count };
}
