/**
 * Signature wrapping and random rearrangement against whole chains (research/security.md §1.1): what a client's chain
 * protected is changed, and the server's chain may accept it only where what it passes on is what was signed.
 */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { isCountersignError } from '#src/core/errors.js';
import { findSecurityHeader } from '#src/wss/header.js';
import { findEnvelope, NONE, ns } from '#src/xml/index.js';
import { bench, check, order, process, protect, type Bench, type StepText } from '../support/chain.js';
import { testKey } from '../support/pki.js';
import { outcome, parseMessage, soap } from '../support/toolkit.js';
import { encryptedData, encryptedKey } from './forge-encrypted.js';
import { wrap, wrappings, type Wrapping } from './generator.js';

const addressing = 'http://www.w3.org/2005/08/addressing';
const headers =
  `<wsa:To xmlns:wsa="${addressing}">urn:orders</wsa:To>` +
  `<wsa:Action xmlns:wsa="${addressing}">urn:order</wsa:Action>`;

let b: Bench;
beforeAll(async () => {
  b = await bench();
});

describe('XSW-05 through the chain', () => {
  const all = ['timestamp', 'body', 'header/wsa:To', 'header/wsa:Action'];
  const attacker = Buffer.from(testKey('other').certificate.der).toString('base64');
  const judged = wrappings.filter(({ target }) => target !== 'UsernameToken');
  /** Where the Body is signed nothing can be put into it: the other parts are tried without that. */
  const partsFor = ({ target, place }: Wrapping): readonly string[] =>
    place === 'foreign child of Body' && target !== 'Body' ? all.filter((part) => part !== 'body') : all;
  const twins = new Map<string, string>();
  const listFor = (parts: readonly string[]): StepText[] => [
    { verify: { trust: 'clients', parts } },
    'check-timestamp',
    'replay',
  ];

  beforeAll(async () => {
    for (const parts of [all, all.filter((part) => part !== 'body')]) {
      const list: StepText[] = [{ timestamp: { precision: 's' } }, { sign: { key: 'client', parts } }];
      const { text } = await process(b.chain(list), soap(order, headers));
      twins.set(parts.join(), text);
      expect(await outcome(() => process(b.chain(listFor(parts)), text))).toBe('accepted');
    }
  });

  const refusals = [
    'XML_ID_DUPLICATE',
    'SOAP_STRUCTURE',
    'SECURITY_STRUCTURE',
    'HEADER_CHILD_UNEXPECTED',
    'PART_NOT_SIGNED',
    'DIGEST_MISMATCH',
    'TOKEN_UNAVAILABLE',
    'CERTIFICATE_UNTRUSTED',
  ];

  it.each(judged)('refuses $target $place, decoy with $decoy', async (wrapping) => {
    const parts = partsFor(wrapping);
    const message = wrap(twins.get(parts.join()) ?? '', wrapping, attacker);
    expect(refusals).toContain(await outcome(() => process(b.chain(listFor(parts)), message)));
  });
});

describe('random rearrangement', () => {
  /** The spans of all elements; the messages have no comments and no CDATA. */
  function spans(text: string): [number, number][] {
    const found: [number, number][] = [];
    const open: number[] = [];
    for (const match of text.matchAll(/<(\/?)[\w:.-]+[^>]*?(\/?)>/g)) {
      const end = match.index + match[0].length;
      if (match[1] === '/') found.push([open.pop() ?? 0, end]);
      else if (match[2] === '/') found.push([match.index, end]);
      else open.push(match.index);
    }
    return found;
  }

  /** Park and Miller's generator: the same changes in every run. */
  const numbers = (seed: number): ((below: number) => number) => {
    let state = seed;
    return (below) => {
      state = (state * 48271) % 2147483647;
      return state % below;
    };
  };

  const splice = (text: string, at: number, inserted: string): string =>
    text.slice(0, at) + inserted + text.slice(at);

  function change(text: string, next: (below: number) => number, strange: readonly string[]): string {
    const all = spans(text);
    const [start, end] = all[next(all.length)] ?? [0, 0];
    const [other] = all[next(all.length)] ?? [0, 0];
    const element = text.slice(start, end);
    const stranger = strange[next(strange.length)] ?? '';
    const without = text.slice(0, start) + text.slice(end);
    switch (next(5)) {
      case 0:
        return without;
      case 1:
        return splice(text, other, element);
      case 2:
        return other >= start && other < end
          ? text
          : splice(without, other < start ? other : other - element.length, element);
      case 3:
        return splice(text, next(2) === 0 ? start : end, stranger);
      default:
        return splice(text, text.indexOf('>', start) + 1, stranger);
    }
  }

  /** The Body of the Envelope, whatever else in the message is called so. */
  function bodyOf(text: string): string {
    const document = parseMessage(text);
    const body = Buffer.concat(document.slices(findEnvelope(document).body, 'element')).toString();
    return body.replace(/ xmlns:wsu="[^"]*"/, '');
  }

  function securityOf(text: string): number {
    const document = parseMessage(text);
    return findSecurityHeader(document, findEnvelope(document), '');
  }

  it('what is accepted has the Body that was signed, and no Security header; nothing ends in an internal error', async () => {
    const { text: good } = await process(b.chain(protect), soap(order, headers));
    const expected = bodyOf((await process(b.chain(check), good)).text);
    const security = `<wsse:Security xmlns:wsse="${ns.wsse}"/>`;
    const strange = [
      '<soap:Body/>',
      '<soap:Header/>',
      'x',
      security,
      `<wsu:Timestamp xmlns:wsu="${ns.wsu}"/>`,
      encryptedKey(b, ['E1', 'E2']),
      encryptedData(b, { id: 'E1', plaintext: security }),
      encryptedData(b, { id: 'E2', plaintext: order, type: 'Element' }),
    ];
    const next = numbers(20261201);
    const counts = { accepted: 0, refused: 0 };
    for (let round = 0; round < 1500; round++) {
      let message = good;
      for (let changes = next(3); changes >= 0; changes--) message = change(message, next, strange);
      try {
        const { text } = await process(b.chain(check), message);
        counts.accepted += 1;
        expect(bodyOf(text)).toBe(expected);
        expect(securityOf(text)).toBe(NONE);
      } catch (error) {
        if (!isCountersignError(error)) throw error;
        expect(error.kind.actor).toBe('sender');
        counts.refused += 1;
      }
    }
    expect(counts.accepted).toBeGreaterThan(0);
    expect(counts.refused).toBeGreaterThan(1000);
  }, 60_000);
});
