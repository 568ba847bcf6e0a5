import { malformed } from './refusal.js';

/**
 * Refuses seams between slices that read otherwise than the slices do apart: `]]` before `>`, and a carriage return
 * before a line feed. Canonical form sees each source by itself; a receiver sees the bytes joined.
 */
export function checkJoins(slices: readonly Uint8Array[]): void {
  // The two bytes before the slice at hand; a slice may be a single byte.
  let before = 0;
  let last = 0;
  for (const slice of slices) {
    const first = slice[0];
    const delicate =
      (first === 0x0a && last === 0x0d) ||
      (first === 0x3e && last === 0x5d && before === 0x5d) ||
      (first === 0x5d && slice[1] === 0x3e && last === 0x5d);
    if (delicate) throw malformed('text would change where an edit meets what is around it', 0);
    const { length } = slice;
    if (length > 0) {
      before = length > 1 ? (slice[length - 2] as number) : last;
      last = slice[length - 1] as number;
    }
  }
}
