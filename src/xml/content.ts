import { decodeBase64 } from '../core/bytes.js';
import { CountersignError } from '../core/errors.js';

import { isBlank } from './chars.js';
import { contentRange, editsWithin, wholeRange, type Range } from './edits.js';
import { decode } from './references.js';
import { refusal } from './refusal.js';
import {
  END,
  FIRST,
  LAST,
  MARK_CDATA,
  MARK_END,
  MARK_KIND,
  MARK_SHIFT,
  MARK_START,
  MARK_TEXT,
  START,
} from './tables.js';
import { NONE, type NodeId, type Source, type Tree } from './tree.js';

/** A stretch of direct text of an element. */
interface Piece {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  /** Needs decoding: references or line ends. */
  readonly coded: boolean;
}

/**
 * The text of an element that holds nothing but text.
 *
 * @throws XML_NOT_TEXT for a child element, a comment, an instruction or CDATA (research/security.md XSW-13)
 */
export function leafText(tree: Tree, element: NodeId): string {
  return leafPieces(tree, element)
    .map((piece) => decoded(piece).toString())
    .join('');
}

/**
 * The octets that the base64 text of an element stands for.
 *
 * @throws XML_NOT_TEXT XML_BASE64
 */
export function leafBase64(tree: Tree, element: NodeId): Uint8Array {
  const pieces = leafPieces(tree, element).map(decoded);
  const [only] = pieces;
  if (only === undefined) return new Uint8Array(0);
  const octets = decodeBase64(pieces.length === 1 ? only : Buffer.concat(pieces));
  if (octets !== undefined) return octets;
  const offset = contentRange(tree, element).start;
  throw refusal('XML_BASE64', 'a value is not base64', offset);
}

/** Whether an element has text of its own that is not white space. */
export function hasNonWhitespaceText(tree: Tree, element: NodeId): boolean {
  const range = contentRange(tree, element);
  const plain = plainText(tree, range);
  if (plain !== undefined) return plain;
  const pieces: Piece[] = [];
  directPieces(tree, range, pieces, () => {});
  return pieces.some((piece) => !decoded(piece).every(isBlank));
}

/** The same for ranges without edits, marks and references, which nearly all are; undefined for others. */
function plainText(tree: Tree, range: Range): boolean | undefined {
  const { source, start, end, last } = range;
  const { bytes } = source;
  const mark = tree.markAt(source, start);
  if (mark < source.lastMark && (tree.marks[(mark << MARK_SHIFT) + MARK_START] as number) < end)
    return undefined;
  if (editsWithin(range).length > 0) return undefined;
  let at = start;
  for (let element = range.first; ; element = tree.get(element, LAST)) {
    const gap = element < last ? tree.get(element, START) : end;
    while (at < gap && isBlank(bytes[at])) at++;
    if (at < gap) return bytes[at] === 0x26 ? undefined : true;
    if (element >= last) return false;
    at = tree.get(element, END);
  }
}

function decoded(piece: Piece): Buffer {
  return piece.coded
    ? decode(piece.bytes, piece.start, piece.end, 'text')
    : piece.bytes.subarray(piece.start, piece.end);
}

function leafPieces(tree: Tree, element: NodeId): Piece[] {
  if (tree.get(element, FIRST) !== NONE) throw notText('an element');
  const pieces: Piece[] = [];
  directPieces(tree, contentRange(tree, element), pieces, (kind) => {
    throw notText(kind === MARK_CDATA ? 'CDATA' : 'a comment or an instruction');
  });
  return pieces;
}

function notText(what: string): CountersignError {
  return new CountersignError('XML_NOT_TEXT', `${what} stands where only text may stand`);
}

/** Gathers the text directly in `range`, skipping elements; `other` hears of what is neither. */
function directPieces(tree: Tree, range: Range, pieces: Piece[], other: (kind: number) => void): void {
  const { source } = range;
  const edits = editsWithin(range);
  let next = 0;
  let at = range.start;
  let element = range.first;
  for (;;) {
    const edit = edits[next];
    if (edit !== undefined && element >= edit.first) {
      next++;
      if (edit.tag !== NONE) continue;
      textPieces({ tree, source, start: at, end: edit.start }, pieces, other);
      if (edit.replacement !== undefined) directPieces(tree, wholeRange(edit.replacement), pieces, other);
      at = edit.end;
      element = edit.last;
    } else if (element < range.last) {
      textPieces({ tree, source, start: at, end: tree.get(element, START) }, pieces, other);
      at = tree.get(element, END);
      element = tree.get(element, LAST);
      while (next < edits.length && (edits[next]?.start ?? at) < at) next++;
    } else {
      textPieces({ tree, source, start: at, end: range.end }, pieces, other);
      return;
    }
  }
}

/** Where there are neither elements nor edits. */
interface Stretch {
  readonly tree: Tree;
  readonly source: Source;
  readonly start: number;
  readonly end: number;
}

/** Gathers the text in a stretch. */
function textPieces(stretch: Stretch, pieces: Piece[], other: (kind: number) => void): void {
  const { tree, source } = stretch;
  const { bytes } = source;
  let at = stretch.start;
  const push = (start: number, end: number, coded: boolean): void => {
    if (end > start) pieces.push({ bytes, start, end, coded });
  };
  for (let mark = tree.markAt(source, at); mark < source.lastMark; mark++) {
    const row = mark << MARK_SHIFT;
    const start = tree.marks[row + MARK_START] as number;
    if (start >= stretch.end) break;
    const kind = tree.marks[row + MARK_KIND] as number;
    const end = tree.marks[row + MARK_END] as number;
    // A reference that canonical form takes as it is leaves no mark: look for it.
    push(at, start, bytes.subarray(at, start).includes(0x26));
    if (kind === MARK_TEXT) push(start, end, true);
    else {
      other(kind);
      if (kind === MARK_CDATA) push(start + 9, end - 3, false);
    }
    at = end;
  }
  push(at, stretch.end, bytes.subarray(at, stretch.end).includes(0x26));
}
