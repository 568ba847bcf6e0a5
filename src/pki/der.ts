/**
 * A strict reader of the Distinguished Encoding Rules (X.690 §10): definite, shortest lengths; single-byte tags; bounded
 * depth; nothing left over. It allocates views, never copies.
 */

/** Something is not DER, or not the structure that was expected. Callers turn it into their own coded error. */
export class DerError extends Error {
  override readonly name = 'DerError';
}

/** Identifier octets that this product meets. */
export const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  utf8String: 0x0c,
  numericString: 0x12,
  printableString: 0x13,
  teletexString: 0x14,
  ia5String: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
  visibleString: 0x1a,
  universalString: 0x1c,
  bmpString: 0x1e,
  sequence: 0x30,
  set: 0x31,
} as const;

/** Identifier octet of a context-specific tag. */
export function context(number: number, constructed: boolean): number {
  return (constructed ? 0xa0 : 0x80) | number;
}

const MAX_DEPTH = 32;

/** One element: its identifier octet, the whole encoding and the value alone. */
export interface DerElement {
  readonly tag: number;
  readonly raw: Uint8Array;
  readonly value: Uint8Array;
  readonly depth: number;
}

/** Reads the elements of a constructed value, or of a whole encoding, one after the other. */
export class DerCursor {
  readonly #bytes: Uint8Array;
  readonly #depth: number;
  #offset = 0;

  constructor(bytes: Uint8Array, depth: number) {
    if (depth > MAX_DEPTH) throw new DerError('nested too deeply');
    this.#bytes = bytes;
    this.#depth = depth;
  }

  get done(): boolean {
    return this.#offset === this.#bytes.length;
  }

  /** Identifier octet of the next element, -1 at the end. */
  get next(): number {
    return this.#bytes[this.#offset] ?? -1;
  }

  /** Takes the next element, which must have this tag. @throws DerError */
  take(tag: number): DerElement {
    if (this.next !== tag) {
      throw new DerError(`expected tag 0x${tag.toString(16)}, found ${this.#nextName()}`);
    }
    return this.takeAny();
  }

  /** Takes the next element if it has this tag. @throws DerError */
  optional(tag: number): DerElement | undefined {
    return this.next === tag ? this.takeAny() : undefined;
  }

  /** Takes the next element, whatever it is. @throws DerError */
  takeAny(): DerElement {
    const bytes = this.#bytes;
    const start = this.#offset;
    const tag = bytes[start];
    if (tag === undefined) throw new DerError('an element is missing');
    if ((tag & 0x1f) === 0x1f) throw new DerError('multi-byte tags are not used here');
    const { length, offset } = readLength(bytes, start + 1);
    const end = offset + length;
    if (end > bytes.length) throw new DerError('an element is longer than what holds it');
    this.#offset = end;
    return { tag, raw: bytes.subarray(start, end), value: bytes.subarray(offset, end), depth: this.#depth };
  }

  /** @throws DerError when something is left */
  end(): void {
    if (!this.done) throw new DerError('unexpected bytes after the last element');
  }

  #nextName(): string {
    return this.done ? 'the end' : `0x${this.next.toString(16)}`;
  }
}

/** Reads bytes that are exactly one element with this tag. @throws DerError */
export function readOne(bytes: Uint8Array, tag: number): DerElement {
  const cursor = new DerCursor(bytes, 0);
  const element = cursor.take(tag);
  cursor.end();
  return element;
}

/** A cursor over the content of a constructed element. @throws DerError */
export function childrenOf(element: DerElement): DerCursor {
  return new DerCursor(element.value, element.depth + 1);
}

/** A BOOLEAN; DER knows 00 and FF only. @throws DerError */
export function booleanOf(element: DerElement): boolean {
  const [value] = element.value;
  if (element.value.length !== 1 || (value !== 0 && value !== 0xff)) throw new DerError('not a DER boolean');
  return value === 0xff;
}

/** The minimal two's complement bytes of an INTEGER. @throws DerError */
export function integerBytes(element: DerElement): Uint8Array {
  const [first, second = 0] = element.value;
  if (first === undefined) throw new DerError('an empty integer');
  const padded = element.value.length > 1 && (first === 0 ? second < 0x80 : first === 0xff && second >= 0x80);
  if (padded) throw new DerError('an integer with needless leading bytes');
  return element.value;
}

/** A small non-negative INTEGER. @throws DerError */
export function smallInteger(element: DerElement): number {
  const bytes = integerBytes(element);
  if (bytes.length > 4 || (bytes[0] ?? 0) >= 0x80) throw new DerError('an integer out of range');
  return bytes.reduce((value, byte) => value * 256 + byte, 0);
}

/** The octets of a BIT STRING that holds whole octets. @throws DerError */
export function bitStringOctets(element: DerElement): Uint8Array {
  if (element.value[0] !== 0) throw new DerError('a bit string that is not whole octets');
  return element.value.subarray(1);
}

/** The set bits of a named-bit-list BIT STRING (trailing zero bits are cut, X.690 §11.2.2). @throws DerError */
export function namedBits(element: DerElement): Set<number> {
  const [unused = 8, ...octets] = element.value;
  const last = octets[octets.length - 1];
  if (unused > 7 || (last === undefined && unused !== 0)) throw new DerError('a malformed bit string');
  if (last !== undefined && ((last >> unused) & 1) === 0)
    throw new DerError('a bit list with trailing zeros');
  if (last !== undefined && (last & ((1 << unused) - 1)) !== 0)
    throw new DerError('a bit string with set padding');
  const bits = new Set<number>();
  octets.forEach((octet, index) => {
    for (let bit = 0; bit < 8; bit += 1) if ((octet & (0x80 >> bit)) !== 0) bits.add(index * 8 + bit);
  });
  return bits;
}

/** An OBJECT IDENTIFIER in dotted form. @throws DerError */
export function oidOf(element: DerElement): string {
  const { value } = element;
  const arcs: number[] = [];
  let arc = 0;
  let atStart = true;
  for (const octet of value) {
    if (atStart && octet === 0x80) throw new DerError('an object identifier with a padded arc');
    arc = arc * 128 + (octet & 0x7f);
    if (arc > Number.MAX_SAFE_INTEGER / 128) throw new DerError('an object identifier with an arc too large');
    atStart = octet < 0x80;
    if (atStart) {
      arcs.push(arc);
      arc = 0;
    }
  }
  const [first] = arcs;
  if (first === undefined || !atStart) throw new DerError('a truncated object identifier');
  const root = Math.min(2, Math.floor(first / 40));
  return [root, first - root * 40, ...arcs.slice(1)].join('.');
}

function readLength(bytes: Uint8Array, at: number): { length: number; offset: number } {
  const first = bytes[at];
  if (first === undefined) throw new DerError('a truncated element');
  if (first < 0x80) return { length: first, offset: at + 1 };
  const count = first & 0x7f;
  if (count === 0) throw new DerError('an indefinite length');
  if (count > 4) throw new DerError('a length out of range');
  let length = 0;
  for (let index = 1; index <= count; index += 1) {
    const octet = bytes[at + index];
    if (octet === undefined) throw new DerError('a truncated element');
    length = length * 256 + octet;
  }
  if (length < 0x80 || (count > 1 && length < 256 ** (count - 1)))
    throw new DerError('a length that is not the shortest');
  return { length, offset: at + 1 + count };
}
