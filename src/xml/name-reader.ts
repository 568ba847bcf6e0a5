import type { Limits } from '../core/limits.js';
import * as atomNames from './atoms.js';
import { isNcNameBytes } from './chars.js';
import * as chars from './chars.js';
import type { IdIndexer } from './ids.js';
import * as octets from './octets.js';
import { malformed, overLimit } from './refusal.js';
import * as tables from './tables.js';
import { nothing, type Source, type Tree } from './tree.js';

// V8 folds a module's own constants, but not imported ones (perf/README.md).
const { ATOM_NONE, ATOM_XMLNS } = atomNames;
const { nameBytes } = chars;
const { sameBytes } = octets;
const {
  ATOM_AFTER,
  ATOM_ASKED,
  ATOM_DECLARED,
  ATOM_DECLARES,
  ATOM_END,
  ATOM_FLAGS,
  ATOM_ID,
  ATOM_KEY,
  ATOM_LOCAL,
  ATOM_NAME,
  ATOM_NEXT,
  ATOM_PREFIX,
  ATOM_SEEN_NAME,
  ATOM_SEEN_PREFIX,
  ATOM_SHIFT,
  ATOM_SOURCE,
  ATOM_START,
} = tables;

/** Reads names of elements and attributes, checks each distinct one once and splits it. What it finds is remembered
 * for later messages (atoms.ts); limits count anew for each. */
export class NameReader {
  /** How long the name is that was read last. */
  length = 0;
  readonly #tree: Tree;
  #limits: Limits;
  readonly #ids: IdIndexer;
  #source: Source;
  #bytes: Buffer;
  #view: DataView;
  /** Where the names are that the parser remembers: nearly all. */
  readonly #memory: DataView;
  /** The name read last. */
  #last = 0;
  /** The name of the element read last. */
  #element = 0;
  #document = 0;
  #names = 0;
  #prefixes = 0;

  constructor(tree: Tree, limits: Limits, ids: IdIndexer) {
    this.#tree = tree;
    this.#limits = limits;
    this.#ids = ids;
    this.#source = nothing;
    this.#bytes = nothing.bytes;
    this.#view = nothing.view;
    this.#memory = tree.source(0).view;
  }

  /** Begins a document. */
  begin(limits: Limits): void {
    this.#limits = limits;
    this.#document = this.#tree.atoms.document;
    this.#last = 0;
    this.#element = 0;
    this.#names = 0;
    this.#prefixes = 0;
  }

  /** Reads from `source` from now on. */
  enter(source: Source): void {
    this.#source = source;
    this.#bytes = source.bytes;
    this.#view = source.view;
  }

  /** The atom of the element name at `start`; `length` is how long it is. */
  element(start: number): number {
    this.#element = this.#read(start, (this.#element << ATOM_SHIFT) + ATOM_AFTER);
    return this.#element;
  }

  /** The atom of the attribute name at `start`; `length` is how long it is. */
  attribute(start: number): number {
    return this.#read(start, (this.#last << ATOM_SHIFT) + ATOM_NEXT);
  }

  /**
   * Messages repeat themselves: what stands in `cell`, the name that came last in such a place, is tried first, which
   * saves looking for the end and for the atom.
   */
  #read(start: number, cell: number): number {
    const bytes = this.#bytes;
    const { rows } = this.#tree.atoms;
    const guess = rows[cell] as number;
    if (guess !== ATOM_NONE) {
      const row = guess << ATOM_SHIFT;
      const from = rows[row + ATOM_START] as number;
      const length = (rows[row + ATOM_END] as number) - from;
      const end = start + length;
      if (
        end < bytes.length &&
        nameBytes[bytes[end] as number] === 0 &&
        sameBytes(this.#view, start, this.#viewOf(guess), from, length) &&
        (rows[row + ATOM_SEEN_NAME] === this.#document || this.#meet(guess, start))
      ) {
        this.#last = guess;
        this.length = length;
        return guess;
      }
    }
    return this.#other(start, cell);
  }

  #viewOf(name: number): DataView {
    const { atoms } = this.#tree;
    return atoms.rows[(name << ATOM_SHIFT) + ATOM_SOURCE] === 0 ? this.#memory : atoms.octetsOf(name).view;
  }

