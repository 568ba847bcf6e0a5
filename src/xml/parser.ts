import type { Limits } from '../core/limits.js';
import { isBlank } from './chars.js';
import * as chars from './chars.js';
import type { IdRules } from './ids.js';
import { cdataEnd, commentEnd, instructionEnd, refuseNonCharacter, startsWith } from './markup.js';
import * as octets from './octets.js';
import { canonicalInText, referenceEnd, referenceValue } from './references.js';
import { malformed, overLimit, refusal } from './refusal.js';
import * as tables from './tables.js';
import { TagReader } from './tag-reader.js';
import { NONE, nothing, Tree, type NodeId, type Source } from './tree.js';

// V8 folds a module's own constants, but not imported ones (perf/README.md).
const {
  TEXT_BRACKET,
  TEXT_GREATER,
  TEXT_HIGH,
  TEXT_ILLEGAL,
  TEXT_LESS,
  TEXT_REFERENCE,
  TEXT_RETURN,
  textBytes,
  textPairs,
} = chars;
const { sameBytes } = octets;

const {
  ATOM_END,
  ATOM_SHIFT,
  ATOM_START,
  CHILDREN,
  CLOSE_START,
  DECLARES,
  ELEMENT_SHIFT,
  EMPTY,
  END,
  FIRST,
  FLAGS,
  LAST,
  MARK_CDATA,
  MARK_CLOSE,
  MARK_COMMENT,
  MARK_INSTRUCTION,
  MARK_TEXT,
  NAME,
  NEXT,
  OPEN_END,
  PARENT,
  START,
} = tables;

/** Text is looked at byte by byte so far: most is no longer. */
const NEAR = 24;

/**
 * One pass over the bytes: strict XML 1.0 (fifth edition) with Namespaces 1.0, no document type. Iterative: depth is
 * a limit and never the stack. One parser serves one document: its message and, later, its fragments.
 */
export class Parser {
  /** The tables of the document. */
  readonly tree: Tree;
  readonly #tree: Tree;
  #limits: Limits;
  readonly #tags: TagReader;
  #source: Source;
  #bytes: Buffer;
  #view: DataView;
  #current: NodeId = NONE;
  /** The element that was closed last below `#current`. */
  #before: NodeId = NONE;
  #depth = 0;
  #comments = 0;
  #instructions = 0;

  constructor(limits: Limits) {
    this.tree = new Tree();
    this.#tree = this.tree;
    this.#limits = limits;
    this.#tags = new TagReader(this.tree, limits);
    this.#source = nothing;
    this.#bytes = nothing.bytes;
    this.#view = nothing.view;
  }

  /** Begins a document with `bytes` as its message. */
  begin(bytes: Buffer, limits: Limits, ids: IdRules | undefined): void {
    this.#limits = limits;
    this.#tags.begin(limits, ids);
    this.#current = NONE;
    this.#before = NONE;
    this.#depth = 0;
    this.#comments = 0;
    this.#instructions = 0;
    this.#enter(this.tree.addSource(bytes));
  }

  /**
   * Forgets the document and keeps the memory.
   *
   * @param learn the document was well-formed: what it calls things is worth remembering
   */
  end(learn: boolean): void {
    this.#tags.leaveAll();
    this.tree.reset(learn);
    this.#tags.enter(nothing);
    this.#source = nothing;
    this.#bytes = nothing.bytes;
    this.#view = nothing.view;
  }

  /** Parses the message, source 1, from `start` on; returns its root. */
  message(start: number): NodeId {
    const bytes = this.#bytes;
    let at = this.#misc(start, true);
    if (at >= bytes.length || bytes[at] !== 0x3c) throw malformed('there is no root element', at);
    const root = this.#tree.elementCount;
    at = this.#startTag(at);
    if (this.#current !== NONE) at = this.#content(at, true);
    if (this.#current !== NONE || at > bytes.length) throw malformed('the root element is not closed', at);
    at = this.#misc(at, false);
    if (at < bytes.length) throw malformed('there is content after the root element', at);
    this.#close();
    return root;
  }

  /**
   * Parses `source` as content of `parent` (XML 1.0 [43]), in the namespaces that are in scope there.
   *
   * @returns the top-level elements, whose PARENT is `parent` already and whose NEXT link them
   */
  fragment(source: Source, parent: NodeId): NodeId[] {
    const depth = this.#openScope(parent);
    try {
      this.#enter(source);
      this.#depth = depth;
      this.#before = NONE;
      const end = this.#content(0, false);
      if (this.#current !== NONE || end !== source.bytes.length) {
        throw malformed('an element of a fragment is not closed', end);
      }
      this.#close();
    } finally {
      this.#tags.leaveAll();
    }
    const top: NodeId[] = [];
    for (let at = source.first; at < source.last; at = this.#tree.get(at, LAST)) {
      this.#tree.set(at, PARENT, parent);
      top.push(at);
    }
    return top;
  }

  /** Reads a start tag that was edited from `source` into the row of `element`; its offsets stay those of the old. */
  startTag(source: Source, element: NodeId, end: number = source.bytes.length): void {
    this.#openScope(this.#tree.get(element, PARENT));
    try {
      this.#enter(source);
      const after = this.#tags.open(0, element);
      if (after !== end) throw malformed('a start tag ends elsewhere than it should', after);
      this.#tags.leave(element);
    } finally {
      this.#tags.leaveAll();
    }
  }

  #enter(source: Source): void {
    this.#source = source;
    this.#bytes = source.bytes;
    this.#view = source.view;
    this.#tags.enter(source);
    this.#current = NONE;
  }

  #close(): void {
    this.#source.last = this.#tree.elementCount;
    this.#source.lastMark = this.#tree.markCount;
  }

