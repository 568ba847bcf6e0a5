import { describe, expect, it } from '@jest/globals';
import { formatDuration, formatSize, parseDuration, parseSize } from '#src/core/units.js';

describe('durations', () => {
  it.each([
    ['300ms', 300],
    ['30s', 30_000],
    ['5m', 300_000],
    ['24h', 86_400_000],
    ['0s', 0],
  ])('%s', (text, millis) => {
    expect(parseDuration(text)).toBe(millis);
    expect(parseDuration(formatDuration(millis))).toBe(millis);
  });

  it.each(['5', 's', '-1s', '1.5s', '01s', '5 s', '1d', '5S', ''])('refuses %j', (text) => {
    expect(() => parseDuration(text)).toThrow(RangeError);
  });
});

describe('sizes', () => {
  it.each([
    ['512KiB', 524_288],
    ['4MiB', 4_194_304],
    ['1GiB', 1_073_741_824],
  ])('%s', (text, bytes) => {
    expect(parseSize(text)).toBe(bytes);
    expect(formatSize(bytes)).toBe(text);
  });

  it('has no writing for what is no whole number of KiB', () => {
    expect(formatSize(1000)).toBeUndefined();
  });

  it.each(['4MB', '4', '0MiB', '4 MiB', '4mib', ''])('refuses %j', (text) => {
    expect(() => parseSize(text)).toThrow(RangeError);
  });
});
