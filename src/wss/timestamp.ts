/** wsu:Timestamp (WSS 1.1.1 §10): written, and read strictly. */
import { civilToEpoch } from '../core/calendar.js';
import { isoTime } from '../core/clock.js';
import { CountersignError } from '../core/errors.js';
import { NONE, ns, type NodeId, type XmlDocument } from '../xml/index.js';
import type { TimestampFact } from './evidence.js';
import { newId } from './ids.js';
import type { Toolkit } from './toolkit.js';

export interface TimestampRequest {
  /** How long the message is good for, in milliseconds. */
  readonly ttl: number;
  readonly precision: 'ms' | 's';
}

export interface TimestampPolicy {
  /** The oldest `Created` that is accepted, in milliseconds, whatever `Expires` says. */
  readonly maxAge: number;
  /** How far `Created` may lie in the future, in milliseconds. */
  readonly skew: number;
  /** `ignore`: Expires is not looked at. */
  readonly expires: 'require' | 'optional' | 'ignore';
}

/**
 * Puts a Timestamp first in the Security header.
 *
 * @param now milliseconds since the epoch
 * @returns the Timestamp
 * @throws CountersignError HEADER_EXISTS when the header, a client's own, has a Timestamp already
 */
export function createTimestamp(
  document: XmlDocument,
  header: NodeId,
  request: TimestampRequest,
  toolkit: Pick<Toolkit, 'random'>,
  now: number,
): NodeId {
  if (document.children(header).some((child) => document.is(child, ns.wsu, 'Timestamp'))) {
    throw new CountersignError('HEADER_EXISTS', 'the Security header already has a Timestamp');
  }
  const created = request.precision === 's' ? Math.floor(now / 1000) * 1000 : now;
  const from = writeTime(created, request.precision);
  const to = writeTime(created + request.ttl, request.precision);
  const xml =
    `<wsu:Timestamp xmlns:wsu="${ns.wsu}" wsu:Id="${newId('TS', toolkit.random)}">` +
    `<wsu:Created>${from}</wsu:Created><wsu:Expires>${to}</wsu:Expires></wsu:Timestamp>`;
  const [element = NONE] = document.insert(header, document.firstChild(header), xml);
  return element;
}

/**
 * The one Timestamp of a Security header.
 *
 * @throws CountersignError TIMESTAMP_MISSING, TIMESTAMP_DUPLICATE (BSP R3227)
 */
export function findTimestamp(document: XmlDocument, header: NodeId): NodeId {
  const found =
    header === NONE
      ? []
      : document.children(header).filter((child) => document.is(child, ns.wsu, 'Timestamp'));
  const [element] = found;
  if (element === undefined) {
    throw new CountersignError('TIMESTAMP_MISSING', 'the Security header has no Timestamp');
  }
  if (found.length > 1) {
    throw new CountersignError('TIMESTAMP_DUPLICATE', `the Security header has ${found.length} Timestamps`);
  }
  return element;
}

/**
 * Reads a Timestamp: Created once, then Expires at most once, nothing else (BSP R3203, R3221, R3222, R3224).
 *
 * @throws CountersignError SECURITY_STRUCTURE, TIMESTAMP_FORMAT
 */
export function readTimestamp(
  document: XmlDocument,
  element: NodeId,
  expires: TimestampPolicy['expires'] = 'optional',
): TimestampFact {
  const [created, expiry, ...others] = document.children(element);
  if (created === undefined || !document.is(created, ns.wsu, 'Created')) {
    throw structure('the first child of the Timestamp is not Created');
  }
  if (others.length > 0 || (expiry !== undefined && !document.is(expiry, ns.wsu, 'Expires'))) {
    throw structure('the Timestamp has children other than one Created followed by one Expires');
  }
  if (document.hasNonWhitespaceText(element)) throw structure('the Timestamp has text of its own');
  return {
    kind: 'timestamp',
    element,
    created: readInstant(document, created),
    expires: expiry === undefined || expires === 'ignore' ? undefined : readInstant(document, expiry),
  };
}

/**
 * Judges a Timestamp. `skew` is for the future only: no message is accepted later than its Expires or its maximal age.
 *
 * @param now milliseconds since the epoch
 * @throws CountersignError TIMESTAMP_FUTURE, TIMESTAMP_EXPIRED, TIMESTAMP_ORDER, TIMESTAMP_EXPIRES_MISSING
 */
