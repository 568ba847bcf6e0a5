/**
 * Calendar arithmetic without a clock: the proleptic Gregorian calendar, UTC, no leap seconds. For everything that
 * reads or writes dates (`Date` is kept to core/clock.ts).
 */

/** A UTC date and time; `month` counts from 1. */
export interface CivilTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

const MILLIS_PER_DAY = 86_400_000;
const monthLengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

/** How many days a month has; 0 when there is no such month. */
export function daysInMonth(year: number, month: number): number {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && leap ? 29 : (monthLengths[month - 1] ?? 0);
}

/** Milliseconds since the epoch, or undefined when a field is out of its range (a 30 February, an hour 24). */
export function civilToEpoch(time: CivilTime): number | undefined {
  const { year, month, day, hour, minute, second } = time;
  const inRange =
    day >= 1 && day <= daysInMonth(year, month) && hour <= 23 && minute <= 59 && second <= 59 && hour >= 0;
  if (!inRange || minute < 0 || second < 0) return undefined;
  return daysFromEpoch(year, month, day) * MILLIS_PER_DAY + ((hour * 60 + minute) * 60 + second) * 1000;
}

/** The UTC date and time of milliseconds since the epoch; fractions of a second are cut. */
export function epochToCivil(millis: number): CivilTime {
  const days = Math.floor(millis / MILLIS_PER_DAY);
  const seconds = Math.floor((millis - days * MILLIS_PER_DAY) / 1000);
  // Days since 1 March of year 0, in 400-year eras of 146 097 days: leap days fall at the end of the "year".
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1,
    hour: Math.floor(seconds / 3600),
    minute: Math.floor(seconds / 60) % 60,
    second: seconds % 60,
  };
}

/** `2026-11-30T22:47:02Z`. */
export function formatUtc(millis: number): string {
  const { year, month, day, hour, minute, second } = epochToCivil(millis);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}:${two(second)}Z`;
}

function daysFromEpoch(year: number, month: number, day: number): number {
  const marchYear = month <= 2 ? year - 1 : year;
  const era = Math.floor(marchYear / 400);
  const yearOfEra = marchYear - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}
