import { eachSlice, type Range } from './edits.js';
import { malformed } from './refusal.js';

/**
 * Refuses seams between the slices of a range that read otherwise than the slices do apart: `]]` before `>`, and a
 * carriage return before a line feed. Canonical form sees each source by itself; a receiver sees the bytes joined.
 */
export function checkJoins(range: Range): void {
  // The two bytes before the slice at hand; a slice may be a single byte.
  let before = 0;
  let last = 0;
  eachSlice(range, (bytes, start, end) => {
    const first = bytes[start];
    const delicate =
      (first === 0x0a && last === 0x0d) ||
      (first === 0x3e && last === 0x5d && before === 0x5d) ||
      (first === 0x5d && end > start + 1 && bytes[start + 1] === 0x3e && last === 0x5d);
    if (delicate) throw malformed('text would change where an edit meets what is around it', 0);
    if (end === start) return;
    before = end - start > 1 ? (bytes[end - 2] as number) : last;
    last = bytes[end - 1] as number;
  });
}
