import type { CountersignError } from '../core/errors.js';
import type { Limits } from '../core/limits.js';
import { isIdToken, isPlainName } from './chars.js';
import { decode } from './references.js';
import { overLimit, refusal } from './refusal.js';
import {
  ATTRIBUTE_FLAGS,
  ATTRIBUTE_NAME,
  ATTRIBUTE_URI,
  CODED,
  NAME_START,
  URI,
  VALUE_END,
  VALUE_START,
} from './tables.js';
import type { NodeId, Tree } from './tree.js';

/** Which attributes are ids. Everything else is a plain attribute, whatever it is called. */
export interface IdRules {
  /** Attributes that are an id on any element. */
  readonly anywhere: readonly { readonly namespace: string; readonly local: string }[];
  /** Attributes without a namespace that are an id on elements of the listed namespaces only. */
  readonly unqualified: readonly { readonly local: string; readonly namespaces: readonly string[] }[];
}

const noRules: IdRules = { anywhere: [], unqualified: [] };

/** Fills the id index while start tags are read. */
export class IdIndexer {
  readonly #tree: Tree;
  #limits: Limits;
  #rules: IdRules = noRules;
  /** The bytes that the rules' local names end with: most names of a message end otherwise. */
  readonly #lastBytes = new Uint8Array(256);

  constructor(tree: Tree, limits: Limits) {
    this.#tree = tree;
    this.#limits = limits;
  }

  /** Begins a document. */
  begin(limits: Limits, rules: IdRules | undefined): void {
    this.#limits = limits;
    if (rules === this.#rules) return;
    this.#rules = rules ?? noRules;
    this.#lastBytes.fill(0);
    for (const { local } of [...this.#rules.anywhere, ...this.#rules.unqualified]) {
      this.#lastBytes[local.charCodeAt(local.length - 1)] = 1;
    }
  }

  /** Whether any rule speaks of this local name. */
  mayNameAnId(bytes: Buffer, start: number, end: number): boolean {
    if (this.#lastBytes[bytes[end - 1] as number] !== 1) return false;
    const { anywhere, unqualified } = this.#rules;
    for (const { local } of anywhere) if (spells(bytes, start, end, local)) return true;
    for (const { local } of unqualified) if (spells(bytes, start, end, local)) return true;
    return false;
  }

  /**
   * Indexes the attribute in `row` of `element` if it is an id; returns whether it is.
   *
   * @throws XML_ID_INVALID XML_ID_DUPLICATE XML_LIMIT
   */
  index(element: NodeId, row: number, bytes: Buffer): boolean {
    if (!this.#isId(element, row)) return false;
    const tree = this.#tree;
    const offset = tree.attributes[row + NAME_START] as number;
    const start = tree.attributes[row + VALUE_START] as number;
    const end = tree.attributes[row + VALUE_END] as number;
    const coded = ((tree.attributes[row + ATTRIBUTE_FLAGS] as number) & CODED) !== 0;
    // Nearly all ids are made of few characters of ASCII, which need no decoding and no second look.
    const plain = isPlainName(bytes, start, end);
    const id = coded
      ? decode(bytes, start, end, 'value').toString()
      : bytes.toString(plain ? 'latin1' : 'utf8', start, end);
    if (!plain && !isIdToken(id))
      throw refusal('XML_ID_INVALID', 'an id is not made of name characters', offset);
    if (tree.ids.has(id))
      throw refusal('XML_ID_DUPLICATE', `the id "${id.slice(0, 80)}" is given twice`, offset);
    if (tree.ids.size >= this.#limits.ids) throw overLimit('ids', this.#limits, offset);
    tree.ids.set(id, element);
    tree.idOf.set(element, id);
    return true;
  }

  /** The error for an element with two ids: a reference could mean either (research/security.md XSW-10). */
  twoIds(row: number): CountersignError {
    return refusal(
      'XML_ID_INVALID',
      'an element carries two ids',
      this.#tree.attributes[row + NAME_START] as number,
    );
  }

  #isId(element: NodeId, row: number): boolean {
    const { atoms, attributes } = this.#tree;
    const name = attributes[row + ATTRIBUTE_NAME] as number;
    const local = atoms.local(name);
    const uri = atoms.text(attributes[row + ATTRIBUTE_URI] as number);
    const { anywhere, unqualified } = this.#rules;
    for (const rule of anywhere) if (rule.local === local && rule.namespace === uri) return true;
    if (uri !== '') return false;
    const owner = atoms.text(this.#tree.get(element, URI));
    for (const rule of unqualified) if (rule.local === local && rule.namespaces.includes(owner)) return true;
    return false;
  }
}

/** Whether the bytes are `text`. Names of id attributes are ASCII. */
function spells(bytes: Buffer, start: number, end: number, text: string): boolean {
  if (end - start !== text.length) return false;
  for (let at = 0; at < text.length; at++) if (bytes[start + at] !== text.charCodeAt(at)) return false;
  return true;
}
