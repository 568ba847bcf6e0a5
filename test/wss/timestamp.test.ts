import { describe, expect, it } from '@jest/globals';
import { createRandom } from '#src/core/random.js';
import {
  checkTimestamp,
  createTimestamp,
  findTimestamp,
  parseTime,
  readTimestamp,
  type TimestampPolicy,
  writeTime,
} from '#src/wss/timestamp.js';
import { NONE, ns } from '#src/xml/index.js';
import { outcome, parseMessage, rendered } from '../support/toolkit.js';

const now = Date.UTC(2026, 10, 30, 12, 0, 0, 250);
const toolkit = { random: createRandom() };
const policy: TimestampPolicy = { maxAge: 300_000, skew: 60_000, expires: 'require' };

const security = (children: string): string =>
  `<wsse:Security xmlns:wsse="${ns.wsse}" xmlns:wsu="${ns.wsu}">${children}</wsse:Security>`;
const created = (text: string): string => `<wsu:Created>${text}</wsu:Created>`;
const expires = (text: string): string => `<wsu:Expires>${text}</wsu:Expires>`;
const timestamp = (children: string): string => `<wsu:Timestamp wsu:Id="TS">${children}</wsu:Timestamp>`;

/** Finds, reads and judges the Timestamp of a header. */
const judge = (children: string, options: Partial<TimestampPolicy> = {}, at = now): Promise<string> =>
  outcome(() => {
    const document = parseMessage(security(children));
    const wanted = { ...policy, ...options };
    const element = findTimestamp(document, document.root);
    checkTimestamp(readTimestamp(document, element, wanted.expires), wanted, at);
  });
const window = (from: number, to: number): string =>
  timestamp(created(writeTime(from, 'ms')) + expires(writeTime(to, 'ms')));

describe('time syntax (WSS-08)', () => {
  it.each([
    ['2026-11-30T12:00:00Z', Date.UTC(2026, 10, 30, 12)],
    ['2026-11-30T12:00:00+00:00', Date.UTC(2026, 10, 30, 12)],
    ['2026-11-30T12:00:00.5Z', Date.UTC(2026, 10, 30, 12, 0, 0, 500)],
    ['2026-11-30T12:00:00.123456789Z', Date.UTC(2026, 10, 30, 12, 0, 0, 123)],
    ['2026-11-30T12:00:00.001+00:00', Date.UTC(2026, 10, 30, 12, 0, 0, 1)],
    ['2028-02-29T23:59:59.999Z', Date.UTC(2028, 1, 29, 23, 59, 59, 999)],
    ['2000-02-29T00:00:00Z', Date.UTC(2000, 1, 29)],
    ['9999-12-31T23:59:59Z', Date.UTC(9999, 11, 31, 23, 59, 59)],
  ])('reads %s', (text, expected) => {
    expect(parseTime(text)).toBe(expected);
  });

  it.each([
    '2026-11-30T12:00:00', // no zone
    '2026-11-30T12:00:00+14:00',
    '2026-11-30T12:00:00-00:00',
    '2026-11-30T12:00:00+0000',
    '2026-11-30T12:00:00+01:00',
    '2026-11-30T24:00:00Z',
    '2026-02-30T12:00:00Z',
    '2027-02-29T12:00:00Z',
    '1900-02-29T12:00:00Z',
    '2026-11-31T12:00:00Z',
    '2026-13-01T12:00:00Z',
    '2026-00-01T12:00:00Z',
    '2026-11-00T12:00:00Z',
    '2026-11-30T12:00:60Z',
    '2026-11-30T12:60:00Z',
    '2026-11-30T12:00:00.Z',
    '2026-11-30T12:00:00.1234567890Z',
    '0000-11-30T12:00:00Z',
    '10000-11-30T12:00:00Z',
    '-2026-11-30T12:00:00Z',
    '+2026-11-30T12:00:00Z',
    '2026-11-30 12:00:00Z',
    '2026-11-30t12:00:00z',
    '2026-11-30T12:00Z',
    '2026-11-30',
    '2026-1-1T1:1:1Z',
    '２０２６-11-30T12:00:00Z',
    '2026-11-30T12:00:00Z 2026-11-30T12:00:00Z',
    '2026-11-30T12:00:00Zx',
    '',
  ])('refuses %j', async (text) => {
    expect(parseTime(text)).toBeUndefined();
    expect(await judge(timestamp(created(text)), { expires: 'optional' })).toBe('TIMESTAMP_FORMAT');
  });

  it('lets white space around a time be (xsd:dateTime collapses it)', async () => {
    expect(await judge(timestamp(created(`\n ${writeTime(now, 'ms')}\t`)), { expires: 'optional' })).toBe(
      'accepted',
    );
  });

  it('refuses anything but text in a time (XSW-13)', async () => {
    const time = writeTime(now, 'ms');
    for (const inner of [`${time}<x/>`, `<!-- -->${time}`, `${time.slice(0, 10)}<!-- -->${time.slice(10)}`]) {
      expect(await judge(timestamp(created(inner)), { expires: 'optional' })).not.toBe('accepted');
    }
  });

  it('agrees with Date on every day of 400 years', () => {
    for (let day = Date.UTC(1970, 0, 1); day < Date.UTC(2370, 0, 1); day += 86_400_000) {
      const text = new Date(day).toISOString();
      if (parseTime(text) !== day) throw new Error(text);
    }
  });
});

