/** Writes DER, for the certificates and names that this product makes itself. */
import { tags } from './der.js';

/** One element with this identifier octet around the given parts. */
export function element(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const head = [tag, ...lengthOctets(length)];
  const out = new Uint8Array(head.length + length);
  out.set(head);
  let offset = head.length;
  for (const part of parts) {
    out.set(part, offset);
    offset += part.length;
  }
  return out;
}

export function sequence(...parts: readonly Uint8Array[]): Uint8Array {
  return element(tags.sequence, ...parts);
}

/** An INTEGER from unsigned big-endian bytes. */
export function unsignedInteger(bytes: Uint8Array): Uint8Array {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start += 1;
  const trimmed = bytes.subarray(start);
  const sign = (trimmed[0] ?? 0) >= 0x80 || trimmed.length === 0 ? Uint8Array.of(0) : new Uint8Array(0);
  return element(tags.integer, sign, trimmed);
}

export function objectIdentifier(dotted: string): Uint8Array {
  const [root = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return element(tags.oid, Uint8Array.from([root * 40 + second, ...rest].flatMap(base128)));
}

export function octetString(bytes: Uint8Array): Uint8Array {
  return element(tags.octetString, bytes);
}

/** A BIT STRING of whole octets, or with `unused` bits at its end. */
export function bitString(bytes: Uint8Array, unused = 0): Uint8Array {
  return element(tags.bitString, Uint8Array.of(unused), bytes);
}

export function utf8String(text: string): Uint8Array {
  return element(tags.utf8String, new TextEncoder().encode(text));
}

export function nullElement(): Uint8Array {
  return element(tags.null);
}

export function booleanTrue(): Uint8Array {
  return element(tags.boolean, Uint8Array.of(0xff));
}

function base128(arc: number): number[] {
  const octets = [arc % 128];
  for (let rest = Math.floor(arc / 128); rest > 0; rest = Math.floor(rest / 128)) {
    octets.unshift((rest % 128) | 0x80);
  }
  return octets;
}

function lengthOctets(length: number): number[] {
  if (length < 0x80) return [length];
  const octets: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) octets.unshift(rest % 256);
  return [0x80 | octets.length, ...octets];
}
