import type { ByteSink } from '../../core/contracts.js';
import * as atomNames from '../atoms.js';
import { isBlank } from '../chars.js';
import type { XmlDocument } from '../document.js';
import { contentRange, editsWithin, elementRange, wholeRange, type Range } from '../edits.js';
import * as tables from '../tables.js';
import { NONE, type Edit, type NodeId, type Source, type Tree } from '../tree.js';
import { inheritedAttributes, renderScope } from './apex.js';
import { writeCdata, writeInstruction, writeRaw, writeText } from './escape.js';
import type { C14nMethod } from './method.js';
import { Output } from './output.js';
import { StartTags } from './start-tag.js';

// V8 folds a module's own constants, but not imported ones (perf/README.md).
const { ATOM_NONE } = atomNames;
const {
  ATOM_RENDERED,
  ATOM_SHIFT,
  DECLARES,
  EDITED,
  ELEMENT_SHIFT,
  EMPTY,
  END,
  FLAGS,
  LEXICAL,
  MARK_CDATA,
  MARK_COMMENT,
  MARK_END,
  MARK_INSTRUCTION,
  MARK_KIND,
  MARK_SHIFT,
  MARK_START,
  MARK_TEXT,
  OPEN_END,
  PREFIX,
  PREFIXED,
  START,
  URI,
} = tables;

export interface C14nOptions {
  /** An element to leave out with all that is in it: the Signature, for the enveloped-signature transform. */
  readonly exclude?: NodeId;
}

/**
 * Writes the canonical form of an element, or of the whole document, as the document stands after its edits.
 *
 * What is canonical already is copied in runs. The sink gets at most 48 KiB at a time. Either all octets are written
 * or an error is thrown: a sink that was fed part of them must be thrown away.
 *
 * @throws XML_RELATIVE_NAMESPACE
 */
export function canonicalize(
  document: XmlDocument,
  apex: NodeId | 'document',
  method: C14nMethod,
  sink: ByteSink,
  options: C14nOptions = {},
): void {
  const output = new Output(sink);
  const run = new Canonicalizer(document.tree, method, output, options.exclude ?? NONE);
  try {
    if (apex === 'document') run.document(document.root);
    else run.element(apex);
    output.flush(true);
  } finally {
    run.end();
    output.release();
  }
}

class Canonicalizer {
  readonly #tree: Tree;
  readonly #method: C14nMethod;
  readonly #output: Output;
  readonly #exclude: NodeId;
  readonly #exclusive: boolean;
  readonly #inclusive: ReadonlySet<number>;
  readonly #tags: StartTags;
  /** Flags that a start tag must have, and not have, to be taken as it stands without a closer look. */
  readonly #mask: number;

  constructor(tree: Tree, method: C14nMethod, output: Output, exclude: NodeId) {
    this.#tree = tree;
    this.#method = method;
    this.#output = output;
    this.#exclude = exclude;
    this.#exclusive = method.algorithm === 'exclusive';
    this.#inclusive = prefixAtoms(tree, this.#exclusive ? (method.inclusivePrefixes ?? []) : []);
    this.#tags = new StartTags(tree, output, this.#exclusive, this.#inclusive);
    this.#mask = LEXICAL | DECLARES | EDITED | (this.#exclusive ? PREFIXED : 0);
  }

  /** The document: comments and instructions beside the root each on a line of its own (Canonical XML 1.0 §2.1). */
  document(root: NodeId): void {
    const source = this.#tree.source(1);
    // A root that was empty and got content is written in a source of its own: its place is that of the edit.
    const place = source.edits.find((edit) => edit.tag === NONE && edit.first === root);
    this.#misc(source, 0, place?.start ?? this.#tree.get(root, START), false);
    this.element(root);
    this.#misc(source, place?.end ?? this.#tree.get(root, END), source.bytes.length, true);
  }

  /** Leaves nothing behind, whatever happened. */
  end(): void {
    this.#tags.end();
  }

