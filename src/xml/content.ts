import type { Scratch } from '../core/buffers.js';
import { decodeBase64 } from '../core/bytes.js';
import { CountersignError } from '../core/errors.js';

import { isBlank } from './chars.js';
import { contentRange, editsWithin, wholeRange, type Range } from './edits.js';
import { decode } from './references.js';
import { refusal } from './refusal.js';
import {
  CLOSE_START,
  ELEMENT_SHIFT,
  END,
  FIRST,
  LAST,
  MARK_CDATA,
  MARK_END,
  MARK_KIND,
  MARK_SHIFT,
  MARK_START,
  MARK_TEXT,
  OPEN_END,
  SOURCE,
  START,
} from './tables.js';
import { NONE, type Edit, type NodeId, type Source, type Tree } from './tree.js';

const AMPERSAND = 0x26;
/** From here on a search by the runtime is quicker than a loop, its view included. */
const longText = 64;

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
  if (isPlainLeaf(tree, element)) {
    const row = element << ELEMENT_SHIFT;
    const { bytes } = tree.source(tree.elements[row + SOURCE] as number);
    return bytes.toString('utf8', tree.elements[row + OPEN_END], tree.elements[row + CLOSE_START]);
  }
  return leafPieces(tree, element)
    .map((piece) => decoded(piece).toString())
    .join('');
}

/**
 * The octets that the base64 text of an element stands for.
 *
 * @throws XML_NOT_TEXT XML_BASE64
 */
export function leafBase64(tree: Tree, element: NodeId, scratch: Scratch | undefined): Uint8Array {
  const octets = decodeBase64(leafBytes(tree, element), scratch);
  if (octets !== undefined) return octets;
  const offset = tree.get(element, OPEN_END);
  throw refusal('XML_BASE64', 'a value is not base64', offset);
}

function leafBytes(tree: Tree, element: NodeId): Buffer {
  if (isPlainLeaf(tree, element)) {
    const row = element << ELEMENT_SHIFT;
    const { bytes } = tree.source(tree.elements[row + SOURCE] as number);
    return bytes.subarray(tree.elements[row + OPEN_END], tree.elements[row + CLOSE_START]);
  }
  const pieces = leafPieces(tree, element).map(decoded);
  const [only] = pieces;
  return only !== undefined && pieces.length === 1 ? only : Buffer.concat(pieces);
}

/** Whether an element has text of its own that is not white space. */
export function hasNonWhitespaceText(tree: Tree, element: NodeId): boolean {
  const plain = plainText(tree, element);
  if (plain !== undefined) return plain;
  const pieces: Piece[] = [];
  directPieces(tree, contentRange(tree, element), pieces, () => {});
  return pieces.some((piece) => !decoded(piece).every(isBlank));
}

/** The same for content without edits, marks and references, which nearly all is; undefined for other content. */
function plainText(tree: Tree, element: NodeId): boolean | undefined {
  const { elements } = tree;
  const row = element << ELEMENT_SHIFT;
  const source = tree.source(tree.elements[row + SOURCE] as number);
  const start = elements[row + OPEN_END] as number;
  const end = elements[row + CLOSE_START] as number;
  if (isMarked(tree, source, start, end) || isEdited(source, start, end)) return undefined;
  const { bytes } = source;
  const last = elements[row + LAST] as number;
  let at = start;
  for (let child = element + 1; ; child = elements[(child << ELEMENT_SHIFT) + LAST] as number) {
    const gap = child < last ? (elements[(child << ELEMENT_SHIFT) + START] as number) : end;
    while (at < gap && isBlank(bytes[at])) at++;
    if (at < gap) return bytes[at] === AMPERSAND ? undefined : true;
    if (child >= last) return false;
    at = elements[(child << ELEMENT_SHIFT) + END] as number;
  }
}

/** Whether an element holds nothing but text that stands for itself, as nearly all that is read here does. */
function isPlainLeaf(tree: Tree, element: NodeId): boolean {
  if (tree.get(element, FIRST) !== NONE) return false;
  const row = element << ELEMENT_SHIFT;
  const source = tree.source(tree.elements[row + SOURCE] as number);
  const start = tree.elements[row + OPEN_END] as number;
  const end = tree.elements[row + CLOSE_START] as number;
  return (
    !isMarked(tree, source, start, end) &&
    !isEdited(source, start, end) &&
    !mayHoldReference(source.bytes, start, end)
  );
}

/** Whether a comment, CDATA, or text that canonical form changes begins in the stretch. */
function isMarked(tree: Tree, source: Source, start: number, end: number): boolean {
  if (source.firstMark === source.lastMark) return false;
  const mark = tree.markAt(source, start);
  return mark < source.lastMark && (tree.marks[(mark << MARK_SHIFT) + MARK_START] as number) < end;
}

/** Whether an edit lies in the stretch, its rims included. */
function isEdited({ edits }: Source, start: number, end: number): boolean {
  for (let index = 0; index < edits.length; index++) {
    const edit = edits[index] as Edit;
    if (edit.start >= start && edit.end <= end) return true;
  }
  return false;
}

/** A reference that canonical form takes as it is leaves no mark: look for it. */
function mayHoldReference(bytes: Buffer, start: number, end: number): boolean {
  if (end - start > longText) return bytes.subarray(start, end).includes(AMPERSAND);
  for (let at = start; at < end; at++) if (bytes[at] === AMPERSAND) return true;
  return false;
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
    push(at, start, mayHoldReference(bytes, at, start));
    if (kind === MARK_TEXT) push(start, end, true);
    else {
      other(kind);
      if (kind === MARK_CDATA) push(start + 9, end - 3, false);
    }
    at = end;
  }
  push(at, stretch.end, mayHoldReference(bytes, at, stretch.end));
}
