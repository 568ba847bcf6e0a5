import { ns } from './names.js';
import { copyShort, octetsOf, sameBytes, type Octets } from './octets.js';
import { grown } from './tables.js';
import * as tables from './tables.js';

// V8 folds a module's own constants, but not imported ones (perf/README.md).
const {
  ATOM_BINDING,
  ATOM_DECLARED,
  ATOM_END,
  ATOM_FLAGS,
  ATOM_NAME,
  ATOM_NEXT,
  ATOM_PREFIX,
  ATOM_RENDERED,
  ATOM_SEEN_NAME,
  ATOM_SEEN_PREFIX,
  ATOM_SEEN_URI,
  ATOM_SHIFT,
  ATOM_SOURCE,
  ATOM_START,
  ATOM_AFTER,
} = tables;

/** The empty string: no prefix, no namespace. */
export const ATOM_NONE = 0;
export const ATOM_XML = 1;
export const ATOM_XMLNS = 2;
export const ATOM_XML_URI = 3;
export const ATOM_XMLNS_URI = 4;

/** What every document knows, in the order of the numbers above. */
const prelude = [
  '',
  'xml',
  'xmlns',
  'http://www.w3.org/XML/1998/namespace',
  'http://www.w3.org/2000/xmlns/',
].map((text) => Buffer.from(text));

/** Bytes of names that are remembered from one document to the next, and how many those are at most. */
export const memorySize = 16_384;
const mostRemembered = 256;
/** After so many documents that had names for which there was no room, all are forgotten and learnt anew. */
const patience = 1000;

/** The strings that the product compares with: the very same is equal without a look at its characters. */
const constants: ReadonlyMap<string, string> = new Map(Object.values(ns).map((name) => [name, name]));

/** Twice what is remembered; a table that grew beyond is not worth keeping. */
const keptSlots = 1024;

/** Documents after which they are counted anew. */
const lastDocument = 2 ** 30;

/** Probes after which a name goes to the spill map: names made to collide cost no more than others. */
const maxProbes = 8;

/**
 * Keeps every distinct string of bytes once and knows it by a small number. No JavaScript string is made for a name
 * until somebody asks for it.
 *
 * Messages speak the same vocabulary again and again: the first names, prefixes and namespace names that come are
 * copied into a memory of fixed size and stay, with all that was found out about them, for the documents that the
 * same parser reads later. Only that: never a value, and nothing of a document that was not well-formed. What a
 * limit counts is counted for each document (`document`, the `ATOM_SEEN_*` columns).
 */
export class Atoms {
  rows: Int32Array = new Int32Array(64 << ATOM_SHIFT);
  count = 0;
  /** Number of the document, for the `ATOM_SEEN_*` columns. */
  document = 1;
  readonly #sources: readonly Octets[];
  readonly #memory: Octets;
  /** Bytes of the memory that are taken, by what is remembered and with what this document added. */
  #kept = 0;
  #taken = 0;
  /** Atoms `[0, #remembered)` stay; `[0, #inMemory)` could, since their bytes are in the memory. */
  #remembered = 0;
  #inMemory = 0;
  #strangers = 0;
  #slots: Int32Array = new Int32Array(keptSlots);
  #hashes: Int32Array = new Int32Array(64);
  #spill: Map<string, number> | undefined;
  #strings: (string | undefined)[] = [];
  #locals: (string | undefined)[] = [];

  /** @param sources by their numbers; the first of them is `memory` */
  constructor(sources: readonly Octets[], memory: Octets) {
    this.#sources = sources;
    this.#memory = memory;
    this.#forget();
  }