  /** The atom of a name that was not guessed; it is checked when it is seen for the first time. */
  #other(start: number, cell: number): number {
    const atoms = this.#tree.atoms;
    const bytes = this.#bytes;
    const limit = bytes.length;
    let end = start;
    let colon = -1;
    let plain = nameBytes[bytes[start] as number] === 1;
    for (; end < limit; end++) {
      const kind = nameBytes[bytes[end] as number];
      if (kind === 0) break;
      if (kind === 4) plain = false;
      if (kind === 3) {
        plain = plain && colon < 0 && nameBytes[bytes[end + 1] as number] === 1;
        colon = end;
      }
    }
    const name = atoms.intern(this.#source, start, end);
    if (((atoms.rows[(name << ATOM_SHIFT) + ATOM_FLAGS] as number) & ATOM_NAME) === 0) {
      if (!plain) refuseMalformedName(bytes, start, end);
      this.#admit(name, start, colon, end);
    }
    if (atoms.rows[(name << ATOM_SHIFT) + ATOM_SEEN_NAME] !== this.#document) this.#meet(name, start);
    atoms.rows[cell] = name;
    this.#last = name;
    this.length = end - start;
    return name;
  }

  /** Splits a name that the parser does not remember (Namespaces in XML 1.0 §4). */
  #admit(name: number, start: number, colon: number, end: number): void {
    const atoms = this.#tree.atoms;
    const prefix = colon < 0 ? ATOM_NONE : atoms.intern(this.#source, start, colon);
    const declares = prefix === ATOM_XMLNS || name === ATOM_XMLNS;
    const declared = prefix === ATOM_XMLNS ? atoms.intern(this.#source, colon + 1, end) : ATOM_NONE;
    const rows = atoms.rows;
    const row = name << ATOM_SHIFT;
    rows[row + ATOM_FLAGS] = (rows[row + ATOM_FLAGS] as number) | ATOM_NAME | (declares ? ATOM_DECLARES : 0);
    rows[row + ATOM_PREFIX] = prefix;
    rows[row + ATOM_DECLARED] = declared;
    // Relative to the atom's own text: the same name may be met again in another source.
    const local = colon < 0 ? start : colon + 1;
    rows[row + ATOM_LOCAL] = (rows[row + ATOM_START] as number) + local - start;
    rows[row + ATOM_KEY] = orderKey(this.#bytes, local, end);
  }

  /** Whether an attribute of this name may be an id; looked up once for each name. */
  mayNameAnId(name: number): boolean {
    const { atoms } = this.#tree;
    const row = name << ATOM_SHIFT;
    const flags = atoms.rows[row + ATOM_FLAGS] as number;
    if ((flags & ATOM_ASKED) !== 0) return (flags & ATOM_ID) !== 0;
    const local = atoms.rows[row + ATOM_LOCAL] as number;
    const isId = this.#ids.mayNameAnId(atoms.bytesOf(name), local, atoms.rows[row + ATOM_END] as number);
    atoms.rows[row + ATOM_FLAGS] = flags | ATOM_ASKED | (isId ? ATOM_ID : 0);
    return isId;
  }

  /** Counts a name that this document has for the first time, and its prefixes; false if it was never a name. */
  #meet(name: number, start: number): boolean {
    const { atoms } = this.#tree;
    const row = name << ATOM_SHIFT;
    if (((atoms.rows[row + ATOM_FLAGS] as number) & ATOM_NAME) === 0) return false;
    atoms.rows[row + ATOM_SEEN_NAME] = this.#document;
    if (atoms.length(name) > this.#limits.name) throw overLimit('name', this.#limits, start);
    if (++this.#names > this.#limits.names) throw overLimit('names', this.#limits, start);
    this.#meetPrefix(atoms.rows[row + ATOM_PREFIX] as number, start);
    this.#meetPrefix(atoms.rows[row + ATOM_DECLARED] as number, start);
    return true;
  }

  #meetPrefix(prefix: number, start: number): void {
    const { atoms } = this.#tree;
    const seen = (prefix << ATOM_SHIFT) + ATOM_SEEN_PREFIX;
    if (prefix <= ATOM_XMLNS || atoms.rows[seen] === this.#document) return;
    atoms.rows[seen] = this.#document;
    if (++this.#prefixes > this.#limits.namespaces) throw overLimit('namespaces', this.#limits, start);
  }
}

/**
 * Refuses what is no QName (Namespaces in XML 1.0 [7]).
 *
 * @throws XML_NOT_WELL_FORMED
 */
function refuseMalformedName(bytes: Buffer, start: number, end: number): void {
  const first = bytes.subarray(start, end).indexOf(0x3a);
  const colon = first < 0 ? end : start + first;
  const local = colon < end ? colon + 1 : start;
  const valid = isNcNameBytes(bytes, local, end) && (colon === end || isNcNameBytes(bytes, start, colon));
  if (!valid) throw malformed('a name is missing or not a name', start);
}

/** Four bytes as a signed number: the smallest stands for none at all, since no name holds a null. */
function orderKey(bytes: Buffer, start: number, end: number): number {
  let key = 0;
  for (let at = start; at < start + 4; at++) key = (key << 8) | (at < end ? (bytes[at] as number) : 0);
  return key ^ -0x80000000;
}
