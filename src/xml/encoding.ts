import { isUtf8 } from 'node:buffer';
import { refusal } from './refusal.js';

/** Bytes to parse, and which encodings their XML declaration may name. */
export interface Encoded {
  readonly bytes: Buffer;
  /** Offset after the byte order mark. */
  readonly start: number;
  readonly encodings: readonly string[];
  /** The bytes are not those that came: UTF-16 was turned into UTF-8. */
  readonly transcoded: boolean;
}

/**
 * Looks at byte order mark and encoding. Nothing is ever replaced: bytes that are not valid are refused.
 *
 * @throws XML_ENCODING
 */
export function readEncoding(input: Uint8Array, utf16: boolean): Encoded {
  const bytes = asBuffer(input);
  const [first, second] = bytes;
  const little = first === 0xff && second === 0xfe;
  if (little || (first === 0xfe && second === 0xff)) {
    if (!utf16) throw refusal('XML_ENCODING', 'UTF-16 is not accepted', 0);
    return {
      bytes: transcode(bytes.subarray(2), little),
      start: 0,
      encodings: ['utf-16', little ? 'utf-16le' : 'utf-16be'],
      transcoded: true,
    };
  }
  // A null byte among the first two is UTF-16 or UTF-32 without a mark (XML 1.0 appendix F).
  if (first === 0 || second === 0) throw refusal('XML_ENCODING', 'the message is not UTF-8', 0);
  if (!isUtf8(bytes)) throw refusal('XML_ENCODING', 'the message is not valid UTF-8', 0);
  const mark = first === 0xef && second === 0xbb && bytes[2] === 0xbf;
  return { bytes, start: mark ? 3 : 0, encodings: ['utf-8'], transcoded: false };
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
