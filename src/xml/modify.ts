import { isUtf8 } from 'node:buffer';
import { CountersignError } from '../core/errors.js';
import type { Base64Writer } from './base64-writer.js';
import {
  contentRange,
  elementRange,
  placeAtEnd,
  placeBefore,
  recordEdit,
  slicesOf,
  tagRange,
  type Range,
} from './edits.js';
import { asBuffer } from './encoding.js';
import { checkJoins } from './joins.js';
import type { Parser } from './parser.js';
import { malformed, refusal } from './refusal.js';
import { eachDeclaration, inScope, prefixOf } from './scope.js';
import {
  ATTRIBUTE_PREFIX,
  CLOSE_START,
  DETACHED,
  EDITED,
  EMPTY,
  END,
  FIRST,
  FLAGS,
  NAME,
  NAME_START,
  NEXT,
  OPEN_END,
  PARENT,
  SOURCE,
  START,
  VALUE_END,
} from './tables.js';
import { NONE, type NodeId, type Source, type Tree } from './tree.js';
import { escapeAttribute } from './write.js';

export interface Attribute {
  /** Namespace name; empty for none. */
  readonly namespace: string;
  readonly prefix: string;
  readonly local: string;
  readonly value: string;
}

/** What may stand in the place of an element: any content, or exactly one element. */
export type GraftMode = 'fragment' | 'content' | 'element';

/** Changes of a document. Each changes the tree and records the edit of the bytes, so that both always agree. */
export class Modifier {
  #tree: Tree;
  readonly #parser: Parser;
  readonly #root: NodeId;
  /** Which EncryptedData a grafted element came from. */
  readonly #origins = new Map<NodeId, NodeId>();

  constructor(tree: Tree, parser: Parser, root: NodeId) {
    this.#tree = tree;
    this.#parser = parser;
    this.#root = root;
  }

  release(tree: Tree): void {
    this.#tree = tree;
  }

