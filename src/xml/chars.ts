/** Character classes of XML 1.0 (fifth edition) and Namespaces in XML 1.0, over UTF-8 bytes and code points. */

/** Bytes that may stand in a name. 1: also first; 2: not first; 3: the colon; 4: non-ASCII, to be checked. */
export const nameBytes: Uint8Array = new Uint8Array(256);
/** Bytes of text that need a look. 0 plain, else one of the `TEXT_*` values. */
export const textBytes: Uint8Array = new Uint8Array(256);
/** Bytes of an attribute value that need a look. 0 plain, else one of the `TEXT_*` values. */
export const valueBytes: Uint8Array = new Uint8Array(256);

export const TEXT_LESS = 1;
export const TEXT_REFERENCE = 2;
export const TEXT_RETURN = 3;
export const TEXT_GREATER = 4;
export const TEXT_BRACKET = 5;
/** First byte of U+F000…U+FFFF, among them the non-characters U+FFFE and U+FFFF. */
export const TEXT_HIGH = 6;
export const TEXT_ILLEGAL = 7;
export const TEXT_QUOTE = 8;
export const TEXT_BLANK = 9;

for (let byte = 0; byte < 256; byte++) {
  const letter = (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a) || byte === 0x5f;
  const digit = (byte >= 0x30 && byte <= 0x39) || byte === 0x2d || byte === 0x2e;
  nameBytes[byte] = byte >= 0x80 ? 4 : letter ? 1 : digit ? 2 : 0;
  const control = byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d;
  textBytes[byte] = control ? TEXT_ILLEGAL : 0;
  valueBytes[byte] = control ? TEXT_ILLEGAL : 0;
}
nameBytes[0x3a] = 3;
textBytes[0x3c] = TEXT_LESS;
textBytes[0x26] = TEXT_REFERENCE;
textBytes[0x0d] = TEXT_RETURN;
textBytes[0x3e] = TEXT_GREATER;
textBytes[0x5d] = TEXT_BRACKET;
textBytes[0xef] = TEXT_HIGH;
valueBytes[0x3c] = TEXT_LESS;
valueBytes[0x26] = TEXT_REFERENCE;
valueBytes[0x22] = TEXT_QUOTE;
valueBytes[0x27] = TEXT_QUOTE;
valueBytes[0x09] = TEXT_BLANK;
valueBytes[0x0a] = TEXT_BLANK;
valueBytes[0x0d] = TEXT_BLANK;
valueBytes[0xef] = TEXT_HIGH;

/** Two bytes at once, the first times 256: 0 if both are plain in text, which is looked at in half the time. */
export const textPairs: Uint8Array = new Uint8Array(0x10000);
for (let first = 0; first < 256; first++) {
  if (textBytes[first] === 0) textPairs.set(textBytes, first << 8);
  else textPairs.fill(1, first << 8, (first + 1) << 8);
}

/** Ranges of NameStartChar beyond ASCII (XML 1.0 [4]). */
const startRanges: readonly (readonly [number, number])[] = [
  [0xc0, 0xd6],
  [0xd8, 0xf6],
  [0xf8, 0x2ff],
  [0x370, 0x37d],
  [0x37f, 0x1fff],
  [0x200c, 0x200d],
  [0x2070, 0x218f],
  [0x2c00, 0x2fef],
  [0x3001, 0xd7ff],
  [0xf900, 0xfdcf],
  [0xfdf0, 0xfffd],
  [0x10000, 0xeffff],
];

/** What NameChar adds beyond ASCII (XML 1.0 [4a]). */
const moreRanges: readonly (readonly [number, number])[] = [
  [0xb7, 0xb7],
  [0x300, 0x36f],
  [0x203f, 0x2040],
];

const within = (ranges: readonly (readonly [number, number])[], point: number): boolean =>
  ranges.some(([low, high]) => point >= low && point <= high);

/** White space, XML 1.0 [3]. */
export function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x09 || byte === 0x0d;
}

/** Char, XML 1.0 [2]. */
export function isChar(point: number): boolean {
  if (point < 0x20) return point === 0x09 || point === 0x0a || point === 0x0d;
  return point <= 0xd7ff || (point >= 0xe000 && point <= 0xfffd) || (point >= 0x10000 && point <= 0x10ffff);
}

/** Whether `text` is an NCName (Namespaces in XML 1.0 [4]). */
export function isNcName(text: string): boolean {
  let first = true;
  for (const char of text) {
    const point = char.codePointAt(0) ?? 0;
    const kind = point < 0x80 ? nameBytes[point] : 0;
    const start = point < 0x80 ? kind === 1 : within(startRanges, point);
    const more = point < 0x80 ? kind === 2 : within(moreRanges, point);
    if (!start && (first || !more)) return false;
    first = false;
  }
  return !first;
}

/** What nearly all ids are made of. */
const asciiId = /^[-.\w]+$/;

/**
 * Whether `text` may be an id: name characters without a colon. Wider than NCName by its first character: peers write
 * `wsu:Id="8"`, which WSS 1.1.1 §4.2 (xsd:ID) does not allow.
 */
export function isIdToken(text: string): boolean {
  return asciiId.test(text) || (text !== '' && isNcName(`_${text}`));
}

/** Whether the bytes are ASCII characters of names without a colon, at least one. */
export function isPlainName(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const kind = nameBytes[bytes[at] as number];
    if (kind !== 1 && kind !== 2) return false;
  }
  return end > start;
}

/** Whether the bytes are an NCName; they must be valid UTF-8. */
export function isNcNameBytes(bytes: Buffer, start: number, end: number): boolean {
  if (start >= end || nameBytes[bytes[start] as number] === 2) return false;
  for (let at = start; at < end; at++) {
    const kind = nameBytes[bytes[at] as number];
    if (kind === 4) return isNcName(bytes.toString('utf8', start, end));
    if (kind !== 1 && kind !== 2) return false;
  }
  return true;
}
