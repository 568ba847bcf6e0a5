/**
 * ECDSA signatures as XML Signature writes them (r and s side by side, XMLDSIG 1.1 §6.4.3; IEEE P1363) and as DER.
 * Converting by hand is cheaper than asking node:crypto for P1363: on Node 24 only a bare KeyObject is fast.
 */
import { concat } from '../core/bytes.js';

const INTEGER = 0x02;
const SEQUENCE = 0x30;

/** DER of an unsigned big-endian number: minimal, with a zero byte in front where the top bit is set. */
function integer(value: Uint8Array): Uint8Array {
  let start = 0;
  while (start < value.length - 1 && value[start] === 0) start++;
  const digits = value.subarray(start);
  const sign = ((digits[0] ?? 0) & 0x80) === 0 ? [] : [0];
  return concat(Uint8Array.from([INTEGER, digits.length + sign.length, ...sign]), digits);
}

/**
 * @param size bytes of the curve's order (66 for P-521)
 * @returns undefined unless the signature is exactly 2 × `size` bytes
 */
export function derFromP1363(signature: Uint8Array, size: number): Uint8Array | undefined {
  if (signature.length !== 2 * size) return undefined;
  const body = concat(integer(signature.subarray(0, size)), integer(signature.subarray(size)));
  const header = body.length < 0x80 ? [SEQUENCE, body.length] : [SEQUENCE, 0x81, body.length];
  return concat(Uint8Array.from(header), body);
}

/** @param der a signature that the back end made; it is trusted to be well-formed */
export function p1363FromDer(der: Uint8Array, size: number): Uint8Array {
  const signature = new Uint8Array(2 * size);
  let at = (der[1] ?? 0) === 0x81 ? 3 : 2;
  for (const end of [size, 2 * size]) {
    const length = der[at + 1] ?? 0;
    let digits = der.subarray(at + 2, at + 2 + length);
    if (digits.length > size) digits = digits.subarray(digits.length - size);
    signature.set(digits, end - digits.length);
    at += 2 + length;
  }
  return signature;
}

/** Bytes of the order of a curve of `bits` bits. */
export function orderSize(bits: number): number {
  return Math.ceil(bits / 8);
}
