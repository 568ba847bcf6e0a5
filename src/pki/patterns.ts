/**
 * Distinguished names as people and XML peers write them: RFC 4514, RFC 2253 and RFC 1779, with the spacing, quotes and
 * attribute names of Java, .NET and OpenSSL; and their comparison with the names of certificates.
 */
import { equal } from '../core/bytes.js';
import { CountersignError } from '../core/errors.js';
import { attributeOid } from './attribute-types.js';
import { DerError, readOne } from './der.js';
import { foldValue, type NameAttribute, type Rdn, rdnsOf, textOf } from './names.js';
import type { Certificate, DistinguishedName } from './types.js';

/** One `type=value`: text, the DER of a `#` value, or undefined where `*` stands for any value. */
export interface PatternAttribute {
  readonly oid: string;
  readonly value: string | Uint8Array | undefined;
}
/** A written name: RDNs, most specific first, each with its attributes. */
export type NamePattern = readonly (readonly PatternAttribute[])[];

const MAX_NAME = 16_384;

/**
 * Reads a subject of a policy.
 *
 * @throws CountersignError POLICY_INVALID when it is not a distinguished name
 */
export function parseName(text: string): NamePattern {
  try {
    return parseNamePattern(text);
  } catch (error) {
    if (!(error instanceof DerError)) throw error;
    throw new CountersignError('POLICY_INVALID', `"${text}" is not a distinguished name: ${error.message}`, {
      cause: error,
    });
  }
}

/**
 * Whether the subject of a certificate is the one that a policy names: the same RDNs, all of them, in the same order,
 * values equal to the character; `*` alone stands for a whole value.
 */
export function matchesSubject(certificate: Certificate, pattern: NamePattern): boolean {
  const rdns = rdnsOf(certificate.subject).toReversed();
  return (
    rdns.length === pattern.length && rdns.every((rdn, index) => matches(rdn, pattern[index] ?? [], exact))
  );
}

/**
 * Whether X509IssuerName and X509SerialNumber of a message name this certificate. Only a look-up: trust is decided later,
 * so letter case, spacing and a name written the other way round (BouncyCastle, OpenSSL) do not matter.
 */
export function issuerSerialMatches(certificate: Certificate, issuer: string, serial: string): boolean {
  return sameSerial(certificate.serial, serial) && matchesWrittenName(certificate.issuer, issuer);
}

/** Whether a name written by an XML peer is this name, in either order. False for text that is no name. */
export function matchesWrittenName(name: DistinguishedName, text: string): boolean {
  let written: NamePattern;
  try {
    written = parseNamePattern(text);
  } catch (error) {
    if (error instanceof DerError) return false;
    throw error;
  }
  const rdns = rdnsOf(name);
  if (rdns.length !== written.length) return false;
  const same = (rdn: Rdn, index: number): boolean => matches(rdn, written[index] ?? [], folded);
  return rdns.toReversed().every(same) || rdns.every(same);
}

/** Parses a name. @throws DerError with what is wrong */
export function parseNamePattern(text: string): NamePattern {
  if (text.length > MAX_NAME) throw new DerError('too long');
  const reader = new NameReader(text);
  const rdns: PatternAttribute[][] = [];
  if (reader.atEnd()) return rdns;
  do {
    const rdn = [reader.attribute()];
    while (reader.skip('+')) rdn.push(reader.attribute());
    rdns.push(rdn);
  } while (reader.skip(',') || reader.skip(';'));
  if (!reader.atEnd()) throw new DerError('a comma is missing');
  return rdns;
}

type Same = (attribute: NameAttribute, value: string | Uint8Array | undefined) => boolean;

function exact(attribute: NameAttribute, value: string | Uint8Array | undefined): boolean {
  if (value === undefined) return true;
  return typeof value === 'string' ? attribute.text === value : equal(attribute.der, value);
}

function folded(attribute: NameAttribute, value: string | Uint8Array | undefined): boolean {
  // In a message `*` is a star.
  const wanted = value ?? '*';
  if (typeof wanted === 'string')
    return attribute.text !== undefined && foldValue(attribute.text) === foldValue(wanted);
  if (equal(attribute.der, wanted)) return true;
  const text = hexText(wanted);
  return text !== undefined && attribute.text !== undefined && foldValue(attribute.text) === foldValue(text);
}

