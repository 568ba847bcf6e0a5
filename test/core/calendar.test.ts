import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { civilToEpoch, daysInMonth, epochToCivil, formatUtc } from '#src/core/calendar.js';

describe('calendar', () => {
  it('agrees with Date in both directions', () => {
    const limit = Date.UTC(9999, 11, 31);
    fc.assert(
      fc.property(fc.integer({ min: -62_135_596_800_000, max: limit }), (millis) => {
        const date = new Date(millis);
        const seconds = Math.floor(millis / 1000) * 1000;
        expect(epochToCivil(millis)).toEqual({
          year: date.getUTCFullYear(),
          month: date.getUTCMonth() + 1,
          day: date.getUTCDate(),
          hour: date.getUTCHours(),
          minute: date.getUTCMinutes(),
          second: date.getUTCSeconds(),
        });
        expect(civilToEpoch(epochToCivil(millis))).toBe(seconds);
        expect(formatUtc(millis)).toBe(`${date.toISOString().slice(0, 19)}Z`);
      }),
    );
  });

  it('knows leap years and refuses days that do not exist', () => {
    expect([daysInMonth(2024, 2), daysInMonth(1900, 2), daysInMonth(2000, 2), daysInMonth(2026, 13)]).toEqual(
      [29, 28, 29, 0],
    );
    const base = { year: 2026, month: 2, day: 28, hour: 23, minute: 59, second: 59 };
    expect(civilToEpoch(base)).toBe(Date.UTC(2026, 1, 28, 23, 59, 59));
    for (const wrong of [
      { day: 29 },
      { day: 0 },
      { month: 0 },
      { month: 13 },
      { hour: 24 },
      { minute: 60 },
      { second: 60 },
    ]) {
      expect(civilToEpoch({ ...base, ...wrong })).toBeUndefined();
    }
  });
});
