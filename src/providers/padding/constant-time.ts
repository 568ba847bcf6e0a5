/**
 * Branch-free helpers on 32-bit integers. A mask is 0 (no) or -1 (yes). JavaScript promises no constant time, but
 * code without branches and without table look-ups on secrets is the best that it can do.
 */

/** -1 when `value` (0…2^31-1) is 0, else 0. */
export function maskIfZero(value: number): number {
  return (value - 1) >> 31;
}

/** `yes` where `mask` is -1, `no` where it is 0. */
export function choose(mask: number, yes: number, no: number): number {
  return (yes & mask) | (no & ~mask);
}