export function checkTimestamp(fact: TimestampFact, policy: TimestampPolicy, now: number): void {
  const expires = policy.expires === 'ignore' ? undefined : fact.expires;
  const details = { created: fact.created, expires, now };
  if (expires === undefined && policy.expires === 'require') {
    throw new CountersignError('TIMESTAMP_EXPIRES_MISSING', 'the Timestamp has no Expires', { details });
  }
  if (expires !== undefined && expires <= fact.created) {
    throw new CountersignError('TIMESTAMP_ORDER', 'Expires is not later than Created', { details });
  }
  if (fact.created > now + policy.skew) {
    const ahead = fact.created - now;
    throw new CountersignError('TIMESTAMP_FUTURE', `the message was created ${ahead} ms in the future`, {
      details,
    });
  }
  if (expires !== undefined && expires <= now) {
    throw new CountersignError('TIMESTAMP_EXPIRED', `the message expired ${now - expires} ms ago`, {
      details,
    });
  }
  if (now - fact.created > policy.maxAge) {
    const age = now - fact.created;
    throw new CountersignError(
      'TIMESTAMP_EXPIRED',
      `the message is ${age} ms old, ${policy.maxAge} are allowed`,
      {
        details,
      },
    );
  }
}

/**
 * The form that is accepted: UTC, with `Z` or the zero offset that some stacks write instead, seconds present, one to
 * nine digits of fraction (BSP R3217, R3220; research/security.md WSS-08). Nothing of it depends on the input's length.
 */
const timePattern = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?(?:Z|\+00:00)$/;
/** Where the fraction stands. */
const FRACTION = '2026-01-01T00:00:00.'.length;

/** Milliseconds since the epoch, cut to the millisecond, or undefined when `text` is not of the accepted form. */
export function parseTime(text: string): number | undefined {
  if (!timePattern.test(text)) return undefined;
  const year = digits(text, 0, 4);
  if (year === 0) return undefined;
  const epoch = civilToEpoch({
    year,
    month: digits(text, 5, 2),
    day: digits(text, 8, 2),
    hour: digits(text, 11, 2),
    minute: digits(text, 14, 2),
    second: digits(text, 17, 2),
  });
  return epoch === undefined ? undefined : epoch + millisOf(text);
}

/** The number in `count` characters that are known to be digits. */
function digits(text: string, start: number, count: number): number {
  let number = 0;
  for (let at = start; at < start + count; at++) number = number * 10 + text.charCodeAt(at) - 0x30;
  return number;
}

function millisOf(text: string): number {
  if (text[FRACTION - 1] !== '.') return 0;
  let millis = 0;
  for (let place = 0, isDigit = true; place < 3; place++) {
    const digit = text.charCodeAt(FRACTION + place) - 0x30;
    isDigit &&= digit >= 0 && digit <= 9;
    millis = millis * 10 + (isDigit ? digit : 0);
  }
  return millis;
}

/** A time as it is sent: three digits of fraction or none (BSP R3220). */
export function writeTime(millis: number, precision: 'ms' | 's'): string {
  const text = isoTime(millis);
  return precision === 'ms' ? text : `${text.slice(0, -'.000Z'.length)}Z`;
}

function readInstant(document: XmlDocument, element: NodeId): number {
  // BSP R3225, R3226: no ValueType; the time is of type xsd:dateTime and nothing else.
  if (document.attribute(element, '', 'ValueType') !== undefined) {
    throw structure(`${document.localName(element)} has a ValueType`);
  }
  const text = document.text(element);
  const instant = parseTime(trimmed(text));
  if (instant !== undefined) return instant;
  throw new CountersignError('TIMESTAMP_FORMAT', `${document.localName(element)} is not a UTC time`, {
    details: { time: text.slice(0, 64) },
  });
}

const around = /^[ \t\r\n]+|[ \t\r\n]+$/g;
const trimmed = (text: string): string => (/^[^ \t\r\n]*$/.test(text) ? text : text.replace(around, ''));

const structure = (message: string): CountersignError => new CountersignError('SECURITY_STRUCTURE', message);
