import { isUtf8 } from 'node:buffer';
import { declarationEnd } from './markup.js';
import { refusal } from './refusal.js';

/** Bytes to parse. */
export interface Encoded {
  readonly bytes: Buffer;
  /** Offset after byte order mark and XML declaration. */
  readonly start: number;
  /** The bytes are not those that came: UTF-16 was turned into UTF-8. */
  readonly transcoded: boolean;
}

/**
 * Looks at byte order mark, encoding and XML declaration. Nothing is ever replaced: bytes that are not valid are refused.
 *
 * @throws XML_ENCODING XML_NOT_WELL_FORMED
 */
export function readEncoding(input: Uint8Array, utf16: boolean): Encoded {
  const bytes = asBuffer(input);
  // Destructuring would go through an iterator.
  const first = bytes[0];
  const second = bytes[1];
  const little = first === 0xff && second === 0xfe;
  if (little || (first === 0xfe && second === 0xff)) {
    if (!utf16) throw refusal('XML_ENCODING', 'UTF-16 is not accepted', 0);
    const text = transcode(bytes.subarray(2), little);
    // The declaration speaks of UTF-16 and goes with it.
    const start = declarationEnd(text, 0, ['utf-16', little ? 'utf-16le' : 'utf-16be']);
    return { bytes: text.subarray(start), start: 0, transcoded: true };
  }
  // A null byte among the first two is UTF-16 or UTF-32 without a mark (XML 1.0 appendix F).
  if (first === 0 || second === 0) throw refusal('XML_ENCODING', 'the message is not UTF-8', 0);
  if (!isUtf8(bytes)) throw refusal('XML_ENCODING', 'the message is not valid UTF-8', 0);
  const mark = first === 0xef && second === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  return { bytes, start: declarationEnd(bytes, mark, ['utf-8']), transcoded: false };
}

/** A Buffer over the same memory. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function transcode(bytes: Buffer, little: boolean): Buffer {
  if (bytes.length % 2 !== 0)
    throw refusal('XML_ENCODING', 'the message ends within a character', bytes.length);
  const ordered = little ? bytes : Buffer.from(bytes).swap16();
  let text: string;
  try {
    text = new TextDecoder('utf-16le', { fatal: true, ignoreBOM: true }).decode(ordered);
  } catch {
    throw refusal('XML_ENCODING', 'the message is not valid UTF-16', 0);
  }
  return Buffer.from(text);
}