function matches(rdn: Rdn, pattern: readonly PatternAttribute[], same: Same): boolean {
  if (rdn.length !== pattern.length) return false;
  const left = [...rdn];
  // The attributes of an RDN are a set. Fixed values claim their attribute before a star does.
  const ordered = pattern.toSorted((a, b) => Number(a.value === undefined) - Number(b.value === undefined));
  return ordered.every((wanted) => {
    const at = left.findIndex((attribute) => attribute.oid === wanted.oid && same(attribute, wanted.value));
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
}

function hexText(der: Uint8Array): string | undefined {
  try {
    return textOf(readOne(der, der[0] ?? 0));
  } catch {
    return undefined;
  }
}

function sameSerial(decimal: string, written: string): boolean {
  const trimmed = written.trim();
  if (!/^-?\d{1,64}$/.test(trimmed)) return false;
  return BigInt(trimmed).toString() === decimal;
}

/** Reads `type=value` pairs off a string. */
class NameReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  atEnd(): boolean {
    this.#spaces();
    return this.#at >= this.#text.length;
  }

  skip(char: string): boolean {
    this.#spaces();
    const found = this.#text[this.#at] === char;
    if (found) this.#at += 1;
    return found;
  }

  attribute(): PatternAttribute {
    this.#spaces();
    const equals = this.#text.indexOf('=', this.#at);
    const name = equals < 0 ? '' : this.#text.slice(this.#at, equals).trim();
    const oid = attributeOid(name);
    if (oid === undefined) {
      throw new DerError(
        `"${name === '' ? this.#text.slice(this.#at) : name}" is not an attribute type (CN, O, OU, …)`,
      );
    }
    this.#at = equals + 1;
    this.#spaces();
    const first = this.#text[this.#at];
    if (first === '#') return { oid, value: this.#hex() };
    return { oid, value: first === '"' ? this.#quoted() : this.#plain() };
  }

  #spaces(): void {
    while (/[ \t\r\n]/.test(this.#text[this.#at] ?? '')) this.#at += 1;
  }

  #hex(): Uint8Array {
    const match = /^#((?:[0-9a-f]{2})+)/i.exec(this.#text.slice(this.#at));
    if (match?.[1] === undefined) throw new DerError('a # that no hexadecimal digits follow');
    this.#at += match[0].length;
    return Buffer.from(match[1], 'hex');
  }

  /** RFC 1779 and RFC 2253 §4: between quotes only the quote and the backslash are special. */
  #quoted(): string {
    this.#at += 1;
    const bytes: number[] = [];
    for (;;) {
      const char = this.#char();
      if (char === undefined) throw new DerError('a quote that is not closed');
      if (char === '"') return utf8(bytes);
      bytes.push(...(char === '\\' ? this.#escape() : Buffer.from(char, 'utf8')));
    }
  }

  #plain(): string | undefined {
    const bytes: number[] = [];
    let kept = 0;
    const start = this.#at;
    while (!/^$|[,;+]/.test(this.#text[this.#at] ?? '')) {
      const char = this.#char() ?? '';
      const escaped = char === '\\';
      bytes.push(...(escaped ? this.#escape() : Buffer.from(char, 'utf8')));
      if (escaped || !/\s/.test(char)) kept = bytes.length;
    }
    if (this.#text.slice(start, this.#at).trim() === '*') return undefined;
    return utf8(bytes.slice(0, kept));
  }

  #char(): string | undefined {
    const point = this.#text.codePointAt(this.#at);
    if (point === undefined) return undefined;
    const char = String.fromCodePoint(point);
    this.#at += char.length;
    return char;
  }

  /** After a backslash: two hexadecimal digits are an octet of UTF-8, any other character is itself. */
  #escape(): number[] {
    const pair = this.#text.slice(this.#at, this.#at + 2);
    if (/^[0-9a-f]{2}$/i.test(pair)) {
      this.#at += 2;
      return [Number.parseInt(pair, 16)];
    }
    const char = this.#char();
    if (char === undefined) throw new DerError('a backslash at the end');
    return [...Buffer.from(char, 'utf8')];
  }
}

function utf8(bytes: readonly number[]): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
  } catch {
    throw new DerError('escaped octets that are not UTF-8');
  }
}
