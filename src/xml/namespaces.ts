import { ATOM_NONE, ATOM_XML, ATOM_XML_URI, ATOM_XMLNS, ATOM_XMLNS_URI, type Atoms } from './atoms.js';
import { malformed } from './refusal.js';
import { ATOM_END, ATOM_ESCAPED, ATOM_RELATIVE, ATOM_SHIFT, ATOM_START, ATOM_URI } from './tables.js';

/** Namespaces in XML 1.0 §3: what may be declared for the reserved prefixes and names, and what may not. */
export function refuseReserved(prefix: number, uri: number, offset: number): void {
  if (prefix === ATOM_XMLNS) throw malformed('the prefix "xmlns" is declared', offset);
  if ((prefix === ATOM_XML) !== (uri === ATOM_XML_URI)) {
    throw malformed('the prefix "xml" or its namespace is declared otherwise', offset);
  }
  if (uri === ATOM_XMLNS_URI) throw malformed('a prefix is bound to the namespace of declarations', offset);
  if (prefix !== ATOM_NONE && uri === ATOM_NONE) throw malformed('a prefix is bound to nothing', offset);
}

/**
 * What canonical form must know about a namespace name: whether it is relative, whether it must be escaped.
 *
 * @param verbatim the declaration is written as canonical form writes it: nothing needs escaping
 */
export function uriFlags(atoms: Atoms, atom: number, verbatim: boolean): number {
  const bytes = atoms.bytesOf(atom);
  const row = atom << ATOM_SHIFT;
  const start = atoms.rows[row + ATOM_START] as number;
  const end = atoms.rows[row + ATOM_END] as number;
  let escaped = 0;
  for (let at = start; at < end && !verbatim; at++) {
    const byte = bytes[at] as number;
    if (byte === 0x26 || byte === 0x3c || byte === 0x22 || byte < 0x20) escaped = ATOM_ESCAPED;
  }
  const relative = end > start && !hasScheme(bytes, start, end);
  return ATOM_URI | escaped | (relative ? ATOM_RELATIVE : 0);
}

/** A scheme is a letter, then letters, digits, `+`, `-`, `.`, up to a colon (RFC 3986 §3.1). */
function hasScheme(bytes: Buffer, start: number, end: number): boolean {
  let at = start;
  while (at < end && isSchemeByte(bytes[at] as number, at === start)) at++;
  return at > start && bytes[at] === 0x3a && at < end;
}

function isSchemeByte(byte: number, first: boolean): boolean {
  const letter = byte | 0x20;
  if (letter >= 0x61 && letter <= 0x7a) return true;
  return !first && ((byte >= 0x30 && byte <= 0x39) || byte === 0x2b || byte === 0x2d || byte === 0x2e);
}
