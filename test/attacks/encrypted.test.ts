/**
 * What an attacker can do with ciphertext of their own against a whole chain: a message that a client protected is
 * caught, and EncryptedKeys and EncryptedData are put into it. The signature holds throughout.
 */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { isCountersignError } from '#src/core/errors.js';
import { gatewayFault } from '#src/pipeline/index.js';
import { ns } from '#src/xml/index.js';
import { bench, check, order, process, protect, type Bench, type StepText } from '../support/chain.js';
import { outcome, soap } from '../support/toolkit.js';
import { encryptedData, encryptedKey, inHeader, inSecurity, type ForgedData } from './forge-encrypted.js';

let b: Bench;
let good: string;
beforeAll(async () => {
  b = await bench();
  good = (await process(b.chain(protect), soap(order, ''))).text;
});

const data = (options: ForgedData): string => encryptedData(b, options);
const key = (...references: string[]): string => encryptedKey(b, references);
const checked = async (message: string, list: readonly StepText[] = check): Promise<string> =>
  (await process(b.chain(list), message)).text;
const verdict = (message: string, list?: readonly StepText[]): Promise<string> =>
  outcome(() => checked(message, list));
const user = `<wsse:UsernameToken><wsse:Username>admin</wsse:Username></wsse:UsernameToken>`;
const secondHeader = `<wsse:Security xmlns:wsse="${ns.wsse}">${user}</wsse:Security>`;

it('the message itself is accepted', async () => {
  expect(await verdict(good)).toBe('accepted');
});

describe('a second Security header', () => {
  it('in clear is refused', async () => {
    expect(await verdict(inHeader(good, secondHeader))).toBe('HEADER_DUPLICATE');
  });

  it.each([
    ['Content', secondHeader, 'HEADER_DUPLICATE'],
    ['Content', `<a/>${secondHeader}`, 'HEADER_DUPLICATE'],
    ['Element', secondHeader, 'DECRYPT_FAILED'],
  ] as const)('out of an EncryptedData of type %s in the Header too: %s', async (type, plaintext, code) => {
    const message = (text: string): string =>
      inSecurity(inHeader(good, data({ id: 'E1', type, plaintext: text })), key('E1'));
    expect(await verdict(message('<a/>'))).toBe('accepted');
    expect(await verdict(message(plaintext))).toBe(code);
  });

  it('a mandatory header for our own role that comes out of ciphertext is refused', async () => {
    const role = 'urn:gateway';
    const secured = await process(b.chain(protect, { role }), soap(order, ''));
    const block = (mandatory: string): string =>
      `<m xmlns="urn:m" xmlns:s="${ns.soap11}" s:actor="${role}" s:mustUnderstand="${mandatory}"/>`;
    const message = (mandatory: string): string =>
      inSecurity(
        inHeader(secured.text, data({ id: 'E1', type: 'Element', plaintext: block(mandatory) })),
        key('E1'),
      );
    const judged = (mandatory: string): Promise<string> =>
      outcome(() => process(b.chain(check, { role }), message(mandatory)));
    expect(await judged('0')).toBe('accepted');
    expect(await judged('1')).toBe('MUST_UNDERSTAND');
  });
});

describe('an EncryptedData inside another one', () => {
  const nested = (mangle?: ForgedData['mangle'], type: 'Content' | 'Element' = 'Element'): string => {
    const property = data({ id: 'E2', plaintext: '<b/>' });
    const outer = {
      id: 'E1',
      type,
      plaintext: '<a/>',
      property,
      ...(mangle === undefined ? {} : { mangle }),
    };
    return inSecurity(inHeader(good, data(outer)), key('E1', 'E2'));
  };
  const flip = (value: Buffer): Buffer => {
    value[20] = (value[20] ?? 0) ^ 1;
    return value;
  };
  const beside = (): string =>
    inSecurity(
      inHeader(good, data({ id: 'E1', plaintext: '<a/>' }) + data({ id: 'E2', plaintext: '<b/>' })),
      key('E1', 'E2'),
    );

  it('is refused before a key is used, whether or not the outer one can be decrypted', async () => {
    expect(await verdict(beside())).toBe('accepted');
    for (const message of [nested(), nested(flip), nested(undefined, 'Content'), nested(flip, 'Content')]) {
      expect(await verdict(message)).toBe('SECURITY_STRUCTURE');
    }
  });

  it('so is one inside an EncryptedKey', async () => {
    const property = `<xenc:EncryptionProperties><xenc:EncryptionProperty>${data({ id: 'E1', plaintext: '<a/>' })}</xenc:EncryptionProperty></xenc:EncryptionProperties>`;
    const inside = key('E1').replace('</xenc:CipherData>', (end) => end + property);
    expect(await verdict(inSecurity(good, inside))).toBe('SECURITY_STRUCTURE');
  });
});

