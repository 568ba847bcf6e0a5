import { crc32, inflateRawSync } from 'node:zlib';
import { CountersignError } from '../core/errors.js';

const MiB = 1024 * 1024;
const HEADER = 10;
const TRAILER = 8;
/** Decoded octets per encoded one, once more than a mebibyte comes out (research/security.md §5.1). */
const RATIO = 100;

const FHCRC = 2;
const FEXTRA = 4;
const FNAME = 8;
const FCOMMENT = 16;

/**
 * Decodes one gzip member (RFC 1952) that is the whole of `bytes`: no second member, nothing after it.
 *
 * @param limit the most octets that may come out
 * @throws CountersignError HTTP_CONTENT_ENCODING, HTTP_TOO_LARGE
 */
export function gunzip(bytes: Buffer, limit: number): Buffer {
  const start = memberStart(bytes);
  const most = Math.min(limit, Math.max(MiB, RATIO * bytes.length));
  const body = bytes.subarray(start);
  const { buffer, consumed } = inflate(body, most);
  const trailer = body.subarray(consumed);
  if (trailer.length !== TRAILER) throw unsound('something follows the gzip member');
  if (trailer.readUInt32LE(0) !== crc32(buffer)) throw unsound('the checksum of the gzip member is wrong');
  if (trailer.readUInt32LE(4) !== buffer.length) throw unsound('the length in the gzip member is wrong');
  return buffer;
}

function inflate(body: Buffer, most: number): { buffer: Buffer; consumed: number } {
  try {
    // With `info` Node returns the engine as well, which knows how much it has taken; the typings do not say so.
    const result: unknown = inflateRawSync(body, { maxOutputLength: most, info: true });
    return inflated(result);
  } catch (error) {
    if (isTooLarge(error)) {
      throw new CountersignError('HTTP_TOO_LARGE', `the decoded body is larger than ${most} bytes`);
    }
    throw unsound('the gzip member cannot be decoded', error);
  }
}

function inflated(result: unknown): { buffer: Buffer; consumed: number } {
  if (typeof result === 'object' && result !== null && 'buffer' in result && 'engine' in result) {
    const { buffer, engine } = result;
    if (
      Buffer.isBuffer(buffer) &&
      typeof engine === 'object' &&
      engine !== null &&
      'bytesWritten' in engine
    ) {
      return { buffer, consumed: Number(engine.bytesWritten) };
    }
  }
  throw new Error('zlib gave no engine');
}

const isTooLarge = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';

/** Where the compressed data begin. */
function memberStart(bytes: Buffer): number {
  if (bytes.length < HEADER + TRAILER || bytes.readUInt16BE(0) !== 0x1f8b || bytes[2] !== 8) {
    throw unsound('the body is not gzip');
  }
  const flags = bytes[3] ?? 0;
  if ((flags & 0xe0) !== 0) throw unsound('the gzip header has unknown flags');
  let at = HEADER;
  if ((flags & FEXTRA) !== 0 && at + 2 <= bytes.length) at += 2 + bytes.readUInt16LE(at);
  if ((flags & FNAME) !== 0) at = afterZero(bytes, at);
  if ((flags & FCOMMENT) !== 0) at = afterZero(bytes, at);
  if ((flags & FHCRC) !== 0) at += 2;
  if (at + TRAILER > bytes.length) throw unsound('the gzip member is cut short');
  return at;
}

function afterZero(bytes: Buffer, from: number): number {
  const at = bytes.indexOf(0, from);
  if (at < 0) throw unsound('the gzip header does not end');
  return at + 1;
}

const unsound = (message: string, cause?: unknown): CountersignError =>
  new CountersignError('HTTP_CONTENT_ENCODING', message, cause === undefined ? {} : { cause });
