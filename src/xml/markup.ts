import { isBlank, isNcNameBytes, nameBytes, TEXT_HIGH, TEXT_ILLEGAL, textBytes } from './chars.js';
import { malformed, refusal } from './refusal.js';

/** Whether `text` stands at `at`. */
export function startsWith(bytes: Buffer, at: number, text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    if (bytes[at + index] !== text.charCodeAt(index)) return false;
  }
  return true;
}

/** Refuses U+FFFE and U+FFFF; `at` is the offset of a byte 0xEF in valid UTF-8. */
export function refuseNonCharacter(bytes: Buffer, at: number): void {
  if (bytes[at + 1] === 0xbf && (bytes[at + 2] as number) >= 0xbe) {
    throw malformed('a character is not allowed in XML', at);
  }
}

/** Refuses characters that XML does not allow in `[start, end)`. */
function checkCharacters(bytes: Buffer, start: number, end: number): void {
  for (let at = start; at < end; at++) {
    const kind = textBytes[bytes[at] as number];
    if (kind === TEXT_ILLEGAL) throw malformed('a character is not allowed in XML', at);
    if (kind === TEXT_HIGH) refuseNonCharacter(bytes, at);
  }
}

/** The offset after the comment at `at`, which begins with `<!--` (XML 1.0 §2.5). */
export function commentEnd(bytes: Buffer, at: number): number {
  const dashes = bytes.indexOf('--', at + 4);
  if (dashes < 0) throw malformed('a comment is not closed', at);
  if (bytes[dashes + 2] !== 0x3e) throw malformed('`--` stands in a comment', dashes);
  checkCharacters(bytes, at + 4, dashes);
  return dashes + 3;
}

/** The offset after the CDATA section at `at`, which begins with `<![CDATA[` (XML 1.0 §2.7). */
export function cdataEnd(bytes: Buffer, at: number): number {
  const end = bytes.indexOf(']]>', at + 9);
  if (end < 0) throw malformed('a CDATA section is not closed', at);
  checkCharacters(bytes, at + 9, end);
  return end + 3;
}

/** The offset after the processing instruction at `at` (XML 1.0 §2.6; Namespaces in XML 1.0 §7: no colon). */
export function instructionEnd(bytes: Buffer, at: number): number {
  let target = at + 2;
  while (target < bytes.length && nameBytes[bytes[target] as number] !== 0) target++;
  if (!isNcNameBytes(bytes, at + 2, target)) throw malformed('a processing instruction has no target', at);
  if (bytes.toString('latin1', at + 2, target).toLowerCase() === 'xml') {
    throw malformed('an XML declaration stands elsewhere than at the start', at);
  }
  const end = bytes.indexOf('?>', target);
  if (end < 0) throw malformed('a processing instruction is not closed', at);
  if (end !== target && !isBlank(bytes[target])) {
    throw malformed('the target of a processing instruction is not a name', target);
  }
  checkCharacters(bytes, target, end);
  return end + 2;
}

const blank = '[ \\t\\r\\n]';
const pseudo = (name: string, value: string): string =>
  `${blank}+${name}${blank}*=${blank}*(?:"(${value})"|'(${value})')`;
const declaration = new RegExp(
  `^<\\?xml${pseudo('version', '[A-Za-z0-9_.:-]+')}(?:${pseudo('encoding', '[A-Za-z][A-Za-z0-9._-]*')})?` +
    `(?:${pseudo('standalone', 'yes|no')})?${blank}*\\?>$`,
);
const longestDeclaration = 400;
const usual = '<?xml version="1.0" encoding="UTF-8"?>';

/** The offset after the XML declaration, `at` if there is none (XML 1.0 §2.8, §4.3.3). */
export function declarationEnd(bytes: Buffer, at: number, encodings: readonly string[]): number {
  if (bytes[at + 1] !== 0x3f || !startsWith(bytes, at, '<?xml') || !isBlank(bytes[at + 5])) return at;
  if (startsWith(bytes, at, usual) && encodings.includes('utf-8')) return at + usual.length;
  const end = bytes.indexOf('?>', at);
  if (end < 0 || end - at > longestDeclaration) throw malformed('the XML declaration is not closed', at);
  const match = declaration.exec(bytes.toString('latin1', at, end + 2));
  if (match === null) throw malformed('the XML declaration is malformed', at);
  const version = match[1] ?? match[2];
  if (version !== '1.0') throw malformed('the version of XML is not 1.0', at);
  const encoding = match[3] ?? match[4];
  if (encoding !== undefined && !encodings.includes(encoding.toLowerCase())) {
    throw refusal('XML_ENCODING', 'the declared encoding is not that of the bytes, or not accepted', at);
  }
  return end + 2;
}
