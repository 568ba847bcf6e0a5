import type { Limits } from '../core/limits.js';
import * as atomNames from './atoms.js';
import { isBlank } from './chars.js';
import * as chars from './chars.js';
import { Declarations } from './declarations.js';
import { IdIndexer, type IdRules } from './ids.js';
import { refuseNonCharacter } from './markup.js';
import { NameReader } from './name-reader.js';
import { lexicalOrder, sameLocal } from './order.js';
import { canonicalInValue, referenceEnd, referenceValue } from './references.js';
import { malformed, overLimit } from './refusal.js';
import * as tables from './tables.js';
import { nothing, type NodeId, type Source, type Tree } from './tree.js';

// V8 folds a module's own constants, but not imported ones (perf/README.md).
const { ATOM_NONE, ATOM_XML } = atomNames;
const { nameBytes, TEXT_BLANK, TEXT_HIGH, TEXT_ILLEGAL, TEXT_LESS, TEXT_QUOTE, TEXT_REFERENCE, valueBytes } =
  chars;
const {
  ATOM_ASKED,
  ATOM_BINDING,
  ATOM_DECLARED,
  ATOM_DECLARES,
  ATOM_FLAGS,
  ATOM_ID,
  ATOM_PREFIX,
  ATOM_SHIFT,
  ATOM_STAMP,
  ATTRIBUTE,
  ATTRIBUTE_FLAGS,
  ATTRIBUTE_NAME,
  ATTRIBUTE_PREFIX,
  ATTRIBUTE_SHIFT,
  ATTRIBUTE_URI,
  ATTRIBUTES,
  CODED,
  DECLARATION,
  DECLARES,
  ELEMENT_SHIFT,
  EMPTY,
  FLAGS,
  IDENTIFIED,
  LEXICAL,
  NAME,
  NAME_START,
  PREFIX,
  PREFIXED,
  SOURCE,
  URI,
  VALUE_END,
  VALUE_START,
  VERBATIM,
  XML_ATTRIBUTES,
} = tables;

/** Start tags after which they are counted anew. */
const lastStamp = 2 ** 30;

/**
 * Reads start tags: names, attributes, namespace declarations, ids. Namespaces are resolved at once; what a tag
 * declares stays bound until `leave`.
 */
export class TagReader {
  readonly #tree: Tree;
  #limits: Limits;
  readonly #ids: IdIndexer;
  readonly #names: NameReader;
  readonly #declarations: Declarations;
  #source: Source;
  #bytes: Buffer;
  #rules: IdRules | undefined;
  #flags = 0;
  #stamp = 0;
  /** What the tag at hand has that needs a second look: prefixed attributes, possible ids. */
  #qualified = 0;
  #candidates = 0;

  constructor(tree: Tree, limits: Limits) {
    this.#tree = tree;
    this.#limits = limits;
    this.#ids = new IdIndexer(tree, limits);
    this.#declarations = new Declarations(tree, limits);
    this.#source = nothing;
    this.#bytes = nothing.bytes;
    this.#names = new NameReader(tree, limits, this.#ids);
  }

