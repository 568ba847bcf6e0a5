import type { Scratch } from '../core/buffers.js';
import { CountersignError } from '../core/errors.js';
import type { Limits } from '../core/limits.js';
import { ATOM_NONE } from './atoms.js';
import type { Base64Writer } from './base64-writer.js';
import { hasNonWhitespaceText, leafBase64, leafText } from './content.js';
import { contentRange, elementRange, slicesOf, wholeRange } from './edits.js';
import { readEncoding } from './encoding.js';
import type { IdRules } from './ids.js';
import { Modifier, type Attribute, type GraftMode } from './modify.js';
import { returnParser, takeParser, type Parser } from './parser.js';
import { decode } from './references.js';
import { inScope, prefixOf, tagSource } from './scope.js';
import {
  ATTRIBUTE,
  ATTRIBUTE_FLAGS,
  ATTRIBUTE_NAME,
  ATTRIBUTE_PREFIX,
  ATTRIBUTE_SHIFT,
  ATTRIBUTE_URI,
  ATTRIBUTES,
  CODED,
  DECLARATION,
  FIRST,
  NAME,
  NEXT,
  PARENT,
  PREFIX,
  URI,
  VALUE_END,
  VALUE_START,
} from './tables.js';
import { NONE, Tree, type NodeId } from './tree.js';

/** What a released document holds: nothing. */
const released = new Tree();

export interface ParseOptions {
  readonly limits: Limits;
  /** Which attributes are ids; none, if not given. */
  readonly ids?: IdRules;
  /** Accept UTF-16 with a byte order mark; it is turned into UTF-8 before anything else. */
  readonly utf16?: boolean;
  /** Where large octets go that the document makes; slices of it are good until that is released. */
  readonly scratch?: Scratch;
}

/** A document as slices of bytes, to be written one after the other. */
export interface Rendered {
  readonly slices: Uint8Array[];
  /** Sum of the slices' lengths, in bytes. */
  readonly length: number;
}

/**
 * Parses a message. `bytes` must not change while the document lives.
 *
 * @throws XML_NOT_WELL_FORMED XML_ENCODING XML_DOCTYPE XML_PROCESSING_INSTRUCTION XML_LIMIT XML_ID_DUPLICATE
 *   XML_ID_INVALID
 */
export function parseDocument(bytes: Uint8Array, options: ParseOptions): XmlDocument {
  const encoded = readEncoding(bytes, options.utf16 ?? false);
  const parser = takeParser(options.limits);
  try {
    parser.begin(encoded.bytes, options.limits, options.ids);
    const root = parser.message(encoded.start);
    return new XmlDocument(parser, root, encoded.transcoded, options.scratch);
  } catch (error) {
    returnParser(parser, false);
    throw error;
  }
}

/**
 * A parsed message: its original bytes, a tree of offsets into them, and the edits made since. What is read shows the
 * message as edited; so do canonical form and slices.
 */
export class XmlDocument {
  readonly root: NodeId;
  /** The bytes are not those that came in: UTF-16 was turned into UTF-8. */
  readonly transcoded: boolean;
  /** Where large octets go. */
  readonly scratch: Scratch | undefined;
  #tree: Tree;
  readonly #parser: Parser;
  #lazyModifier: Modifier | undefined;
  #version = 0;

  constructor(parser: Parser, root: NodeId, transcoded: boolean, scratch?: Scratch) {
    this.#tree = parser.tree;
    this.root = root;
    this.transcoded = transcoded;
    this.scratch = scratch;
    this.#parser = parser;
  }

  /** Counts edits and grafts. */
  get version(): number {
    return this.#version;
  }

  /** The tables, for the rest of the XML core. Not part of the public interface. */
  get tree(): Tree {
    return this.#tree;
  }

  /** The element around `element`, or NONE. Of an element that was replaced: the one that was around it. */
  parent(element: NodeId): NodeId {
    return this.#tree.get(element, PARENT);
  }

  firstChild(element: NodeId): NodeId {
    return this.#tree.get(element, FIRST);
  }

  nextSibling(element: NodeId): NodeId {
    return this.#tree.get(element, NEXT);
  }

  /** The child elements, in document order. */
  children(element: NodeId): NodeId[] {
    const children: NodeId[] = [];
    for (let at = this.firstChild(element); at !== NONE; at = this.nextSibling(at)) children.push(at);
    return children;
  }

  localName(element: NodeId): string {
    return this.#tree.atoms.local(this.#tree.get(element, NAME));
  }

  /** The namespace name; empty for none. */
  namespace(element: NodeId): string {
    return this.#tree.atoms.text(this.#tree.get(element, URI));
  }

  prefix(element: NodeId): string {
    return this.#tree.atoms.text(this.#tree.get(element, PREFIX));
  }

  /** Whether the expanded name of `element` is this one. */
  is(element: NodeId, namespace: string, local: string): boolean {
    // Local names are short and mostly tell.
    return this.localName(element) === local && this.namespace(element) === namespace;
  }

