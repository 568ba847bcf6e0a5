import { CountersignError } from '../core/errors.js';

/** Bounds of one message (research/security.md §5.1). */
const MAX_PARTS = 50;
const MAX_HEADER_LINES = 50;
const MAX_HEADERS = 15_000;
const MAX_BOUNDARY = 70;

const CR = 0x0d;
const LF = 0x0a;
const DASH = 0x2d;

/** One body part, as offsets into the message. */
export interface RelatedPart {
  /** Lower-case names. A name that comes twice is refused. */
  readonly headers: ReadonlyMap<string, string>;
  readonly start: number;
  readonly end: number;
}

export interface RelatedMessage {
  readonly parts: readonly RelatedPart[];
  readonly root: RelatedPart;
}

/**
 * Finds the parts of a multipart/related body (RFC 2387, RFC 2046 §5.1). Strict: the first delimiter opens the body, lines
 * end with CRLF, the closing delimiter is there, and exactly one part is the root.
 *
 * @param parameters of the Content-Type: `boundary`, and `start` where the root is not the first part
 * @throws CountersignError MIME_MALFORMED
 */
export function readRelated(bytes: Buffer, parameters: ReadonlyMap<string, string>): RelatedMessage {
  const boundary = parameters.get('boundary') ?? '';
  if (
    boundary === '' ||
    boundary.length > MAX_BOUNDARY ||
    !/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(boundary)
  ) {
    throw malformed('the boundary is missing or malformed');
  }
  const parts = readParts(bytes, Buffer.from(`--${boundary}`, 'latin1'));
  return { parts, root: rootOf(parts, parameters.get('start')) };
}

function readParts(bytes: Buffer, delimiter: Buffer): RelatedPart[] {
  const parts: RelatedPart[] = [];
  let at = openingEnd(bytes, delimiter);
  for (;;) {
    const { headers, end: start } = readHeaders(bytes, at);
    const end = nextDelimiter(bytes, delimiter, start);
    parts.push({ headers, start, end });
    if (parts.length > MAX_PARTS) throw malformed(`there are more than ${MAX_PARTS} parts`);
    at = end + 2 + delimiter.length;
    if (bytes[at] === DASH && bytes[at + 1] === DASH) {
      if (!isBlank(bytes, at + 2)) throw malformed('something follows the last part');
      return parts;
    }
    at = lineEnd(bytes, at);
  }
}

/** Where the line of the first delimiter ends; a preamble, which nobody reads, is refused. */
function openingEnd(bytes: Buffer, delimiter: Buffer): number {
  const from = bytes[0] === CR && bytes[1] === LF ? 2 : 0;
  if (bytes.compare(delimiter, 0, delimiter.length, from, from + delimiter.length) !== 0) {
    throw malformed('the body does not begin with its boundary');
  }
  return lineEnd(bytes, from + delimiter.length);
}

/** Behind the line break that must stand at `at`, after blanks. */
function lineEnd(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at] === 0x20 || bytes[at] === 0x09) at += 1;
  if (bytes[at] !== CR || bytes[at + 1] !== LF) throw malformed('a boundary is followed by something');
  return at + 2;
}

/** Where the content before the next delimiter ends; the line break belongs to the delimiter. */
function nextDelimiter(bytes: Buffer, delimiter: Buffer, from: number): number {
  // An empty part has its delimiter at once: the line break that ends the headers is also its own.
  for (let at = bytes.indexOf(delimiter, from); at >= 0; at = bytes.indexOf(delimiter, at + 1)) {
    if (at - 2 >= from && bytes[at - 2] === CR && bytes[at - 1] === LF) return at - 2;
    // Readers that end lines with LF or CR alone would see a part here that nobody has looked at.
    if (at > from && (bytes[at - 1] === LF || bytes[at - 1] === CR)) {
      throw malformed('a boundary stands behind a line break that is not CRLF');
    }
  }
  throw malformed('a part does not end');
}

function readHeaders(bytes: Buffer, from: number): { headers: Map<string, string>; end: number } {
  const headers = new Map<string, string>();
  let at = from;
  for (let lines = 0; lines <= MAX_HEADER_LINES; lines++) {
    const end = bytes.indexOf('\r\n', at, 'latin1');
    if (end < 0 || end - from > MAX_HEADERS) throw malformed('the headers of a part do not end');
    if (end === at) return { headers, end: end + 2 };
    const line = bytes.toString('latin1', at, end);
    const match = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*$/.exec(line);
    const name = match?.[1]?.toLowerCase();
    if (name === undefined || headers.has(name))
      throw malformed('a header of a part is malformed, or comes twice');
    headers.set(name, match?.[2] ?? '');
    at = end + 2;
  }
  throw malformed('a part has too many headers');
}

function rootOf(parts: readonly RelatedPart[], start: string | undefined): RelatedPart {
  const found =
    start === undefined ? parts.slice(0, 1) : parts.filter(({ headers }) => sameId(headers, start));
  const [root] = found;
  if (root === undefined || found.length > 1)
    throw malformed('the start parameter names no part, or several');
  return root;
}

/** RFC 2387 §3.2 writes the id in angle brackets; some stacks leave them out on one side. */
function sameId(headers: ReadonlyMap<string, string>, start: string): boolean {
  const plain = (id: string): string => id.replace(/^<(.*)>$/, '$1');
  const id = headers.get('content-id');
  return id !== undefined && plain(id) === plain(start);
}

function isBlank(bytes: Buffer, from: number): boolean {
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte !== CR && byte !== LF && byte !== 0x20 && byte !== 0x09) return false;
  }
  return true;
}

const malformed = (message: string): CountersignError => new CountersignError('MIME_MALFORMED', message);
