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

let knownSecond = Number.NaN;
let secondText = '';

/** `2026-11-30T22:47:02.123Z` for milliseconds since the epoch. The text of the last second is remembered. */
export function isoTime(epochMillis: number): string {
  const second = Math.floor(epochMillis / 1000);
  if (second !== knownSecond) {
    secondText = new Date(second * 1000).toISOString().slice(0, -4);
    knownSecond = second;
  }
  const millis = Math.floor(epochMillis - second * 1000);
  return `${secondText}${millis < 10 ? '00' : millis < 100 ? '0' : ''}${millis}Z`;
}