  contains(ancestor: NodeId, element: NodeId): boolean {
    if (this.#tree.contains(ancestor, element)) return true;
    if (this.#origins.size === 0) return false;
    const pending = [element];
    for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
      if (at === ancestor) return true;
      const origin = this.#origins.get(at);
      if (origin !== undefined) pending.push(origin);
      const parent = this.#tree.get(at, PARENT);
      if (parent !== NONE) pending.push(parent);
    }
    return false;
  }

  isInView(element: NodeId): boolean {
    for (let at = element; at !== NONE; at = this.#tree.get(at, PARENT))
      if ((this.#tree.get(at, FLAGS) & DETACHED) !== 0) return false;
    return true;
  }

  setAttribute(element: NodeId, attribute: Attribute): void {
    this.#requireInView(element);
    const scope = inScope(this.#tree, element);
    const { prefix, declare } = this.#prefixFor(element, scope, attribute);
    const name = prefix === '' ? attribute.local : `${prefix}:${attribute.local}`;
    const declaration = declare ? ` xmlns:${prefix}="${escapeAttribute(attribute.namespace)}"` : '';
    const added = Buffer.from(`${declaration} ${name}="${escapeAttribute(attribute.value)}"`);
    const tag = this.#tagBytes(element);
    const tail = (this.#tree.get(element, FLAGS) & EMPTY) === 0 ? 1 : 2;
    const head = tag.subarray(0, tag.length - tail);
    this.#replaceTag(element, Buffer.concat([head, added, tag.subarray(tag.length - tail)]));
  }

  removeAttribute(element: NodeId, row: number): void {
    this.#requireInView(element);
    const prefix = this.#tree.attributes[row + ATTRIBUTE_PREFIX] as number;
    this.#cutAttribute(element, row);
    let declared = -1;
    eachDeclaration(this.#tree, element, (candidate, _uri, at) => {
      if (candidate === prefix) declared = at;
    });
    if (declared >= 0 && !this.#mentions(element, prefix)) this.#cutAttribute(element, declared);
  }

  insert(parent: NodeId, before: NodeId, xml: Uint8Array): NodeId[] {
    this.#requireInView(parent);
    if (before !== NONE && this.#tree.get(before, PARENT) !== parent) {
      throw conflict('the place to insert at is not a child of the parent');
    }
    if (before === NONE) this.#openUp(parent);
    else this.#requireInView(before);
    const place = before === NONE ? placeAtEnd(this.#tree, parent) : placeBefore(this.#tree, before);
    const top = this.#splice(place, xml, parent);
    this.#link(parent, this.#siblingBefore(parent, before), before, top);
    return top;
  }

  replaceContent(element: NodeId, xml: Uint8Array): NodeId[] {
    this.#requireInView(element);
    this.#openUp(element);
    for (let at = this.#tree.get(element, FIRST); at !== NONE; at = this.#tree.get(at, NEXT))
      this.#detach(at);
    const top = this.#splice(contentRange(this.#tree, element), xml, element);
    this.#link(element, NONE, NONE, top);
    return top;
  }

  replaceElement(element: NodeId, xml: Uint8Array, mode: GraftMode): NodeId[] {
    this.#requireInView(element);
    if (element === this.#root) throw conflict('the root element cannot be replaced');
    const parent = this.#tree.get(element, PARENT);
    const before = this.#siblingBefore(parent, element);
    const after = this.#tree.get(element, NEXT);
    this.#detach(element);
    const top = this.#splice(elementRange(this.#tree, element), xml, parent, mode === 'element');
    this.#link(parent, before, after, top);
    if (mode !== 'fragment') for (const grafted of top) this.#origins.set(grafted, element);
    return top;
  }

  /** Text of base64 can neither be malformed nor read otherwise beside a tag: it goes in as it is. */
  fill(element: NodeId, text: Base64Writer): void {
    this.#requireInView(element);
    if (this.#tree.get(element, FIRST) !== NONE) throw conflict('an element with children is not filled');
    this.#openUp(element);
    recordEdit(contentRange(this.#tree, element), this.#tree.addSource(text.end()));
  }

  remove(element: NodeId): void {
    this.#requireInView(element);
    if (element === this.#root) throw conflict('the root element cannot be removed');
    const parent = this.#tree.get(element, PARENT);
    const before = this.#siblingBefore(parent, element);
    const after = this.#tree.get(element, NEXT);
    this.#detach(element);
    recordEdit(elementRange(this.#tree, element), undefined);
    this.#link(parent, before, after, []);
    checkJoins(contentRange(this.#tree, parent));
  }

  /** Parses a fragment, records it in the place of `range` and looks at its seams. */
  #splice(range: Range, xml: Uint8Array, parent: NodeId, single = false): NodeId[] {
    // Decrypted octets were never looked at before: they are held to the rule of the message itself.
    if (!isUtf8(xml)) throw refusal('XML_ENCODING', 'a fragment is not valid UTF-8', 0);
    const source = this.#tree.addSource(asBuffer(xml));
    const top = this.#parser.fragment(source, parent);
    if (single) this.#requireOneElement(source, top);
    recordEdit(range, source);
    checkJoins(contentRange(this.#tree, parent));
    return top;
  }

  #requireOneElement(source: Source, top: readonly NodeId[]): void {
    const [element] = top;
    if (element === undefined || top.length > 1) throw malformed('a decrypted element is not one element', 0);
    const before = source.bytes.toString('latin1', 0, this.#tree.get(element, START));
    const after = source.bytes.toString('latin1', this.#tree.get(element, END));
    if (/[^ \t\r\n]/.test(before + after))
      throw malformed('there is something beside a decrypted element', 0);
  }

  /** Takes `element` out of the view; its links are mended by `#link`. Ids in it are no longer found. */
  #detach(element: NodeId): void {
    const tree = this.#tree;
    tree.set(element, FLAGS, tree.get(element, FLAGS) | DETACHED);
    if (tree.ids.size > 0) tree.walk(element, (inside) => this.#forgetId(inside));
  }

  #forgetId(element: NodeId): void {
    const id = this.#tree.idOf.get(element);
    if (id === undefined) return;
    this.#tree.ids.delete(id);
    this.#tree.idOf.delete(element);
  }

  /** Links `top` as children of `parent` between two siblings. */
  #link(parent: NodeId, before: NodeId, after: NodeId, top: readonly NodeId[]): void {
    const tree = this.#tree;
    const first = top[0] ?? after;
    if (before === NONE) tree.set(parent, FIRST, first);
    else tree.set(before, NEXT, first);
    for (let index = 0; index < top.length; index++)
      tree.set(top[index] as NodeId, NEXT, top[index + 1] ?? after);
  }

  /** The child of `parent` before `element`, the last one for NONE. */
  #siblingBefore(parent: NodeId, element: NodeId): NodeId {
    let before = NONE;
    for (let at = this.#tree.get(parent, FIRST); at !== NONE && at !== element; at = this.#tree.get(at, NEXT))
      before = at;
    return before;
  }

  #requireInView(element: NodeId): void {
    if (!this.isInView(element)) throw conflict('the element to edit is no longer part of the document');
  }

  #tagBytes(element: NodeId): Buffer {
    const edited = this.#tree.tags.get(element);
    if (edited !== undefined) return edited.bytes;
    const { source, start, end } = tagRange(this.#tree, element);
    return source.bytes.subarray(start, end);
  }

  /** Puts another start tag in the place of that of `element`. */
  #replaceTag(element: NodeId, bytes: Buffer): void {
    const tree = this.#tree;
    this.#forgetId(element);
    const source = tree.addSource(bytes);
    const home = tree.get(element, SOURCE);
    this.#parser.startTag(source, element);
    tree.set(element, SOURCE, home);
    tree.set(element, FLAGS, tree.get(element, FLAGS) | EDITED);
    tree.tags.set(element, source);
    // Insertions at its rims are the neighbours’: a Header before this Body stays.
    recordEdit(tagRange(tree, element), source, element);
  }

  #cutAttribute(element: NodeId, row: number): void {
    const tag = this.#tagBytes(element);
    const offset = this.#tree.tags.has(element) ? 0 : this.#tree.get(element, START);
    let start = (this.#tree.attributes[row + NAME_START] as number) - offset;
    const end = (this.#tree.attributes[row + VALUE_END] as number) + 1 - offset;
    while (start > 0 && (tag[start - 1] as number) <= 0x20) start--;
    this.#replaceTag(element, Buffer.concat([tag.subarray(0, start), tag.subarray(end)]));
  }

  /** Whether `prefix:` stands anywhere in the element, in names or in values (a QName in content). */
  #mentions(element: NodeId, prefix: number): boolean {
    const needle = `${this.#tree.atoms.text(prefix)}:`;
    return slicesOf(elementRange(this.#tree, element)).some((slice) => asBuffer(slice).includes(needle));
  }

  /** Writes an empty-element tag as start tag and end tag, so that there is a place for content. */
  #openUp(element: NodeId): void {
    const tree = this.#tree;
    if ((tree.get(element, FLAGS) & EMPTY) === 0) return;
    const tag = this.#tagBytes(element);
    const head = tag.subarray(0, tag.length - 2);
    const bytes = Buffer.concat([head, Buffer.from(`></${tree.atoms.text(tree.get(element, NAME))}>`)]);
    const range = elementRange(tree, element);
    this.#forgetId(element);
    const source = tree.addSource(bytes);
    this.#parser.startTag(source, element, head.length + 1);
    tree.tags.delete(element);
    tree.set(element, START, 0);
    tree.set(element, OPEN_END, head.length + 1);
    tree.set(element, CLOSE_START, head.length + 1);
    tree.set(element, END, bytes.length);
    source.first = element;
    source.last = element + 1;
    recordEdit(range, source);
  }

  /** The prefix to write an attribute with, and whether it must be declared. */
  #prefixFor(
    element: NodeId,
    scope: ReadonlyMap<string, string>,
    attribute: Attribute,
  ): { prefix: string; declare: boolean } {
    const { namespace, prefix } = attribute;
    if (namespace === '') return { prefix: '', declare: false };
    if (prefix !== '' && scope.get(prefix) === namespace) return { prefix, declare: false };
    if (prefix !== '' && !scope.has(prefix)) return { prefix, declare: true };
    const bound = prefixOf(this.#tree, element, namespace);
    if (bound !== undefined) return { prefix: bound, declare: false };
    let number = 1;
    while (scope.has(`${prefix || 'ns'}${number}`)) number++;
    return { prefix: `${prefix || 'ns'}${number}`, declare: true };
  }
}

function conflict(what: string): CountersignError {
  return new CountersignError('XML_EDIT_CONFLICT', what);
}
