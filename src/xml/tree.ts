import { Atoms, memorySize } from './atoms.js';
import { octetsOf, viewOf, type Octets } from './octets.js';
import { grown } from './tables.js';
import * as tables from './tables.js';

// V8 folds a module's own constants, but not imported ones (perf/README.md).
const { ATTRIBUTE_SHIFT, ELEMENT_SHIFT, FIRST, MARK_END, MARK_KIND, MARK_SHIFT, MARK_START, NEXT, PARENT } =
  tables;

/** Identity of an element within its document, for the life of the document. */
export type NodeId = number;
/** No element. */
export const NONE: NodeId = -1;

/** A change of a source's bytes: the range `[start, end)` gives way to `replacement`, or to nothing. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  /** Elements of the source that lie in the range: rows `[first, last)`. */
  readonly first: NodeId;
  readonly last: NodeId;
  readonly replacement: Source | undefined;
  /** The element whose start tag is replaced, or NONE: then content is. */
  readonly tag: NodeId;
}

/** Immutable bytes with the elements and marks found in them. The message is one, each fragment another. */
export interface Source extends Octets {
  readonly id: number;
  first: NodeId;
  last: NodeId;
  firstMark: number;
  lastMark: number;
  /** Disjoint, in order of their offsets; edits of one offset in the order in which they were made. */
  edits: Edit[];
}

/** The tables of one document. */
export class Tree {
  elements: Int32Array;
  elementCount = 0;
  attributes: Int32Array;
  attributeCount = 0;
  marks: Int32Array;
  markCount = 0;
  readonly atoms: Atoms;
  /** By their numbers; source 0 holds the names that the parser remembers. */
  readonly sources: Source[] = [];
  /** Texts of start tags that were edited. */
  tags: Map<NodeId, Source> = new Map();
  ids: Map<string, NodeId> = new Map();
  idOf: Map<NodeId, string> = new Map();

  /** Room for canonicalisation, so that a small message does not pay for making it. Holds nothing between calls. */
  readonly scratch: readonly [Int32Array, Int32Array, Int32Array] = [
    new Int32Array(96),
    new Int32Array(32),
    new Int32Array(32),
  ];

  constructor() {
    this.elements = new Int32Array(64 << ELEMENT_SHIFT);
    this.attributes = new Int32Array(64 << ATTRIBUTE_SHIFT);
    this.marks = new Int32Array(16 << MARK_SHIFT);
    const memory = octetsOf(Buffer.alloc(memorySize));
    this.sources.push({ ...nothing, ...memory });
    this.atoms = new Atoms(this.sources, memory);
  }

  /** Forgets the document and keeps the memory; `learn` as in `Parser.end`. */
  reset(learn: boolean): void {
    this.atoms.reset(learn);
    this.elementCount = 0;
    this.attributeCount = 0;
    this.markCount = 0;
    this.sources.length = 1;
    // Not `clear()`: V8 links the table that it empties to the next one, so that a dead table that has grown old keeps
    // those of all later messages, and what is in them, until a full collection.
    if (this.tags.size > 0) this.tags = new Map();
    if (this.ids.size > 0) this.ids = new Map();
    if (this.idOf.size > 0) this.idOf = new Map();
  }

  /** Takes bytes in as a further source, still without elements. */
  addSource(bytes: Buffer): Source {
    const source: Source = {
      id: this.sources.length,
      bytes,
      view: viewOf(bytes),
      first: this.elementCount,
      last: this.elementCount,
      firstMark: this.markCount,
      lastMark: this.markCount,
      edits: [],
    };
    this.sources.push(source);
    return source;
  }

  source(id: number): Source {
    const source = this.sources[id];
    if (source === undefined) throw new Error('no such source');
    return source;
  }

  /** Rows for one more element; returns its number. The row holds old values. */
  newElement(): NodeId {
    const element = this.elementCount++;
    const needed = this.elementCount << ELEMENT_SHIFT;
    if (needed > this.elements.length) this.elements = grown(this.elements, needed);
    return element;
  }

  /** The offset in `attributes` of a row for one more attribute. */
  newAttribute(): number {
    const needed = ++this.attributeCount << ATTRIBUTE_SHIFT;
    if (needed > this.attributes.length) this.attributes = grown(this.attributes, needed);
    return needed - (1 << ATTRIBUTE_SHIFT);
  }

  addMark(start: number, end: number, kind: number): void {
    const needed = ++this.markCount << MARK_SHIFT;
    if (needed > this.marks.length) this.marks = grown(this.marks, needed);
    const row = needed - (1 << MARK_SHIFT);
    this.marks[row + MARK_START] = start;
    this.marks[row + MARK_END] = end;
    this.marks[row + MARK_KIND] = kind;
  }

  /** The first mark of `source` that does not end before `offset`. */
  markAt(source: Source, offset: number): number {
    let low = source.firstMark;
    let high = source.lastMark;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.marks[(middle << MARK_SHIFT) + MARK_START] as number) < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** One column of an element. */
  get(element: NodeId, column: number): number {
    if (element < 0 || element >= this.elementCount) throw new RangeError(`no element ${element}`);
    return this.elements[(element << ELEMENT_SHIFT) + column] as number;
  }

  set(element: NodeId, column: number, value: number): void {
    this.elements[(element << ELEMENT_SHIFT) + column] = value;
  }

  /** Whether `element` is `ancestor` or inside of it, in the view. */
  contains(ancestor: NodeId, element: NodeId): boolean {
    for (let at = element; at !== NONE; at = this.get(at, PARENT)) if (at === ancestor) return true;
    return false;
  }

  /** Calls `visit` for `element` and everything below it in the view, in document order. */
  walk(element: NodeId, visit: (element: NodeId) => void): void {
    let at = element;
    for (;;) {
      visit(at);
      let next = this.get(at, FIRST);
      while (next === NONE) {
        if (at === element) return;
        next = this.get(at, NEXT);
        if (next === NONE) at = this.get(at, PARENT);
      }
      at = next;
    }
  }
}

/** A source without content, before there is one. */
export const nothing: Source = Object.freeze({
  id: 0,
  ...octetsOf(Buffer.alloc(0)),
  first: 0,
  last: 0,
  firstMark: 0,
  lastMark: 0,
  edits: [],
});
