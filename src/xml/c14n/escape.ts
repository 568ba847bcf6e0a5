import { isBlank } from '../chars.js';
import * as chars from '../chars.js';
import { octetsOf, type Octets } from '../octets.js';
import { putCodePoint, referenceEnd, referenceValue } from '../references.js';
import type { Output } from './output.js';

// V8 folds a module's own constants, but not imported ones (perf/README.md).
const { TEXT_GREATER, TEXT_REFERENCE, TEXT_RETURN, textBytes, valueBytes } = chars;

const ascii = (text: string): Octets => octetsOf(Buffer.from(text, 'latin1'));
const AMPERSAND = ascii('&amp;');
const LESS = ascii('&lt;');
const GREATER = ascii('&gt;');
const QUOTE = ascii('&quot;');
const RETURN = ascii('&#xD;');
const TAB = ascii('&#x9;');
const FEED = ascii('&#xA;');
const scratch = octetsOf(Buffer.alloc(4));

function all(output: Output, octets: Octets): void {
  output.copy(octets, 0, octets.bytes.length);
}

/** Writes a code point that a reference stood for, as text (Canonical XML 1.0 §2.3). */
function textPoint(output: Output, point: number): void {
  if (point === 0x26) all(output, AMPERSAND);
  else if (point === 0x3c) all(output, LESS);
  else if (point === 0x3e) all(output, GREATER);
  else if (point === 0x0d) all(output, RETURN);
  else output.copy(scratch, 0, putCodePoint(scratch.bytes, 0, point));
}

/** Writes a code point that a reference stood for, in an attribute value. */
function valuePoint(output: Output, point: number): void {
  if (point === 0x26) all(output, AMPERSAND);
  else if (point === 0x3c) all(output, LESS);
  else if (point === 0x22) all(output, QUOTE);
  else if (point === 0x0d) all(output, RETURN);
  else if (point === 0x0a) all(output, FEED);
  else if (point === 0x09) all(output, TAB);
  else output.copy(scratch, 0, putCodePoint(scratch.bytes, 0, point));
}

/** Writes text as parsed: references resolved, line ends normalised, escaped again. */
export function writeText(output: Output, from: Octets, start: number, end: number): void {
  const { bytes } = from;
  let run = start;
  for (let at = start; at < end;) {
    const kind = textBytes[bytes[at] as number];
    if (kind !== TEXT_REFERENCE && kind !== TEXT_RETURN && kind !== TEXT_GREATER) {
      at++;
      continue;
    }
    output.copy(from, run, at);
    if (kind === TEXT_REFERENCE) {
      const after = referenceEnd(bytes, at, end);
      textPoint(output, referenceValue(bytes, at, after));
      at = after;
    } else if (kind === TEXT_GREATER) {
      all(output, GREATER);
      at++;
    } else {
      at++;
      if (at >= end || bytes[at] !== 0x0a) output.byte(0x0a);
    }
    run = at;
  }
  output.copy(from, run, end);
}

/** Writes what stands in a CDATA section as text. */
export function writeCdata(output: Output, from: Octets, start: number, end: number): void {
  const { bytes } = from;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte === 0x26 || byte === 0x3c || byte === 0x3e) textPoint(output, byte);
    else if (byte !== 0x0d) output.byte(byte);
    else if (at + 1 >= end || bytes[at + 1] !== 0x0a) output.byte(0x0a);
  }
}

/** Writes bytes with line ends normalised and nothing escaped: comments and instructions. */
export function writeRaw(output: Output, from: Octets, start: number, end: number): void {
  const { bytes } = from;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte !== 0x0d) output.byte(byte);
    else if (at + 1 >= end || bytes[at + 1] !== 0x0a) output.byte(0x0a);
  }
}

/** Writes a processing instruction: one space between target and data (Canonical XML 1.0 §2.3). */
export function writeInstruction(output: Output, from: Octets, start: number, end: number): void {
  const { bytes } = from;
  let target = start + 2;
  while (target < end - 2 && !isBlank(bytes[target])) target++;
  let data = target;
  while (data < end - 2 && isBlank(bytes[data])) data++;
  output.copy(from, start, target);
  if (data < end - 2) {
    output.byte(0x20);
    writeRaw(output, from, data, end - 2);
  }
  output.copy(from, end - 2, end);
}

/** Writes an attribute value as parsed: normalised and escaped again. */
export function writeValue(output: Output, from: Octets, start: number, end: number): void {
  const { bytes } = from;
  let run = start;
  for (let at = start; at < end;) {
    if (valueBytes[bytes[at] as number] === 0) {
      at++;
      continue;
    }
    output.copy(from, run, at);
    const byte = bytes[at] as number;
    if (byte === 0x26) {
      const after = referenceEnd(bytes, at, end);
      valuePoint(output, referenceValue(bytes, at, after));
      at = after;
    } else if (byte === 0x0d || byte === 0x0a || byte === 0x09) {
      if (byte !== 0x0d || at + 1 >= end || bytes[at + 1] !== 0x0a) output.byte(0x20);
      at++;
    } else {
      if (byte === 0x22) all(output, QUOTE);
      else output.byte(byte);
      at++;
    }
    run = at;
  }
  output.copy(from, run, end);
}

/** Writes a value that is already plain UTF-8, escaped as an attribute value. */
export function writePlainValue(output: Output, from: Octets, start: number, end: number): void {
  const { bytes } = from;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte < 0x80) valuePoint(output, byte);
    else output.byte(byte);
  }
}