  /** Ends a document. `learn`: what it added is to be remembered, as far as there is room. */
  reset(learn: boolean): void {
    if (++this.document > lastDocument) {
      this.document = 1;
      for (const column of [ATOM_SEEN_NAME, ATOM_SEEN_PREFIX, ATOM_SEEN_URI]) this.maskColumn(column, 0);
    }
    if (this.count === this.#remembered) return;
    if (this.count > this.#inMemory && learn) this.#strangers++;
    // Names that spilled are found by way of a map that goes: rather forget all than know one by two numbers.
    if (this.#spill !== undefined || this.#slots.length > keptSlots || this.#strangers > patience)
      this.#forget();
    else if (learn) this.#keep(this.#inMemory, this.#taken);
    else this.#keep(this.#remembered, this.#kept);
  }

  /** Changes a column of every atom to what it has in common with `mask`. */
  maskColumn(column: number, mask: number): void {
    for (let atom = 0; atom < this.count; atom++) {
      const cell = (atom << ATOM_SHIFT) + column;
      this.rows[cell] = (this.rows[cell] as number) & mask;
    }
  }

  /** The number of the string `[start, end)` of `source`. */
  intern(source: Octets & { readonly id: number }, start: number, end: number): number {
    const { bytes, view } = source;
    const code = hash(bytes, start, end);
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = code & mask;
    for (let probe = 0; probe < maxProbes; probe++) {
      const found = slots[slot] as number;
      if (found === 0) return this.#add(source, start, end, code, slot);
      if (this.length(found - 1) === end - start && this.stands(found - 1, view, start)) return found - 1;
      slot = (slot + 1) & mask;
    }
    return this.#spilled(source, start, end, code);
  }

  /** The number of `text`; undefined if the document does not have it. */
  find(text: string): number | undefined {
    const bytes = Buffer.from(text);
    const { view } = octetsOf(bytes);
    const mask = this.#slots.length - 1;
    let slot = hash(bytes, 0, bytes.length) & mask;
    for (let probe = 0; probe < maxProbes; probe++) {
      const found = this.#slots[slot] as number;
      if (found === 0) return undefined;
      if (this.length(found - 1) === bytes.length && this.stands(found - 1, view, 0)) return found - 1;
      slot = (slot + 1) & mask;
    }
    return this.#spill?.get(bytes.toString('latin1'));
  }

  /** How many bytes an atom has. */
  length(atom: number): number {
    const row = atom << ATOM_SHIFT;
    return (this.rows[row + ATOM_END] as number) - (this.rows[row + ATOM_START] as number);
  }

  /** Whether the bytes of `atom` stand at `start`; there must be as many. */
  stands(atom: number, view: DataView, start: number): boolean {
    const from = this.rows[(atom << ATOM_SHIFT) + ATOM_START] as number;
    return sameBytes(view, start, this.octetsOf(atom).view, from, this.length(atom));
  }

  /** The atom as a string, made once. */
  text(atom: number): string {
    const known = this.#strings[atom];
    if (known !== undefined) return known;
    const row = atom << ATOM_SHIFT;
    const bytes = this.#bytes(this.rows[row + ATOM_SOURCE] as number);
    const made = bytes.toString('utf8', this.rows[row + ATOM_START], this.rows[row + ATOM_END]);
    const text = constants.get(made) ?? made;
    while (this.#strings.length <= atom) this.#strings.push(undefined);
    this.#strings[atom] = text;
    return text;
  }

  /** The local part of a name as a string, made once. */
  local(name: number): string {
    const known = this.#locals[name];
    if (known !== undefined) return known;
    const text = this.text(name);
    const local = text.slice(text.indexOf(':') + 1);
    while (this.#locals.length <= name) this.#locals.push(undefined);
    this.#locals[name] = local;
    return local;
  }

  /** The bytes that an atom's offsets point into. */
  octetsOf(atom: number): Octets {
    return this.#sources[this.rows[(atom << ATOM_SHIFT) + ATOM_SOURCE] as number] as Octets;
  }

  /** The same without the view. */
  bytesOf(atom: number): Buffer {
    return this.octetsOf(atom).bytes;
  }

  #bytes(source: number): Buffer {
    return (this.#sources[source] as Octets).bytes;
  }

  /** Forgets everything but the prelude. */
  #forget(): void {
    this.count = 0;
    this.#taken = 0;
    this.#inMemory = 0;
    this.#strangers = 0;
    this.#spill = undefined;
    this.#strings.length = 0;
    this.#locals.length = 0;
    this.#slots = new Int32Array(keptSlots);
    for (const bytes of prelude) this.intern({ id: 0, ...octetsOf(bytes) }, 0, bytes.length);
    this.#remembered = this.count;
    this.#kept = this.#taken;
    this.rows[(ATOM_NONE << ATOM_SHIFT) + ATOM_BINDING] = ATOM_NONE;
    this.rows[(ATOM_NONE << ATOM_SHIFT) + ATOM_RENDERED] = ATOM_NONE;
    this.rows[(ATOM_XML << ATOM_SHIFT) + ATOM_BINDING] = ATOM_XML_URI;
  }

  /** Forgets atoms from `count` on, and bytes of the memory from `taken` on. */
  #keep(count: number, taken: number): void {
    const mask = this.#slots.length - 1;
    for (let atom = count; atom < this.count; atom++) {
      let slot = (this.#hashes[atom] as number) & mask;
      while (this.#slots[slot] !== atom + 1) slot = (slot + 1) & mask;
      this.#slots[slot] = 0;
    }
    if (count < this.count) this.#unlink(count);
    if (this.#strings.length > count) this.#strings.length = count;
    if (this.#locals.length > count) this.#locals.length = count;
    this.count = count;
    this.#remembered = count;
    this.#inMemory = count;
    this.#kept = taken;
    this.#taken = taken;
  }

  /** Makes the first `count` atoms refer to no later ones, whose numbers others get. */
  #unlink(count: number): void {
    const { rows } = this;
    for (let row = 0; row < count << ATOM_SHIFT; row += 1 << ATOM_SHIFT) {
      if ((rows[row + ATOM_NEXT] as number) >= count) rows[row + ATOM_NEXT] = ATOM_NONE;
      if ((rows[row + ATOM_AFTER] as number) >= count) rows[row + ATOM_AFTER] = ATOM_NONE;
      // A name comes before its prefix and may stay where that goes: it is split anew when it is read again.
      if ((rows[row + ATOM_PREFIX] as number) >= count || (rows[row + ATOM_DECLARED] as number) >= count)
        rows[row + ATOM_FLAGS] = (rows[row + ATOM_FLAGS] as number) & ~ATOM_NAME;
    }
  }

  #add(
    source: Octets & { readonly id: number },
    start: number,
    end: number,
    code: number,
    slot: number,
  ): number {
    const atom = this.count++;
    const row = atom << ATOM_SHIFT;
    if (row + (1 << ATOM_SHIFT) > this.rows.length) this.rows = grown(this.rows, row + (1 << ATOM_SHIFT));
    if (atom >= this.#hashes.length) this.#hashes = grown(this.#hashes, atom + 1);
    this.#hashes[atom] = code;
    const rows = this.rows;
    rows.fill(0, row, row + (1 << ATOM_SHIFT));
    const length = end - start;
    const fits = atom === this.#inMemory && atom < mostRemembered && this.#taken + length <= memorySize;
    if (fits) {
      copyShort(source.view, start, this.#memory.view, this.#taken, length);
      rows[row + ATOM_START] = this.#taken;
      this.#taken += length;
      this.#inMemory++;
    } else {
      rows[row + ATOM_START] = start;
      rows[row + ATOM_SOURCE] = source.id;
    }
    rows[row + ATOM_END] = (rows[row + ATOM_START] as number) + length;
    rows[row + ATOM_BINDING] = -1;
    rows[row + ATOM_RENDERED] = -1;
    if (slot >= 0) this.#slots[slot] = atom + 1;
    if (this.count * 2 > this.#slots.length) this.#rehash();
    return atom;
  }

  #spilled(source: Octets & { readonly id: number }, start: number, end: number, code: number): number {
    this.#spill ??= new Map();
    const key = source.bytes.toString('latin1', start, end);
    const known = this.#spill.get(key);
    if (known !== undefined) return known;
    const atom = this.#add(source, start, end, code, -1);
    this.#spill.set(key, atom);
    return atom;
  }

  #rehash(): void {
    const slots = new Int32Array(this.#slots.length * 2);
    const mask = slots.length - 1;
    for (let atom = 0; atom < this.count; atom++) {
      let slot = (this.#hashes[atom] as number) & mask;
      let probe = 0;
      while (probe < maxProbes && slots[slot] !== 0) {
        slot = (slot + 1) & mask;
        probe++;
      }
      if (probe < maxProbes) slots[slot] = atom + 1;
      else {
        const row = atom << ATOM_SHIFT;
        const key = this.bytesOf(atom).toString(
          'latin1',
          this.rows[row + ATOM_START],
          this.rows[row + ATOM_END],
        );
        (this.#spill ??= new Map()).set(key, atom);
      }
    }
    this.#slots = slots;
  }
}

/** Cheap and weak on purpose: a few bytes of the name. What collides is spilled into a Map. */
function hash(bytes: Buffer, start: number, end: number): number {
  const length = end - start;
  if (length === 0) return 0;
  const a = bytes[start] as number;
  const b = bytes[start + (length >> 1)] as number;
  const c = bytes[end - 1] as number;
  const d = bytes[start + ((length * 3) >> 2)] as number;
  const mixed = Math.imul(length + (a << 6) + (b << 12) + (c << 18) + (d << 24), 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}
