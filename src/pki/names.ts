/** Distinguished names as certificates hold them: reading, printing (RFC 4514) and comparison (RFC 5280 §7.1). */
import { equal } from '../core/bytes.js';
import { friendlyNames, standardNames } from './attribute-types.js';
import { childrenOf, DerError, type DerElement, oidOf, readOne, tags } from './der.js';
import type { DistinguishedName } from './types.js';

/** One attribute of an RDN. */
export interface NameAttribute {
  readonly oid: string;
  /** DER of the value. */
  readonly der: Uint8Array;
  /** The value as text; undefined when it is not one of the string types. */
  readonly text: string | undefined;
}

/** The attributes of one relative distinguished name; usually one. */
export type Rdn = readonly NameAttribute[];

/** A name with its parts. */
export class ParsedName implements DistinguishedName {
  readonly der: Uint8Array;
  /** In encoding order: least specific first. */
  readonly rdns: readonly Rdn[];
  #text: string | undefined;

  constructor(der: Uint8Array, rdns: readonly Rdn[]) {
    this.der = der;
    this.rdns = rdns;
  }

  /** Made once: every message of a peer asks for it. */
  toString(): string {
    return (this.#text ??= print(this.rdns, friendlyNames));
  }

  rfc2253(): string {
    return print(this.rdns, standardNames);
  }
}

/** Reads the DER of a Name. @throws DerError */
export function readName(der: Uint8Array): ParsedName {
  const rdns: Rdn[] = [];
  const sequence = childrenOf(readOne(der, tags.sequence));
  while (!sequence.done) {
    const set = childrenOf(sequence.take(tags.set));
    const rdn: NameAttribute[] = [];
    do rdn.push(readAttribute(set.take(tags.sequence)));
    while (!set.done);
    rdns.push(rdn);
  }
  return new ParsedName(der, rdns);
}

/** The parts of a name that some other code made. */
export function rdnsOf(name: DistinguishedName): readonly Rdn[] {
  return name instanceof ParsedName ? name.rdns : readName(name.der).rdns;
}

/**
 * Whether two names are the same for chaining: byte-equal, or equal attribute by attribute with letter case and runs of
 * spaces not counting (RFC 5280 §7.1, RFC 4518). Never used to authorise: see `matchesSubject`.
 */
export function equalNames(a: DistinguishedName, b: DistinguishedName): boolean {
  if (equal(a.der, b.der)) return true;
  const left = rdnsOf(a);
  const right = rdnsOf(b);
  return left.length === right.length && left.every((rdn, index) => equalRdns(rdn, right[index] ?? []));
}

/** A value prepared for comparison without regard to letter case and runs of spaces. */
export function foldValue(text: string): string {
  return text.normalize('NFKC').toLowerCase().trim().replace(/\s+/gu, ' ');
}

/** The text of a string value by its tag; undefined for other types and for text that is malformed. */
export function textOf(element: DerElement): string | undefined {
  const bytes = element.value;
  switch (element.tag) {
    case tags.utf8String:
      return decode('utf-8', bytes);
    case tags.printableString:
    case tags.ia5String:
    case tags.numericString:
    case tags.visibleString:
      return bytes.every((byte) => byte < 0x80) ? decode('utf-8', bytes) : undefined;
    case tags.teletexString:
      // In practice always ISO 8859-1. TextDecoder's "latin1" is Windows-1252, so the mapping is done here.
      return String.fromCharCode(...bytes);
    case tags.bmpString:
      return bytes.length % 2 === 0 ? codeUnits(bytes) : undefined;
    default:
      return undefined;
  }
}

function readAttribute(sequence: DerElement): NameAttribute {
  const parts = childrenOf(sequence);
  const oid = oidOf(parts.take(tags.oid));
  const value = parts.takeAny();
  parts.end();
  if (value.value.length > 4096) throw new DerError('a name with a value too long');
  return { oid, der: value.raw, text: textOf(value) };
}

function equalRdns(a: Rdn, b: Rdn): boolean {
  return (
    a.length === b.length &&
    a.every((left) => b.some((right) => left.oid === right.oid && equalValues(left, right)))
  );
}

function equalValues(a: NameAttribute, b: NameAttribute): boolean {
  if (a.text === undefined || b.text === undefined) return equal(a.der, b.der);
  return a.text === b.text || foldValue(a.text) === foldValue(b.text);
}

function print(rdns: readonly Rdn[], names: ReadonlyMap<string, string>): string {
  // RFC 4514 §2.1: starting with the last element of the sequence.
  return rdns
    .toReversed()
    .map((rdn) => rdn.map((attribute) => printAttribute(attribute, names)).join('+'))
    .join(',');
}

function printAttribute(attribute: NameAttribute, names: ReadonlyMap<string, string>): string {
  const name = names.get(attribute.oid);
  if (name === undefined || attribute.text === undefined) {
    // RFC 4514 §2.4: a dotted type, and any value without a string form, takes the hex of the DER.
    return `${name ?? attribute.oid}=#${Buffer.from(attribute.der).toString('hex')}`;
  }
  return `${name}=${escapeValue(attribute.text)}`;
}

/** RFC 4514 §2.4. A value that is `*` alone is escaped too, since in a policy that stands for any value. */
function escapeValue(text: string): string {
  if (text === '*') return '\\2A';
  return text
    .replace(/["+,;<>\\]/g, '\\$&')
    .replace(/(?<!^) $/, '\\ ')
    .replace(/^[ #]/, '\\$&')
    .replace(/\p{Cc}/gu, (char) => Buffer.from(char, 'utf8').toString('hex').replace(/../g, '\\$&'));
}

function decode(encoding: string, bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function codeUnits(bytes: Uint8Array): string {
  let text = '';
  for (let index = 0; index < bytes.length; index += 2) {
    text += String.fromCharCode((bytes[index] ?? 0) * 256 + (bytes[index + 1] ?? 0));
  }
  return text;
}