  /** Puts what the ancestors-or-self of `element` declare in force; returns how many they are. */
  #openScope(element: NodeId): number {
    const ancestors: NodeId[] = [];
    for (let at = element; at !== NONE; at = this.#tree.get(at, PARENT)) ancestors.push(at);
    ancestors.reverse();
    for (const ancestor of ancestors) {
      if ((this.#tree.get(ancestor, FLAGS) & DECLARES) !== 0) this.#tags.reenter(ancestor);
    }
    return ancestors.length;
  }

  /** Comments, instructions and white space outside of the root (XML 1.0 [27]). */
  #misc(from: number, prolog: boolean): number {
    const bytes = this.#bytes;
    let at = from;
    for (;;) {
      while (isBlank(bytes[at])) at++;
      // Nearly always the root follows, or nothing.
      const next = bytes[at + 1];
      if (bytes[at] !== 0x3c || (next !== 0x21 && next !== 0x3f)) return at;
      if (startsWith(bytes, at, '<!--')) at = this.#comment(at);
      else if (startsWith(bytes, at, '<?')) at = this.#instruction(at);
      else if (startsWith(bytes, at, '<!DOCTYPE') && prolog) {
        throw refusal('XML_DOCTYPE', 'the message has a document type declaration', at);
      } else return at;
    }
  }

  /** Content up to the end of the root (`message`) or of the source. */
  #content(from: number, message: boolean): number {
    const bytes = this.#bytes;
    const end = bytes.length;
    let at = from;
    for (;;) {
      at = this.#text(at);
      if (at >= end) return at;
      const next = bytes[at + 1];
      if (next === 0x2f) {
        at = this.#endTag(at);
        if (message && this.#current === NONE) return at;
      } else if (next === 0x21) at = this.#declared(at);
      else if (next === 0x3f) at = this.#instruction(at);
      else at = this.#startTag(at);
    }
  }

  /** Checks text; returns the offset of the `<` that ends it, or the end of the source. */
  #text(start: number): number {
    const bytes = this.#bytes;
    const end = bytes.length;
    let at = start;
    let mark = -1;
    for (;;) {
      at = skipPlain(bytes, this.#view, at, end);
      if (at >= end || bytes[at] === 0x3c) break;
      const after = this.#special(at, end);
      if (after < 0) {
        if (mark < 0) mark = at;
        at = -after;
      } else at = after;
    }
    if (mark >= 0) this.#tree.addMark(mark, at, MARK_TEXT);
    return at;
  }

  /** Looks at a byte of text that is not plain; returns where to go on, negative if canonical form differs. */
  #special(at: number, end: number): number {
    const bytes = this.#bytes;
    switch (textBytes[bytes[at] as number]) {
      case TEXT_REFERENCE: {
        const after = referenceEnd(bytes, at, end);
        return canonicalInText(bytes, at, after, referenceValue(bytes, at, after)) ? after : -after;
      }
      case TEXT_RETURN:
      case TEXT_GREATER:
        return -(at + 1);
      case TEXT_BRACKET:
        if (bytes[at + 1] === 0x5d && bytes[at + 2] === 0x3e) throw malformed('`]]>` stands in text', at);
        return at + 1;
      case TEXT_HIGH:
        refuseNonCharacter(bytes, at);
        return at + 3;
      case TEXT_LESS:
      case TEXT_ILLEGAL:
      default:
        throw malformed('a character is not allowed in XML', at);
    }
  }

