/** Time, injected everywhere: no other file of `src` reads a clock. */
export interface Clock {
  /** Wall-clock time in milliseconds since the epoch. */
  readonly now: () => number;
  /** Monotonic time in microseconds since an arbitrary start; fractions allowed. */
  readonly micros: () => number;
}

/** The machine's clocks. */
export const systemClock: Clock = Object.freeze({
  now: () => Date.now(),
  micros: () => performance.now() * 1000,
});

/** Wall-clock time frozen at `epochMillis`; the monotonic clock still runs, so that timings stay true. */
export function fixedClock(epochMillis: number): Clock {
  return Object.freeze({ now: () => epochMillis, micros: systemClock.micros });
}

/** `2026-11-30T22:47:02.123Z` for milliseconds since the epoch. */
export function isoTime(epochMillis: number): string {
  return new Date(epochMillis).toISOString();
}