  element(apex: NodeId): void {
    const range = elementRange(this.#tree, apex);
    if (apex === this.#exclude) return;
    this.#apexTag(apex, range.end);
    const content = contentRange(this.#tree, apex);
    this.#range(content);
    this.#run(range.source, content.end, range.end, range.last, range.last, this.#tags.depth);
  }

  #misc(source: Source, start: number, end: number, after: boolean): void {
    for (let mark = this.#tree.markAt(source, start); mark < source.lastMark; mark++) {
      const row = mark << MARK_SHIFT;
      const from = this.#tree.marks[row + MARK_START] as number;
      const kind = this.#tree.marks[row + MARK_KIND] as number;
      if (from >= end) break;
      if (kind === MARK_COMMENT && !this.#method.comments) continue;
      if (after) this.#output.byte(0x0a);
      this.#mark(source, from, this.#tree.marks[row + MARK_END] as number, kind);
      if (!after) this.#output.byte(0x0a);
    }
  }

  /** The apex renders what is in scope and takes over attributes of the `xml` prefix. */
  #apexTag(apex: NodeId, end: number): void {
    this.#tags.begin();
    renderScope(this.#tree, this.#tags, apex, end, this.#exclusive ? this.#inclusive : 'all');
    this.#tags.collect(apex, end, this.#tree.get(apex, FLAGS));
    this.#tags.write(apex, inheritedAttributes(this.#tree, apex, this.#method));
  }

  /** Canonicalises a range of a source, its edits included. */
  #range(range: Range): void {
    const { source } = range;
    const base = this.#tags.depth;
    const edits = this.#exclude === NONE ? editsWithin(range) : this.#withExclusion(range);
    let start = range.start;
    let first = range.first;
    for (const edit of edits) {
      if (edit.tag !== NONE) continue;
      this.#run(source, start, edit.start, first, edit.first, base);
      if (edit.replacement !== undefined) this.#range(wholeRange(edit.replacement));
      start = edit.end;
      first = edit.last;
    }
    this.#run(source, start, range.end, first, range.last, base);
    this.#tags.leave(0x7fffffff, base);
  }

  /** The edits of a range with the excluded element as one more, that swallows those within it. */
  #withExclusion(range: Range): readonly Edit[] {
    const edits = editsWithin(range);
    const cut = elementRange(this.#tree, this.#exclude);
    if (cut.source !== range.source || cut.start < range.start || cut.end > range.end) return edits;
    const swallowed = new Set(editsWithin(cut));
    const kept = edits.filter((edit) => !swallowed.has(edit));
    const at = kept.findIndex((edit) => edit.start > cut.start);
    const exclusion: Edit = { ...cut, replacement: undefined, tag: NONE };
    return at < 0 ? [...kept, exclusion] : [...kept.slice(0, at), exclusion, ...kept.slice(at)];
  }

  /** Canonicalises a stretch of a source that no edit touches, start tags aside. */
  // eslint-disable-next-line max-params -- a record would be made for every run of the hot path
  #run(source: Source, start: number, end: number, first: NodeId, last: NodeId, base: number): void {
    const tree = this.#tree;
    const tags = this.#tags;
    const elements = tree.elements;
    const rows = tree.atoms.rows;
    const mask = this.#mask;
    const exclusive = this.#exclusive;
    let mark = tree.markAt(source, start);
    let nextMark = this.#markStart(source, mark, end);
    let nextEnd = tags.nextEnd(base);
    let pending = start;
    for (let element = first; element < last; element++) {
      const row = element << ELEMENT_SHIFT;
      const from = elements[row + START] as number;
      while (nextMark < from) {
        pending = this.#rewriteMark(source, pending, mark);
        nextMark = this.#markStart(source, ++mark, end);
      }
      if (nextEnd <= from) {
        tags.leave(from, base);
        nextEnd = tags.nextEnd(base);
      }
      const flags = elements[row + FLAGS] as number;
      if ((flags & mask) === LEXICAL) {
        const seen =
          !exclusive ||
          rows[((elements[row + PREFIX] as number) << ATOM_SHIFT) + ATOM_RENDERED] === elements[row + URI];
        if (seen && (flags & EMPTY) === 0) continue;
        if (seen) {
          pending = this.#empty(source, pending, element);
          continue;
        }
      }
      pending = this.#tag(source, pending, element, flags);
      nextEnd = tags.nextEnd(base);
    }
    while (nextMark < end) {
      pending = this.#rewriteMark(source, pending, mark);
      nextMark = this.#markStart(source, ++mark, end);
    }
    if (end > pending) this.#output.copy(source, pending, end);
    tags.leave(end, base);
  }

  /** Ends a run with an empty-element tag that is canonical but for its end. */
  #empty(source: Source, pending: number, element: NodeId): number {
    const end = this.#tree.elements[(element << ELEMENT_SHIFT) + OPEN_END] as number;
    this.#output.copy(source, pending, end - 2);
    this.#output.byte(0x3e);
    this.#tags.closeEmpty(element);
    return end;
  }

  /** Looks at a start tag closely; writes it anew where it must be. */
  #tag(source: Source, pending: number, element: NodeId, flags: number): number {
    const row = element << ELEMENT_SHIFT;
    const elements = this.#tree.elements;
    this.#tags.begin();
    const asIs = this.#tags.collect(element, elements[row + END] as number, flags);
    if (asIs && (flags & (LEXICAL | EDITED)) === LEXICAL) {
      return (flags & EMPTY) === 0 ? pending : this.#empty(source, pending, element);
    }
    this.#output.copy(source, pending, elements[row + START] as number);
    this.#tags.write(element);
    return elements[row + OPEN_END] as number;
  }

  /** Where the mark begins, or beyond `end`. */
  #markStart(source: Source, mark: number, end: number): number {
    if (mark >= source.lastMark) return 0x7fffffff;
    const start = this.#tree.marks[(mark << MARK_SHIFT) + MARK_START] as number;
    return start < end ? start : 0x7fffffff;
  }

  #rewriteMark(source: Source, pending: number, mark: number): number {
    const row = mark << MARK_SHIFT;
    const marks = this.#tree.marks;
    const start = marks[row + MARK_START] as number;
    const end = marks[row + MARK_END] as number;
    this.#output.copy(source, pending, start);
    const kind = marks[row + MARK_KIND] as number;
    if (kind !== MARK_COMMENT || this.#method.comments) this.#mark(source, start, end, kind);
    return end;
  }

  #mark(source: Source, start: number, end: number, kind: number): void {
    if (kind === MARK_TEXT) writeText(this.#output, source, start, end);
    else if (kind === MARK_CDATA) writeCdata(this.#output, source, start + 9, end - 3);
    else if (kind === MARK_COMMENT) writeRaw(this.#output, source, start, end);
    else if (kind === MARK_INSTRUCTION) writeInstruction(this.#output, source, start, end);
    else {
      let name = end - 1;
      while (isBlank(source.bytes[name - 1])) name--;
      this.#output.copy(source, start, name);
      this.#output.byte(0x3e);
    }
  }
}

/** The atoms of listed prefixes; a prefix that the document does not have cannot be in scope anywhere. */
const none: ReadonlySet<number> = new Set();

function prefixAtoms(tree: Tree, prefixes: readonly string[]): ReadonlySet<number> {
  if (prefixes.length === 0) return none;
  const found = new Set<number>();
  for (const prefix of prefixes) {
    const atom = prefix === '#default' ? ATOM_NONE : tree.atoms.find(prefix);
    if (atom !== undefined) found.add(atom);
  }
  return found;
}