  /** Begins a document. */
  begin(limits: Limits, rules: IdRules | undefined): void {
    this.#limits = limits;
    this.#ids.begin(limits, rules);
    this.#names.begin(limits);
    this.#declarations.begin(limits);
    if (rules !== this.#rules) this.#tree.atoms.maskColumn(ATOM_FLAGS, ~(ATOM_ID | ATOM_ASKED));
    this.#rules = rules;
    if (this.#stamp > lastStamp) {
      this.#tree.atoms.maskColumn(ATOM_STAMP, 0);
      this.#stamp = 0;
    }
  }

  /** Reads from `source` from now on. */
  enter(source: Source): void {
    this.#source = source;
    this.#bytes = source.bytes;
    this.#names.enter(source);
  }

  /** Reads the start tag at `at` into the row of `element`; returns the offset after its `>`. */
  open(at: number, element: NodeId): number {
    const tree = this.#tree;
    const bytes = this.#bytes;
    const end = bytes.length;
    const name = this.#names.element(at + 1);
    let position = at + 1 + this.#names.length;
    const first = tree.attributeCount;
    this.#flags = LEXICAL;
    this.#qualified = 0;
    this.#candidates = 0;
    this.#stamp++;
    position = position < end && bytes[position] === 0x3e ? position + 1 : this.#attributes(position, first);
    const count = tree.attributeCount - first;
    if ((this.#flags & DECLARES) !== 0) this.#declarations.declare(this.#source, first, count, element);
    const prefix = tree.atoms.rows[(name << ATOM_SHIFT) + ATOM_PREFIX] as number;
    const uri = tree.atoms.rows[(prefix << ATOM_SHIFT) + ATOM_BINDING] as number;
    if (uri < 0) throw this.#unbound(prefix, at);
    const row = element << ELEMENT_SHIFT;
    const elements = tree.elements;
    elements[row + NAME] = name;
    elements[row + URI] = uri;
    elements[row + PREFIX] = prefix;
    elements[row + ATTRIBUTE] = first;
    elements[row + ATTRIBUTES] = count;
    elements[row + SOURCE] = this.#source.id;
    if (this.#qualified + this.#candidates > 0) this.#resolve(element, first, count);
    if (count > 1 && (this.#flags & LEXICAL) !== 0 && !lexicalOrder(tree, first, count))
      this.#flags &= ~LEXICAL;
    elements[row + FLAGS] = this.#flags;
    return position;
  }

  /** Ends the scope of what `element` declared. */
  leave(element: NodeId): void {
    this.#declarations.leave(element);
  }

  /** Ends every scope. */
  leaveAll(): void {
    this.#declarations.leaveAll();
  }

  /** Puts the declarations of `element`, read earlier, in force again. */
  reenter(element: NodeId): void {
    this.#declarations.reenter(element);
  }

  /** Reads attributes up to the end of the tag; returns the offset after `>`. */
  #attributes(from: number, first: number): number {
    const bytes = this.#bytes;
    const tree = this.#tree;
    const most = first + this.#limits.attributes;
    let position = from;
    for (;;) {
      const gap = position;
      // Nearly always one space and a name.
      if (bytes[position] === 0x20 && nameBytes[bytes[position + 1] as number] === 1) position++;
      else {
        position = blankEnd(bytes, position);
        const byte = bytes[position];
        if (byte === 0x3e || byte === 0x2f) return this.#tagEnd(position, gap);
        if (position === gap || position >= bytes.length) {
          throw malformed('a start tag is not closed or its attributes are not set apart', position);
        }
        if (position !== gap + 1 || bytes[gap] !== 0x20) this.#flags &= ~LEXICAL;
      }
      position = this.#attribute(position);
      if (tree.attributeCount > most) throw overLimit('attributes', this.#limits, position);
    }
  }

  #tagEnd(position: number, gap: number): number {
    if (position !== gap) this.#flags &= ~LEXICAL;
    if (this.#bytes[position] === 0x3e) return position + 1;
    if (this.#bytes[position + 1] !== 0x3e) throw malformed('`/` is not followed by `>`', position);
    this.#flags |= EMPTY;
    return position + 2;
  }

  /** Reads one attribute; returns the offset after its closing quote. */
  #attribute(start: number): number {
    const bytes = this.#bytes;
    const tree = this.#tree;
    const name = this.#names.attribute(start);
    let position = start + this.#names.length;
    let flags = VERBATIM;
    if (bytes[position] !== 0x3d || bytes[position + 1] !== 0x22) {
      flags = 0;
      position = this.#equals(position);
    }
    const valueStart = position + 2;
    const quote = bytes[valueStart - 1] as number;
    const rows = tree.atoms.rows;
    const atom = name << ATOM_SHIFT;
    const nameFlags = rows[atom + ATOM_FLAGS] as number;
    // Messages declare the same namespaces over and over.
    const uri =
      (nameFlags & ATOM_DECLARES) !== 0
        ? this.#declarations.guess(this.#source, name, valueStart, quote)
        : ATOM_NONE;
    let valueEnd = uri === ATOM_NONE ? plainValueEnd(bytes, valueStart) : valueStart + tree.atoms.length(uri);
    if (bytes[valueEnd] !== quote) {
      valueEnd = this.#value(valueStart, valueEnd, quote);
      if (this.#valueCoded) flags |= CODED;
      if (this.#valueRewritten) flags &= ~VERBATIM;
    }
    if (valueEnd - valueStart > this.#limits.attribute)
      throw overLimit('attribute', this.#limits, valueStart);
    if (rows[atom + ATOM_STAMP] === this.#stamp) throw malformed('an attribute is given twice', start);
    rows[atom + ATOM_STAMP] = this.#stamp;
    let prefix = rows[atom + ATOM_PREFIX] as number;
    if ((nameFlags & ATOM_DECLARES) !== 0) {
      flags |= DECLARATION;
      this.#flags |= DECLARES;
      prefix = rows[atom + ATOM_DECLARED] as number;
    } else if (prefix !== ATOM_NONE) this.#qualified++;
    if ((nameFlags & (ATOM_ID | ATOM_ASKED)) !== ATOM_ASKED && this.#names.mayNameAnId(name))
      this.#candidates++;
    if ((flags & VERBATIM) === 0) this.#flags &= ~LEXICAL;
    const row = tree.newAttribute();
    const attributes = tree.attributes;
    attributes[row + NAME_START] = start;
    attributes[row + VALUE_START] = valueStart;
    attributes[row + VALUE_END] = valueEnd;
    attributes[row + ATTRIBUTE_NAME] = name;
    attributes[row + ATTRIBUTE_URI] = uri;
    attributes[row + ATTRIBUTE_PREFIX] = prefix;
    attributes[row + ATTRIBUTE_FLAGS] = flags;
    return valueEnd + 1;
  }

  /** Finds the quote where `="` does not follow at once; returns the offset one before it. */
  #equals(from: number): number {
    const bytes = this.#bytes;
    const equals = blankEnd(bytes, from);
    if (bytes[equals] !== 0x3d) throw malformed('an attribute has no value', equals);
    const quote = blankEnd(bytes, equals + 1);
    if (bytes[quote] !== 0x22 && bytes[quote] !== 0x27) {
      throw malformed('an attribute value is not quoted', quote);
    }
    return quote - 1;
  }

  #valueCoded = false;
  #valueRewritten = false;

  /** Checks an attribute value from `from` on; returns the offset of its closing quote. */
  #value(start: number, from: number, quote: number): number {
    const bytes = this.#bytes;
    const end = bytes.length;
    this.#valueCoded = false;
    this.#valueRewritten = false;
    for (let at = from; at < end; at = plainValueEnd(bytes, at)) {
      if (bytes[at] === quote) return at;
      at = this.#special(at, end);
    }
    throw malformed('an attribute value is not closed', start);
  }

  /** Looks at a byte of an attribute value that is not plain; returns the offset to go on from. */
  #special(at: number, end: number): number {
    const bytes = this.#bytes;
    switch (valueBytes[bytes[at] as number]) {
      case TEXT_REFERENCE: {
        const after = referenceEnd(bytes, at, end);
        const point = referenceValue(bytes, at, after);
        this.#valueCoded = true;
        if (!canonicalInValue(bytes, at, after, point)) this.#valueRewritten = true;
        return after;
      }
      case TEXT_QUOTE:
        if (bytes[at] === 0x22) this.#valueRewritten = true;
        return at + 1;
      case TEXT_BLANK:
        this.#valueCoded = true;
        this.#valueRewritten = true;
        return at + 1;
      case TEXT_HIGH:
        refuseNonCharacter(bytes, at);
        return at + 3;
      case TEXT_LESS:
        throw malformed('`<` stands in an attribute value', at);
      case TEXT_ILLEGAL:
      default:
        throw malformed('a character is not allowed in XML', at);
    }
  }

  /** Resolves the prefixes of attributes, refuses duplicates, indexes ids. */
  #resolve(element: NodeId, first: number, count: number): void {
    const tree = this.#tree;
    const attributes = tree.attributes;
    const rows = tree.atoms.rows;
    for (let index = first; index < first + count; index++) {
      const row = index << ATTRIBUTE_SHIFT;
      if (((attributes[row + ATTRIBUTE_FLAGS] as number) & DECLARATION) !== 0) continue;
      const prefix = attributes[row + ATTRIBUTE_PREFIX] as number;
      if (prefix !== ATOM_NONE) {
        const uri = rows[(prefix << ATOM_SHIFT) + ATOM_BINDING] as number;
        if (uri < 0) throw this.#unbound(prefix, attributes[row + NAME_START] as number);
        attributes[row + ATTRIBUTE_URI] = uri;
        this.#flags |= prefix === ATOM_XML ? XML_ATTRIBUTES : PREFIXED;
      }
      const name = (attributes[row + ATTRIBUTE_NAME] as number) << ATOM_SHIFT;
      if (((rows[name + ATOM_FLAGS] as number) & ATOM_ID) === 0) continue;
      if (!this.#ids.index(element, row, this.#bytes)) continue;
      if ((this.#flags & IDENTIFIED) !== 0) throw this.#ids.twoIds(row);
      this.#flags |= IDENTIFIED;
    }
    if (this.#qualified > 1) this.#refuseDuplicates(first, count);
  }

  /** No two attributes may have the same local part and namespace name (Namespaces in XML 1.0 §6.3). */
  #refuseDuplicates(first: number, count: number): void {
    const attributes = this.#tree.attributes;
    for (let index = first; index < first + count; index++) {
      const row = index << ATTRIBUTE_SHIFT;
      const uri = attributes[row + ATTRIBUTE_URI] as number;
      if (uri === ATOM_NONE || ((attributes[row + ATTRIBUTE_FLAGS] as number) & DECLARATION) !== 0) continue;
      for (let other = first; other < index; other++) {
        const second = other << ATTRIBUTE_SHIFT;
        if (attributes[second + ATTRIBUTE_URI] !== uri) continue;
        if (((attributes[second + ATTRIBUTE_FLAGS] as number) & DECLARATION) !== 0) continue;
        const name = attributes[row + ATTRIBUTE_NAME] as number;
        if (sameLocal(this.#tree, name, attributes[second + ATTRIBUTE_NAME] as number)) {
          throw malformed('an attribute is given twice', attributes[row + NAME_START] as number);
        }
      }
    }
  }

  #unbound(prefix: number, offset: number): Error {
    return malformed(`the prefix "${this.#tree.atoms.text(prefix)}" is not bound to a namespace`, offset);
  }
}

/** The offset after white space. */
function blankEnd(bytes: Buffer, start: number): number {
  let at = start;
  while (isBlank(bytes[at])) at++;
  return at;
}

/** The offset of the first byte from `start` on that is not plain in an attribute value. */
function plainValueEnd(bytes: Buffer, start: number): number {
  const table = valueBytes;
  const end = bytes.length;
  let at = start;
  while (at < end && table[bytes[at] as number] === 0) at++;
  return at;
}