  /** The value of an attribute; `namespace` is empty for none. */
  attribute(element: NodeId, namespace: string, local: string): string | undefined {
    const row = this.#attributeRow(element, namespace, local);
    return row === undefined ? undefined : this.#value(element, row);
  }

  /** The local name of the first attribute without a namespace that is none of `allowed`. */
  unknownAttribute(element: NodeId, allowed: readonly string[]): string | undefined {
    const { atoms, attributes } = this.#tree;
    const first = this.#tree.get(element, ATTRIBUTE);
    const last = first + this.#tree.get(element, ATTRIBUTES);
    for (let index = first; index < last; index++) {
      const row = index << ATTRIBUTE_SHIFT;
      if (((attributes[row + ATTRIBUTE_FLAGS] as number) & DECLARATION) !== 0) continue;
      if (attributes[row + ATTRIBUTE_URI] !== ATOM_NONE) continue;
      const name = atoms.text(attributes[row + ATTRIBUTE_NAME] as number);
      if (!allowed.includes(name)) return name;
    }
    return undefined;
  }

  /** Whether `element` has an attribute of this namespace, declarations aside. */
  hasAttributeOf(element: NodeId, namespace: string): boolean {
    const { atoms, attributes } = this.#tree;
    for (const row of this.#attributeRows(element))
      if (atoms.text(attributes[row + ATTRIBUTE_URI] as number) === namespace) return true;
    return false;
  }

  /** The attributes as written, declarations aside. */
  attributes(element: NodeId): Attribute[] {
    const { atoms, attributes } = this.#tree;
    return this.#attributeRows(element).map((row) => ({
      namespace: atoms.text(attributes[row + ATTRIBUTE_URI] as number),
      prefix: atoms.text(attributes[row + ATTRIBUTE_PREFIX] as number),
      local: this.#tree.atoms.local(attributes[row + ATTRIBUTE_NAME] as number),
      value: this.#value(element, row),
    }));
  }

  /** What `prefix` (empty: the default) is bound to at `element`; undefined if to nothing. */
  namespaceInScope(element: NodeId, prefix: string): string | undefined {
    const uri = inScope(this.#tree, element).get(prefix);
    return uri === '' ? undefined : uri;
  }

  /** A prefix, not the default, that is bound to `namespace` at `element`. */
  prefixFor(element: NodeId, namespace: string): string | undefined {
    return prefixOf(this.#tree, element, namespace);
  }

  /**
   * Whether `element` is `ancestor` or inside of it. What was grafted in place of an EncryptedData counts as inside of
   * that: a signature over ciphertext covers the plaintext.
   */
  contains(ancestor: NodeId, element: NodeId): boolean {
    return this.#lazyModifier?.contains(ancestor, element) ?? this.#tree.contains(ancestor, element);
  }

  /** Whether `element` is still part of the document: neither it nor an element around it was replaced or removed. */
  isInView(element: NodeId): boolean {
    return this.#lazyModifier?.isInView(element) ?? true;
  }

  /** Names from the root down, as written, for operators. */
  path(element: NodeId): string {
    const { atoms } = this.#tree;
    let path = '';
    for (let at = element; at !== NONE; at = this.parent(at))
      path = `/${atoms.text(this.#tree.get(at, NAME))}${path}`;
    return path;
  }

  /** Whether there is text other than white space directly in `element`. */
  hasNonWhitespaceText(element: NodeId): boolean {
    return hasNonWhitespaceText(this.#tree, element);
  }

  /**
   * The text of an element that holds nothing else.
   *
   * @throws XML_NOT_TEXT
   */
  text(element: NodeId): string {
    return leafText(this.#tree, element);
  }

  /**
   * The octets that the base64 text of an element stands for.
   *
   * @throws XML_NOT_TEXT XML_BASE64
   */
  base64(element: NodeId): Uint8Array {
    return leafBase64(this.#tree, element, this.scratch);
  }

  /** The element that carries this id. */
  elementById(id: string): NodeId | undefined {
    return this.#tree.ids.get(id);
  }

  /** The id of `element`. */
  idOf(element: NodeId): string | undefined {
    return this.#tree.idOf.get(element);
  }

  /**
   * Adds an attribute. Its prefix is declared where it is not in scope, and another one taken where it is bound to
   * something else.
   *
   * @throws XML_EDIT_CONFLICT if the attribute is there, XML_ID_DUPLICATE
   */
  setAttribute(element: NodeId, attribute: Attribute): void {
    if (this.attribute(element, attribute.namespace, attribute.local) !== undefined) {
      throw new CountersignError('XML_EDIT_CONFLICT', `the attribute ${attribute.local} is there already`);
    }
    this.#modifier.setAttribute(element, attribute);
    this.#version++;
  }

  /**
   * Removes an attribute, if it is there, and the declaration of its prefix if it stands on the same element and
   * nothing in the element uses it.
   */
  removeAttribute(element: NodeId, namespace: string, local: string): void {
    const row = this.#attributeRow(element, namespace, local);
    if (row === undefined) return;
    this.#modifier.removeAttribute(element, row);
    this.#version++;
  }

  /**
   * Inserts a fragment into `parent`, before its child `before` or, with NONE, after everything else in it. Returns
   * the top-level elements of the fragment.
   */
  insert(parent: NodeId, before: NodeId, xml: Uint8Array | string): NodeId[] {
    return this.#edited(() => this.#modifier.insert(parent, before, toBytes(xml)));
  }

  /** Puts a fragment in the place of everything in `element`. */
  replaceContent(element: NodeId, xml: Uint8Array | string): NodeId[] {
    return this.#edited(() => this.#modifier.replaceContent(element, toBytes(xml)));
  }

  /**
   * Puts base64 in the place of the text in `element`. It is not looked at: parsing a fragment that holds it would cost
   * as much as encoding it.
   */
  fill(element: NodeId, text: Base64Writer): void {
    this.#modifier.fill(element, text);
    this.#version++;
  }

  /** Puts a fragment in the place of `element`. */
  replaceElement(element: NodeId, xml: Uint8Array | string): NodeId[] {
    return this.#edited(() => this.#modifier.replaceElement(element, toBytes(xml), 'fragment'));
  }

  /** Puts decrypted content (XMLENC 1.1 §4.4, Type Content) in the place of its EncryptedData. */
  graftContent(encryptedData: NodeId, plaintext: Uint8Array): NodeId[] {
    return this.#graft(encryptedData, plaintext, 'content');
  }

  /** Puts a decrypted element (Type Element) in the place of its EncryptedData. */
  graftElement(encryptedData: NodeId, plaintext: Uint8Array): NodeId {
    return this.#graft(encryptedData, plaintext, 'element')[0] ?? NONE;
  }

  /** Takes `element` out. */
  remove(element: NodeId): void {
    this.#modifier.remove(element);
    this.#version++;
  }

  /** The current bytes of an element, or of what stands between its tags. Valid until the next edit. */
  slices(element: NodeId, what: 'element' | 'content'): Uint8Array[] {
    return slicesOf((what === 'element' ? elementRange : contentRange)(this.#tree, element));
  }

  /** The current bytes of the document. Without edits they are the very bytes that were parsed. */
  render(): Rendered {
    const slices = slicesOf(wholeRange(this.#tree.source(1)));
    let length = 0;
    for (let index = 0; index < slices.length; index++) length += (slices[index] as Uint8Array).length;
    return { slices, length };
  }

  /** Gives the tables back for the next message. The document cannot be used afterwards. */
  release(): void {
    if (this.#tree === released) return;
    this.#tree = released;
    this.#lazyModifier?.release(released);
    returnParser(this.#parser, true);
  }

  /** Made when the first edit is: most messages that are only looked at have none. */
  get #modifier(): Modifier {
    return (this.#lazyModifier ??= new Modifier(this.#tree, this.#parser, this.root));
  }

  #graft(encryptedData: NodeId, plaintext: Uint8Array, mode: GraftMode): NodeId[] {
    return this.#edited(() => this.#modifier.replaceElement(encryptedData, toBytes(plaintext), mode));
  }

  #edited(edit: () => NodeId[]): NodeId[] {
    const elements = edit();
    this.#version++;
    return elements;
  }

  #attributeRows(element: NodeId): number[] {
    const first = this.#tree.get(element, ATTRIBUTE);
    const rows: number[] = [];
    for (let index = first; index < first + this.#tree.get(element, ATTRIBUTES); index++) {
      const row = index << ATTRIBUTE_SHIFT;
      if (((this.#tree.attributes[row + ATTRIBUTE_FLAGS] as number) & DECLARATION) === 0) rows.push(row);
    }
    return rows;
  }

  #attributeRow(element: NodeId, namespace: string, local: string): number | undefined {
    const { atoms, attributes } = this.#tree;
    const first = this.#tree.get(element, ATTRIBUTE);
    const last = first + this.#tree.get(element, ATTRIBUTES);
    for (let index = first; index < last; index++) {
      const row = index << ATTRIBUTE_SHIFT;
      const isIt =
        ((attributes[row + ATTRIBUTE_FLAGS] as number) & DECLARATION) === 0 &&
        atoms.local(attributes[row + ATTRIBUTE_NAME] as number) === local &&
        atoms.text(attributes[row + ATTRIBUTE_URI] as number) === namespace;
      if (isIt) return row;
    }
    return undefined;
  }

  #value(element: NodeId, row: number): string {
    const { attributes } = this.#tree;
    const { bytes } = tagSource(this.#tree, element);
    const start = attributes[row + VALUE_START] as number;
    const end = attributes[row + VALUE_END] as number;
    const coded = ((attributes[row + ATTRIBUTE_FLAGS] as number) & CODED) !== 0;
    return coded ? decode(bytes, start, end, 'value').toString() : bytes.toString('utf8', start, end);
  }
}

function toBytes(xml: Uint8Array | string): Uint8Array {
  return typeof xml === 'string' ? Buffer.from(xml) : xml;
}
