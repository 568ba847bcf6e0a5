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

const DAY = 86_400_000;
let knownDay = Number.NaN;
let dayText = '';

/** `2026-11-30T22:47:02.123Z` for milliseconds since the epoch. The text of the last day is remembered. */
export function isoTime(epochMillis: number): string {
  const day = Math.floor(epochMillis / DAY);
  if (day !== knownDay) {
    dayText = new Date(day * DAY).toISOString().slice(0, -'00:00:00.000Z'.length);
    knownDay = day;
  }
  const rest = Math.floor(epochMillis - day * DAY);
  const hours = twoDigits(Math.floor(rest / 3_600_000));
  const minutes = twoDigits(Math.floor(rest / 60_000) % 60);
  const seconds = twoDigits(Math.floor(rest / 1000) % 60);
  const millis = rest % 1000;
  return `${dayText}${hours}:${minutes}:${seconds}.${millis < 100 ? '0' : ''}${twoDigits(millis)}Z`;
}

const twoDigits = (number: number): string => (number < 10 ? `0${number}` : `${number}`);
