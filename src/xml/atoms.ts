import { octetsOf, type Octets } from './octets.js';
import { grown } from './tables.js';
import * as tables from './tables.js';

// V8 folds a module's own constants, but not imported ones (perf/README.md).
const {
  ATOM_BINDING,
  ATOM_END,
  ATOM_FLAGS,
  ATOM_NEXT,
  ATOM_RENDERED,
  ATOM_SHIFT,
  ATOM_SOURCE,
  ATOM_STAMP,
  ATOM_START,
} = tables;

/** Bytes of the names that every document knows: source 0 of every tree. */
export const prelude: Octets = octetsOf(
  Buffer.from('xml' + 'xmlns' + 'http://www.w3.org/XML/1998/namespace' + 'http://www.w3.org/2000/xmlns/'),
);

/** The empty string: no prefix, no namespace. */
export const ATOM_NONE = 0;
export const ATOM_XML = 1;
export const ATOM_XMLNS = 2;
export const ATOM_XML_URI = 3;
export const ATOM_XMLNS_URI = 4;

const preludeEnds: readonly (readonly [number, number])[] = [
  [0, 0],
  [0, 3],
  [3, 8],
  [8, 44],
  [44, 73],
];

const firstSlots = 128;
/** A larger table is not worth clearing for the next message. */
const keptSlots = 1024;

/** Probes after which a name goes to the spill map: names made to collide cost no more than others. */
const maxProbes = 8;

/**
 * Keeps every distinct string of bytes once and knows it by a small number. No JavaScript string is made for a name
 * until somebody asks for it.
 */
export class Atoms {
  rows: Int32Array = new Int32Array(64 << ATOM_SHIFT);
  count = 0;
  readonly #sources: readonly Octets[];
  #slots: Int32Array = new Int32Array(firstSlots);
  #spill: Map<string, number> | undefined;
  #strings: (string | undefined)[] = [];
  #locals: (string | undefined)[] = [];
  /** Rows and hashes of the prelude, as every document begins. */
  readonly #seeds: Int32Array;
  readonly #seedHashes: readonly number[];

  constructor(sources: readonly Octets[]) {
    this.#sources = sources;
    this.#seed();
    this.#seeds = this.rows.slice(0, this.count << ATOM_SHIFT);
    this.#seedHashes = preludeEnds.map(([start, end]) => hash(prelude.bytes, start, end));
  }

  /** Forgets everything but the prelude. */
  reset(): void {
    if (this.#slots.length > keptSlots) this.#slots = new Int32Array(firstSlots);
    else this.#slots.fill(0);
    this.#spill = undefined;
    if (this.#strings.length > 0) this.#strings = [];
    if (this.#locals.length > 0) this.#locals = [];
    this.rows.set(this.#seeds);
    this.count = preludeEnds.length;
    // The table may have grown: a name's place depends on its size.
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let atom = 0; atom < this.count; atom++) {
      let slot = (this.#seedHashes[atom] as number) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = atom + 1;
    }
  }

  /** The number of the string `bytes[start, end)` of source `source`. */
  intern(source: number, bytes: Buffer, start: number, end: number): number {
    const length = end - start;
    const rows = this.rows;
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = hash(bytes, start, end) & mask;
    for (let probe = 0; probe < maxProbes; probe++) {
      const found = slots[slot] as number;
      if (found === 0) return this.#add(source, start, end, slot);
      const row = (found - 1) << ATOM_SHIFT;
      const from = rows[row + ATOM_START] as number;
      if (
        (rows[row + ATOM_END] as number) - from === length &&
        same(this.#bytes(rows[row + ATOM_SOURCE] as number), from, bytes, start, length)
      ) {
        return found - 1;
      }
      slot = (slot + 1) & mask;
    }
    return this.#spilled(source, bytes, start, end);
  }

  /** The atom as a string, made once. */
  text(atom: number): string {
    const known = this.#strings[atom];
    if (known !== undefined) return known;
    const row = atom << ATOM_SHIFT;
    const bytes = this.#bytes(this.rows[row + ATOM_SOURCE] as number);
    const text = bytes.toString('utf8', this.rows[row + ATOM_START], this.rows[row + ATOM_END]);
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

  #seed(): void {
    for (const [start, end] of preludeEnds) this.intern(0, prelude.bytes, start, end);
    this.rows[(ATOM_NONE << ATOM_SHIFT) + ATOM_BINDING] = ATOM_NONE;
    this.rows[(ATOM_XML << ATOM_SHIFT) + ATOM_BINDING] = ATOM_XML_URI;
  }

  #add(source: number, start: number, end: number, slot: number): number {
    const atom = this.count++;
    const row = atom << ATOM_SHIFT;
    if (row + (1 << ATOM_SHIFT) > this.rows.length) this.rows = grown(this.rows, row + (1 << ATOM_SHIFT));
    const rows = this.rows;
    rows[row + ATOM_START] = start;
    rows[row + ATOM_END] = end;
    rows[row + ATOM_SOURCE] = source;
    rows[row + ATOM_FLAGS] = 0;
    rows[row + ATOM_BINDING] = -1;
    rows[row + ATOM_RENDERED] = -1;
    rows[row + ATOM_STAMP] = 0;
    rows[row + ATOM_NEXT] = 0;
    if (slot >= 0) this.#slots[slot] = atom + 1;
    if (this.count * 2 > this.#slots.length) this.#rehash();
    return atom;
  }

  #spilled(source: number, bytes: Buffer, start: number, end: number): number {
    this.#spill ??= new Map();
    const key = bytes.toString('latin1', start, end);
    const known = this.#spill.get(key);
    if (known !== undefined) return known;
    const atom = this.#add(source, start, end, -1);
    this.#spill.set(key, atom);
    return atom;
  }

  #rehash(): void {
    const slots = new Int32Array(this.#slots.length * 2);
    const mask = slots.length - 1;
    for (let atom = 0; atom < this.count; atom++) {
      const row = atom << ATOM_SHIFT;
      const start = this.rows[row + ATOM_START] as number;
      const end = this.rows[row + ATOM_END] as number;
      const bytes = this.bytesOf(atom);
      let slot = hash(bytes, start, end) & mask;
      let probe = 0;
      while (probe < maxProbes && slots[slot] !== 0) {
        slot = (slot + 1) & mask;
        probe++;
      }
      if (probe < maxProbes) slots[slot] = atom + 1;
      else (this.#spill ??= new Map()).set(bytes.toString('latin1', start, end), atom);
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

function same(left: Buffer, leftStart: number, right: Buffer, rightStart: number, length: number): boolean {
  for (let at = 0; at < length; at++) {
    if (left[leftStart + at] !== right[rightStart + at]) return false;
  }
  return true;
}
