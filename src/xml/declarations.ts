import type { Limits } from '../core/limits.js';
import * as atomNames from './atoms.js';
import { refuseReserved, uriFlags } from './namespaces.js';
import { decode } from './references.js';
import { overLimit } from './refusal.js';
import * as tables from './tables.js';
import type { NodeId, Source, Tree } from './tree.js';

// V8 folds a module's own constants, but not imported ones (perf/README.md).
const { ATOM_NONE } = atomNames;
const {
  ATOM_AFTER,
  ATOM_BINDING,
  ATOM_ESCAPED,
  ATOM_FLAGS,
  ATOM_SEEN_URI,
  ATOM_SHIFT,
  ATOM_URI,
  ATTRIBUTE,
  ATTRIBUTES,
  ATTRIBUTE_FLAGS,
  ATTRIBUTE_NAME,
  ATTRIBUTE_PREFIX,
  ATTRIBUTE_SHIFT,
  ATTRIBUTE_URI,
  CODED,
  DECLARATION,
  NAME_START,
  VALUE_END,
  VALUE_START,
  VERBATIM,
} = tables;

/** Namespace declarations: what they declare, and what of it is in force where the parser is. */
export class Declarations {
  readonly #tree: Tree;
  #limits: Limits;
  /** Declarations in force: element, prefix, what the prefix was bound to before. */
  readonly #frames: number[] = [];
  #uris = 0;

  constructor(tree: Tree, limits: Limits) {
    this.#tree = tree;
    this.#limits = limits;
  }

  /** Begins a document. */
  begin(limits: Limits): void {
    this.#limits = limits;
    this.#uris = 0;
  }

  /** Puts the declarations among the `count` attributes from row `first` on in force. */
  declare(source: Source, first: number, count: number, element: NodeId): void {
    const tree = this.#tree;
    let declarations = 0;
    for (let index = first; index < first + count; index++) {
      const row = index << ATTRIBUTE_SHIFT;
      if (((tree.attributes[row + ATTRIBUTE_FLAGS] as number) & DECLARATION) === 0) continue;
      if (++declarations > this.#limits.declarations) {
        throw overLimit('declarations', this.#limits, tree.attributes[row + NAME_START] as number);
      }
      const prefix = tree.attributes[row + ATTRIBUTE_PREFIX] as number;
      const uri = this.#uri(source, row);
      refuseReserved(prefix, uri, tree.attributes[row + NAME_START] as number);
      tree.attributes[row + ATTRIBUTE_URI] = uri;
      this.#bind(element, prefix, uri);
    }
  }

  /** The atom of the namespace name that the declaration in `row` gives. */
  #uri(source: Source, row: number): number {
    const tree = this.#tree;
    const start = tree.attributes[row + VALUE_START] as number;
    const end = tree.attributes[row + VALUE_END] as number;
    if (end - start > this.#limits.uri) throw overLimit('uri', this.#limits, start);
    const guessed = tree.attributes[row + ATTRIBUTE_URI] as number;
    const uri = guessed === ATOM_NONE ? this.#newUri(source, row) : guessed;
    const seen = (uri << ATOM_SHIFT) + ATOM_SEEN_URI;
    if (tree.atoms.rows[seen] !== tree.atoms.document) {
      if (++this.#uris > this.#limits.namespaces) throw overLimit('namespaces', this.#limits, start);
      tree.atoms.rows[seen] = tree.atoms.document;
    }
    return uri;
  }

  /** The atom of a namespace name that was not guessed. */
  #newUri(source: Source, row: number): number {
    const { atoms, attributes } = this.#tree;
    const start = attributes[row + VALUE_START] as number;
    const end = attributes[row + VALUE_END] as number;
    const written = (attributes[row + ATTRIBUTE_FLAGS] as number) & (CODED | VERBATIM);
    let uri: number;
    if ((written & CODED) !== 0) {
      const value = Buffer.from(decode(source.bytes, start, end, 'value'));
      uri = atoms.intern(this.#tree.addSource(value), 0, value.length);
    } else {
      uri = atoms.intern(source, start, end);
    }
    const flags = (uri << ATOM_SHIFT) + ATOM_FLAGS;
    if (((atoms.rows[flags] as number) & ATOM_URI) === 0) {
      atoms.rows[flags] = (atoms.rows[flags] as number) | uriFlags(atoms, uri, written === VERBATIM);
    }
    const name = attributes[row + ATTRIBUTE_NAME] as number;
    atoms.rows[(name << ATOM_SHIFT) + ATOM_AFTER] = uri;
    return uri;
  }

  /** The namespace name that the declaration `name` gave last, if it stands here between `"`; else ATOM_NONE. */
  guess(source: Source, name: number, start: number, quote: number): number {
    const { atoms } = this.#tree;
    const uri = atoms.rows[(name << ATOM_SHIFT) + ATOM_AFTER] as number;
    if (uri === ATOM_NONE || quote !== 0x22) return ATOM_NONE;
    // One that needs no escaping stands as it is and never otherwise.
    const flags = atoms.rows[(uri << ATOM_SHIFT) + ATOM_FLAGS] as number;
    if ((flags & (ATOM_URI | ATOM_ESCAPED)) !== ATOM_URI) return ATOM_NONE;
    const end = start + atoms.length(uri);
    return source.bytes[end] === quote && atoms.stands(uri, source.view, start) ? uri : ATOM_NONE;
  }

  /** Ends the scope of what `element` declared. */
  leave(element: NodeId): void {
    const frames = this.#frames;
    const rows = this.#tree.atoms.rows;
    while (frames.length > 0 && frames[frames.length - 3] === element) {
      const before = frames.pop() as number;
      const prefix = frames.pop() as number;
      frames.pop();
      rows[(prefix << ATOM_SHIFT) + ATOM_BINDING] = before;
    }
  }

  /** Ends every scope. */
  leaveAll(): void {
    while (this.#frames.length > 0) this.leave(this.#frames[this.#frames.length - 3] as number);
  }

  /** Puts the declarations of `element`, read earlier, in force again. */
  reenter(element: NodeId): void {
    const tree = this.#tree;
    const first = tree.get(element, ATTRIBUTE);
    for (let index = first; index < first + tree.get(element, ATTRIBUTES); index++) {
      const row = index << ATTRIBUTE_SHIFT;
      if (((tree.attributes[row + ATTRIBUTE_FLAGS] as number) & DECLARATION) === 0) continue;
      this.#bind(
        element,
        tree.attributes[row + ATTRIBUTE_PREFIX] as number,
        tree.attributes[row + ATTRIBUTE_URI] as number,
      );
    }
  }

  #bind(element: NodeId, prefix: number, uri: number): void {
    const slot = (prefix << ATOM_SHIFT) + ATOM_BINDING;
    this.#frames.push(element, prefix, this.#tree.atoms.rows[slot] as number);
    this.#tree.atoms.rows[slot] = uri;
  }
}
