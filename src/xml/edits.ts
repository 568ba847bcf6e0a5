import { CLOSE_START, ELEMENT_SHIFT, EMPTY, END, FLAGS, LAST, OPEN_END, SOURCE, START } from './tables.js';
import { NONE, type Edit, type NodeId, type Source, type Tree } from './tree.js';

/** A range of a source with the elements that lie in it. */
export interface Range {
  readonly source: Source;
  readonly start: number;
  readonly end: number;
  readonly first: NodeId;
  readonly last: NodeId;
  /** Insertions at the very ends belong to the range: true of content, false of an element. */
  readonly inner: boolean;
}

/** Where `element` stands, tags included. */
export function elementRange(tree: Tree, element: NodeId): Range {
  const row = element << ELEMENT_SHIFT;
  return {
    source: tree.source(tree.get(element, SOURCE)),
    start: tree.elements[row + START] as number,
    end: tree.elements[row + END] as number,
    first: element,
    last: tree.elements[row + LAST] as number,
    inner: false,
  };
}

/** What stands between the tags of `element`. */
export function contentRange(tree: Tree, element: NodeId): Range {
  const row = element << ELEMENT_SHIFT;
  return {
    source: tree.source(tree.get(element, SOURCE)),
    start: tree.elements[row + OPEN_END] as number,
    end: tree.elements[row + CLOSE_START] as number,
    first: element + 1,
    last: tree.elements[row + LAST] as number,
    // After an empty-element tag stands what belongs to the parent.
    inner: ((tree.elements[row + FLAGS] as number) & EMPTY) === 0,
  };
}

/** The start tag of `element` in its source. */
export function tagRange(tree: Tree, element: NodeId): Range {
  const { source, start, first } = elementRange(tree, element);
  return { source, start, end: tree.get(element, OPEN_END), first, last: element, inner: false };
}

/** The place before `element`. */
export function placeBefore(tree: Tree, element: NodeId): Range {
  const { source, start, first } = elementRange(tree, element);
  return { source, start, end: start, first, last: element, inner: false };
}

/** The place before the end tag of `element`. */
export function placeAtEnd(tree: Tree, element: NodeId): Range {
  const { source, end, last } = contentRange(tree, element);
  return { source, start: end, end, first: last, last, inner: false };
}

/** All of a source. */
export function wholeRange(source: Source): Range {
  return { source, start: 0, end: source.bytes.length, first: source.first, last: source.last, inner: true };
}

/** The edits inside of a range, in order. */
export function editsWithin(range: Range): readonly Edit[] {
  const edits = range.source.edits;
  return edits.length === 0 ? edits : edits.filter((edit) => isWithin(edit, range));
}

function isWithin(edit: Edit, range: Range): boolean {
  if (edit.start < range.start || edit.end > range.end) return false;
  const atRim = edit.start === edit.end && (edit.start === range.start || edit.start === range.end);
  return range.inner || !atRim;
}

/**
 * Records that `range` gives way to `replacement`. Edits that lie in the range are superseded; ranges are those of
 * elements of the view, so that two of them are disjoint or one holds the other.
 */
export function recordEdit(range: Range, replacement: Source | undefined, tag: NodeId = NONE): void {
  const edit: Edit = {
    start: range.start,
    end: range.end,
    first: range.first,
    last: range.last,
    replacement,
    tag,
  };
  const edits = range.source.edits.filter((old) => !isSuperseded(old, range, tag));
  let at = edits.length;
  while (at > 0 && follows(edits[at - 1] as Edit, edit)) at--;
  edits.splice(at, 0, edit);
  range.source.edits = edits;
}

function isSuperseded(old: Edit, range: Range, tag: NodeId): boolean {
  if (tag !== NONE) return old.tag === tag;
  const insertion = range.start === range.end && !range.inner;
  return !insertion && isWithin(old, range);
}

/** Order of edits: by place; of one place insertions first, and in the order in which they were made. */
function follows(old: Edit, edit: Edit): boolean {
  if (old.start !== edit.start) return old.start > edit.start;
  return edit.start === edit.end && old.end > old.start;
}

/** The current bytes of a range, in order: `visit` gets offsets into the sources, so that nothing is made. */
export function eachSlice(range: Range, visit: (bytes: Buffer, start: number, end: number) => void): void {
  const { bytes } = range.source;
  let at = range.start;
  for (const edit of editsWithin(range)) {
    if (edit.start > at) visit(bytes, at, edit.start);
    if (edit.replacement !== undefined) eachSlice(wholeRange(edit.replacement), visit);
    at = edit.end;
  }
  if (range.end > at) visit(bytes, at, range.end);
}

/** The current bytes of a range: slices of the sources, none of them copied. */
export function slicesOf(range: Range): Uint8Array[] {
  const slices: Uint8Array[] = [];
  eachSlice(range, (bytes, start, end) => slices.push(bytes.subarray(start, end)));
  return slices;
}
