import { CountersignError } from '../../core/errors.js';
import { binaryToken, binaryTokenOctets, x509Profile } from './binary.js';
import type { TokenModule } from './module.js';

/** As many as a path may have (research/security.md §5.1). */
const longestPath = 8;
const sequence = 0x30;

/** An ordered path, trust anchor side first, end entity last (X.509 Token Profile 1.1.1 §3.1.2, X.509 PkiPath). */
export const x509PkiPathToken: TokenModule = Object.freeze({
  name: 'X509PKIPathv1',
  ...binaryToken,
  valueType: `${x509Profile}X509PKIPathv1`,
  read: (doc, element, certificates) => {
    const path = splitPath(binaryTokenOctets(doc, element)).map((der) => certificates.read(der));
    const certificate = path.pop();
    if (certificate === undefined) throw malformed('holds no certificate');
    return { certificate, intermediates: path.reverse() };
  },
} satisfies TokenModule);

function splitPath(bytes: Uint8Array): Uint8Array[] {
  const outer = readElement(bytes, 0);
  if (outer.end !== bytes.length) throw malformed('has octets after its end');
  const items: Uint8Array[] = [];
  for (let at = outer.start; at < outer.end;) {
    const item = readElement(bytes, at);
    if (item.end > outer.end) throw malformed('is cut short');
    if (items.length === longestPath) throw malformed(`holds more than ${longestPath} certificates`);
    items.push(bytes.subarray(at, item.end));
    at = item.end;
  }
  return items;
}

/** Start and end of the content of the SEQUENCE at `at` (X.690 §8.1.3, §10.1: definite, minimal length). */
function readElement(bytes: Uint8Array, at: number): { start: number; end: number } {
  const first = bytes[at + 1];
  if (bytes[at] !== sequence || first === undefined) throw malformed('is not a SEQUENCE of certificates');
  let start = at + 2;
  let length = first;
  if (first > 0x7f) {
    const count = first & 0x7f;
    if (count < 1 || count > 3) throw malformed('has a length that is not accepted');
    length = 0;
    for (let index = 0; index < count; index += 1) length = length * 256 + (bytes[start + index] ?? 0);
    start += count;
    if (length < 0x80 || length < 256 ** (count - 1)) throw malformed('has a length that is not minimal');
  }
  const end = start + length;
  if (end > bytes.length) throw malformed('is cut short');
  return { start, end };
}

const malformed = (problem: string): CountersignError =>
  new CountersignError('TOKEN_MALFORMED', `the X509PKIPathv1 token ${problem}`);