describe('structure of a Timestamp', () => {
  const time = writeTime(now, 'ms');
  const later = writeTime(now + 1000, 'ms');

  it('is read when it is built as it should be', async () => {
    expect(await judge(timestamp(created(time) + expires(later)))).toBe('accepted');
  });

  it.each([
    ['two Created', created(time) + created(time)],
    ['Expires before Created', expires(later) + created(time)],
    ['two Expires', created(time) + expires(later) + expires(later)],
    ['a third child', `${created(time)}${expires(later)}<wsu:Received>${time}</wsu:Received>`],
    ['no Created', expires(later)],
    ['nothing', ''],
    ['text beside', `x${created(time)}${expires(later)}`],
    ['a ValueType', `<wsu:Created ValueType="xsd:dateTime">${time}</wsu:Created>${expires(later)}`],
    ['Created of another namespace', `<Created xmlns="urn:x">${time}</Created>${expires(later)}`],
  ])('is refused with %s', async (_name, children) => {
    expect(await judge(timestamp(children))).toBe('SECURITY_STRUCTURE');
  });

  it('must stand in the Security header, once (WSS-07, WSS-11)', async () => {
    const good = timestamp(created(time) + expires(later));
    expect(await judge(good)).toBe('accepted');
    expect(await judge('')).toBe('TIMESTAMP_MISSING');
    expect(await judge(`<x>${good}</x>`)).toBe('TIMESTAMP_MISSING');
    expect(await judge(good + good.replace('"TS"', '"TS2"'))).toBe('TIMESTAMP_DUPLICATE');
    expect(await outcome(() => findTimestamp(parseMessage('<a/>'), NONE))).toBe('TIMESTAMP_MISSING');
  });
});

describe('time window (WSS-09)', () => {
  it.each([
    ['60 s ahead', now + 60_000, now + 360_000, 'accepted'],
    ['more than 60 s ahead', now + 60_001, now + 360_000, 'TIMESTAMP_FUTURE'],
    ['300 s old', now - 300_000, now + 1, 'accepted'],
    ['more than 300 s old', now - 300_001, now + 1000, 'TIMESTAMP_EXPIRED'],
    ['just expired', now - 1000, now, 'TIMESTAMP_EXPIRED'],
    ['about to expire', now - 1000, now + 1, 'accepted'],
    ['Expires as Created', now, now, 'TIMESTAMP_ORDER'],
    ['Expires before Created', now, now - 1, 'TIMESTAMP_ORDER'],
    ['Expires in ten years, young', now - 1000, now + 3.2e11, 'accepted'],
    ['Expires in ten years, too old', now - 300_001, now + 3.2e11, 'TIMESTAMP_EXPIRED'],
  ])('%s', async (_name, from, to, expected) => {
    expect(await judge(window(from, to))).toBe(expected);
  });

  it('asks for Expires, or does not, or does not look', async () => {
    const bare = timestamp(created(writeTime(now, 'ms')));
    expect(await judge(bare)).toBe('TIMESTAMP_EXPIRES_MISSING');
    expect(await judge(bare, { expires: 'optional' })).toBe('accepted');
    expect(await judge(bare, { expires: 'ignore' })).toBe('accepted');
    const past = window(now - 10_000, now - 5000);
    expect(await judge(past, { expires: 'optional' })).toBe('TIMESTAMP_EXPIRED');
    expect(await judge(past, { expires: 'ignore' })).toBe('accepted');
  });
});

describe('creating a Timestamp', () => {
  it('puts it first and says what the policy says', async () => {
    const document = parseMessage(security('<a/>'));
    const element = createTimestamp(document, document.root, { ttl: 300_000, precision: 'ms' }, toolkit, now);
    expect(document.firstChild(document.root)).toBe(element);
    expect(readTimestamp(document, element)).toEqual({
      kind: 'timestamp',
      element,
      created: now,
      expires: now + 300_000,
    });
    expect(document.idOf(element)).toMatch(/^TS-[0-9a-f]{32}$/);
    expect(
      await outcome(() => createTimestamp(document, document.root, { ttl: 1, precision: 's' }, toolkit, now)),
    ).toBe('HEADER_EXISTS');
  });

  it('writes whole seconds when asked', () => {
    const document = parseMessage(security(''));
    createTimestamp(document, document.root, { ttl: 300_000, precision: 's' }, toolkit, now);
    expect(rendered(document)).toContain(created('2026-11-30T12:00:00Z') + expires('2026-11-30T12:05:00Z'));
  });
});