  #startTag(at: number): number {
    const tree = this.#tree;
    const element = tree.newElement();
    if (element >= this.#limits.elements) throw overLimit('elements', this.#limits, at);
    if (this.#depth >= this.#limits.depth) throw overLimit('depth', this.#limits, at);
    const after = this.#tags.open(at, element);
    const elements = tree.elements;
    const row = element << ELEMENT_SHIFT;
    const parent = this.#current;
    elements[row + START] = at;
    elements[row + OPEN_END] = after;
    elements[row + PARENT] = parent;
    elements[row + FIRST] = NONE;
    elements[row + NEXT] = NONE;
    elements[row + CHILDREN] = 0;
    if (this.#before !== NONE) elements[(this.#before << ELEMENT_SHIFT) + NEXT] = element;
    else if (parent !== NONE) elements[(parent << ELEMENT_SHIFT) + FIRST] = element;
    if (parent !== NONE) {
      const count = (parent << ELEMENT_SHIFT) + CHILDREN;
      const children = (elements[count] as number) + 1;
      elements[count] = children;
      if (children > this.#limits.children) throw overLimit('children', this.#limits, at);
    }
    const flags = elements[row + FLAGS] as number;
    if ((flags & EMPTY) === 0) {
      this.#current = element;
      this.#before = NONE;
      this.#depth++;
      return after;
    }
    elements[row + CLOSE_START] = after;
    elements[row + END] = after;
    elements[row + LAST] = element + 1;
    if ((flags & DECLARES) !== 0) this.#tags.leave(element);
    this.#before = element;
    return after;
  }

  #endTag(at: number): number {
    const tree = this.#tree;
    const bytes = this.#bytes;
    const element = this.#current;
    if (element === NONE) throw malformed('an end tag has no start tag', at);
    const elements = tree.elements;
    const row = element << ELEMENT_SHIFT;
    const atom = (elements[row + NAME] as number) << ATOM_SHIFT;
    const length =
      (tree.atoms.rows[atom + ATOM_END] as number) - (tree.atoms.rows[atom + ATOM_START] as number);
    const name = (elements[row + START] as number) + 1;
    let position = at + 2 + length;
    if (position >= bytes.length || !sameBytes(this.#view, at + 2, this.#view, name, length))
      throw malformed('an end tag does not fit its start tag', at);
    if (bytes[position] !== 0x3e) {
      while (isBlank(bytes[position])) position++;
      if (bytes[position] !== 0x3e) throw malformed('an end tag does not fit its start tag', at);
      tree.addMark(at, position + 1, MARK_CLOSE);
    }
    elements[row + CLOSE_START] = at;
    elements[row + END] = position + 1;
    elements[row + LAST] = tree.elementCount;
    if (((elements[row + FLAGS] as number) & DECLARES) !== 0) this.#tags.leave(element);
    this.#before = element;
    this.#current = elements[row + PARENT] as number;
    this.#depth--;
    return position + 1;
  }

  /** What begins with `<!` in content. */
  #declared(at: number): number {
    if (startsWith(this.#bytes, at, '<!--')) return this.#comment(at);
    if (!startsWith(this.#bytes, at, '<![CDATA['))
      throw malformed('`<!` begins nothing that may stand here', at);
    const after = cdataEnd(this.#bytes, at);
    this.#tree.addMark(at, after, MARK_CDATA);
    return after;
  }

  #comment(at: number): number {
    if (++this.#comments > this.#limits.comments) throw overLimit('comments', this.#limits, at);
    const after = commentEnd(this.#bytes, at);
    this.#tree.addMark(at, after, MARK_COMMENT);
    return after;
  }

  #instruction(at: number): number {
    const after = instructionEnd(this.#bytes, at);
    if (++this.#instructions > this.#limits.instructions) {
      throw refusal('XML_PROCESSING_INSTRUCTION', 'there is a processing instruction', at);
    }
    this.#tree.addMark(at, after, MARK_INSTRUCTION);
    return after;
  }
}

/** The offset of the first byte at or after `from` that is not plain text. Long text (base64) goes eight at a time. */
function skipPlain(bytes: Buffer, view: DataView, from: number, end: number): number {
  const table = textBytes;
  const pairs = textPairs;
  let at = from;
  const near = Math.min(end - 1, from + NEAR);
  while (at < near) {
    if (pairs[view.getUint16(at)] !== 0) return table[bytes[at] as number] !== 0 ? at : at + 1;
    at += 2;
  }
  for (const last = end - 8; at <= last; at += 8) {
    const low = view.getInt32(at);
    const high = view.getInt32(at + 4);
    const special =
      (pairs[low >>> 16] as number) |
      (pairs[low & 0xffff] as number) |
      (pairs[high >>> 16] as number) |
      (pairs[high & 0xffff] as number);
    if (special !== 0) break;
  }
  while (at < end && table[bytes[at] as number] === 0) at++;
  return at;
}

/** Parsers, with their tables, kept for the next message. Their content is never read before it is written. */
const spare: Parser[] = [];
const maxSpare = 16;

/** A parser without a document. */
export function takeParser(limits: Limits): Parser {
  return spare.pop() ?? new Parser(limits);
}

/** Gives a parser back; nobody may hold on to its tree. See `Parser.end`. */
export function returnParser(parser: Parser, learn: boolean): void {
  parser.end(learn);
  if (spare.length < maxSpare) spare.push(parser);
}
