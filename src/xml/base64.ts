import { isBlank } from './chars.js';

/** Characters decoded at a time: no string over 64 KB is made, and pieces join (a multiple of 4). */
const piece = 49152;

/**
 * Octets of base64 text as XML Schema defines it (base64Binary, RFC 4648 alphabet): white space may stand anywhere,
 * padding must be there and its spare bits zero. Undefined if the text is not that.
 */
export function decodeBase64(text: Buffer): Buffer | undefined {
  return decodeCompact(text) ?? decodeCompact(withoutBlanks(text));
}

/** Decodes text without white space. Encoding the result again must give the same text: nothing was overlooked. */
function decodeCompact(text: Buffer): Buffer | undefined {
  const { length } = text;
  if (length % 4 !== 0) return undefined;
  if (length === 0) return Buffer.alloc(0);
  const padding = text[length - 1] !== 0x3d ? 0 : text[length - 2] !== 0x3d ? 1 : 2;
  const octets = Buffer.allocUnsafe((length / 4) * 3 - padding);
  for (let at = 0, to = 0; at < length; at += piece) {
    const characters = text.toString('latin1', at, Math.min(at + piece, length));
    const written = octets.write(characters, to, 'base64');
    if (octets.toString('base64', to, to + written) !== characters) return undefined;
    to += written;
  }
  return octets;
}

function withoutBlanks(text: Buffer): Buffer {
  const compact = Buffer.allocUnsafe(text.length);
  let to = 0;
  for (const byte of text) if (!isBlank(byte)) compact[to++] = byte;
  return compact.subarray(0, to);
}