describe('plaintext that changes what the message is', () => {
  const timestamp = `<wsu:Timestamp xmlns:wsu="${ns.wsu}"><wsu:Created>2026-11-30T12:00:00Z</wsu:Created><wsu:Expires>2026-11-30T12:05:00Z</wsu:Expires></wsu:Timestamp>`;
  const inPlace = (place: 'Header' | 'Security', plaintext: string, type?: 'Element'): string => {
    const element = data({ id: 'E1', plaintext, ...(type === undefined ? {} : { type }) });
    return place === 'Header'
      ? inSecurity(inHeader(good, element), key('E1'))
      : inSecurity(good, key('E1') + element);
  };
  const bodyId = (): string => /<soap:Body[^>]* wsu:Id="([^"]*)"/.exec(good)?.[1] ?? '';

  it.each<[string, 'Header' | 'Security', () => string, string]>([
    ['a second Timestamp', 'Security', () => timestamp, 'TIMESTAMP_DUPLICATE'],
    [
      'a Security header inside the Security header',
      'Security',
      () => secondHeader,
      'HEADER_CHILD_UNEXPECTED',
    ],
    ['an unknown child', 'Security', () => '<a/>', 'HEADER_CHILD_UNEXPECTED'],
    ['an EncryptedKey', 'Security', () => key('none'), 'DECRYPT_FAILED'],
    ['an EncryptedData', 'Security', () => data({ id: 'E2', plaintext: '<a/>' }), 'DECRYPT_FAILED'],
    [
      'the id of the signed Body',
      'Header',
      () => `<a xmlns:wsu="${ns.wsu}" wsu:Id="${bodyId()}"/>`,
      'DECRYPT_FAILED',
    ],
    ['two elements for one', 'Header', () => '<a/><b/>', 'accepted'],
    ['text in the Header', 'Header', () => 'text', 'SOAP_STRUCTURE'],
    ['the end of the Header', 'Header', () => '</soap:Header><soap:Header>', 'DECRYPT_FAILED'],
    ['a DOCTYPE', 'Header', () => '<!DOCTYPE a><a/>', 'DECRYPT_FAILED'],
    ['a processing instruction', 'Header', () => '<?a b?><a/>', 'DECRYPT_FAILED'],
    ['an unbound prefix', 'Header', () => '<unbound:a/>', 'DECRYPT_FAILED'],
    ['half a comment', 'Header', () => '<!-- a', 'DECRYPT_FAILED'],
    ['nothing at all', 'Header', () => '', 'accepted'],
  ])('%s (in the %s)', async (_name, place, plaintext, code) => {
    expect(await verdict(inPlace(place, plaintext()))).toBe(code);
  });

  it('empty ciphertext beside the one in the Body says nothing; text is not what was signed', async () => {
    const beside = (plaintext: string): string =>
      inSecurity(
        good.replace('</soap:Body>', (end) => data({ id: 'E1', plaintext }) + end),
        key('E1'),
      );
    const ids = (text: string): string => text.replace(/ xmlns:wsu="[^"]*" wsu:Id="[^"]*"/, '');
    expect(ids(await checked(beside('')))).toBe(soap(order));
    expect(await verdict(beside('x'))).toBe('DIGEST_MISMATCH');
    expect(await verdict(beside('<o:item xmlns:o="urn:orders"/>'))).toBe('DIGEST_MISMATCH');
  });

  it('everything that goes wrong after a key was used looks the same to the peer', async () => {
    const messages = [
      inPlace('Security', timestamp),
      inPlace('Security', secondHeader),
      inPlace('Header', 'text'),
      inPlace('Header', '<!DOCTYPE a><a/>'),
      inPlace('Header', secondHeader),
      inPlace('Header', secondHeader, 'Element'),
      inSecurity(good, key('E1')).replace(
        /<ds:Signature .*<\/ds:Signature>/s,
        data({ id: 'E1', plaintext: '' }),
      ),
      good.replace(/<ds:Signature .*<\/ds:Signature>/s, ''),
    ];
    const faces = new Set<string>();
    for (const message of messages) {
      const error: unknown = await checked(message).catch((thrown: unknown) => thrown);
      if (!isCountersignError(error)) throw new Error('it was accepted');
      const { bytes, status } = gatewayFault(error, '1.1', '01J');
      faces.add(`${status} ${Buffer.from(bytes).toString()}`);
    }
    expect([...faces]).toEqual([expect.stringMatching(/^500 .*wsse:FailedCheck/)]);
  });
});
