import { malformed } from './refusal.js';

/**
 * Refuses seams between slices that read otherwise than the slices do apart: `]]` before `>`, and a carriage return
 * before a line feed. Canonical form sees each source by itself; a receiver sees the bytes joined.
 */
export function checkJoins(slices: readonly Uint8Array[]): void {
  let tail = '';
  for (const slice of slices) {
    const [first, second] = slice;
    const delicate =
      (first === 0x0a && tail.endsWith('\r')) ||
      (first === 0x3e && tail.endsWith(']]')) ||
      (first === 0x5d && second === 0x3e && tail.endsWith(']'));
    if (delicate) throw malformed('text would change where an edit meets what is around it', 0);
    tail = (tail + Buffer.from(slice.subarray(-2)).toString('latin1')).slice(-2);
  }
}
