/** Attacks of research/security.md §1.5, second half. Each refused input has a twin that is accepted: the same without the change. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { KeyRing } from '#src/providers/index.js';
import type { Toolkit } from '#src/wss/toolkit.js';
import { findEnvelope, ns } from '#src/xml/index.js';
import { craft, type Craft, security } from '../../support/craft.js';
import { face, seal, unseal, type Unsealed } from '../../support/encryption.js';
import { outcome, parseMessage, soap, testRing, testToolkit } from '../../support/toolkit.js';

let toolkit: Toolkit;
let server: KeyRing;

beforeAll(async () => {
  toolkit = await testToolkit();
  server = await testRing(toolkit, 'server');
});

type Options = Omit<Craft, 'toolkit' | 'to'>;
const open = (options: Options): Promise<Unsealed> =>
  unseal(toolkit, server, craft({ toolkit, to: server, ...options }));
const attempt = (options: Options): Promise<string> => outcome(() => open(options));

describe('ENC-10 recursion and cycles', () => {
  const inner = (key: string, data: string): string => soap(data, security(key));

  it('what is encrypted inside ciphertext stays encrypted when nobody names it', async () => {
    const nested = craft({ toolkit, to: server, message: (_, data) => data.replace('"ED"', '"IN"') });
    const { text } = await open({ plaintext: nested, message: inner });
    expect(text).toContain('Id="IN"');
  });

  it('and refuses when it is named (depth 2)', async () => {
    const nested = craft({ toolkit, to: server, message: (_, data) => data.replace('"ED"', '"IN"') });
    const message = (key: string, data: string): string =>
      soap(data, security(key + key.replace('"EK"', '"EK2"').replace('#ED', '#IN')));
    expect(await attempt({ plaintext: nested, message })).toBe('DECRYPT_FAILED');
  });

  it.each([
    [
      'a KeyInfo that names its own EncryptedKey',
      (xml: string) =>
        xml.replace(
          /<ds:KeyInfo>.*<\/ds:KeyInfo>/s,
          `<ds:KeyInfo><wsse:SecurityTokenReference xmlns:wsse="${ns.wsse}"><wsse:Reference URI="#EK"/></wsse:SecurityTokenReference></ds:KeyInfo>`,
        ),
      'TOKEN_UNAVAILABLE',
    ],
    ['a DataReference to the EncryptedKey', (xml: string) => xml.replace('#ED', '#EK'), 'SECURITY_STRUCTURE'],
    ['a DataReference to nothing', (xml: string) => xml.replace('#ED', '#none'), 'REFERENCE_UNRESOLVED'],
    [
      'one DataReference twice',
      (xml: string) => xml.replace(/(<xenc:DataReference.*<\/xenc:DataReference>)/s, '$1$1'),
      'SECURITY_STRUCTURE',
    ],
    [
      'a KeyReference',
      (xml: string) => xml.replaceAll('xenc:DataReference', 'xenc:KeyReference'),
      'REFERENCE_FORBIDDEN',
    ],
    [
      'an external DataReference',
      (xml: string) => xml.replace('#ED', 'http://127.0.0.1/'),
      'REFERENCE_FORBIDDEN',
    ],
    [
      'an empty ReferenceList',
      (xml: string) => xml.replace(/<xenc:DataReference.*<\/xenc:DataReference>/s, ''),
      'SECURITY_STRUCTURE',
    ],
    [
      'a CarriedKeyName',
      (xml: string) =>
        xml.replace(
          '</xenc:EncryptedKey>',
          '<xenc:CarriedKeyName>k</xenc:CarriedKeyName></xenc:EncryptedKey>',
        ),
      'SECURITY_STRUCTURE',
    ],
    [
      'a second DigestMethod',
      (xml: string) => xml.replace(/(<ds:DigestMethod.*<\/ds:DigestMethod>)/s, '$1$1'),
      'SECURITY_STRUCTURE',
    ],
    ['an unknown mask', (xml: string) => xml.replace('mgf1sha256', 'mgf1md5'), 'ALGORITHM_UNKNOWN'],
    [
      'an unknown transport',
      (xml: string) => xml.replace('xmlenc11#rsa-oaep', 'xmlenc11#rsa-none'),
      'ALGORITHM_UNKNOWN',
    ],
  ])('%s is refused', async (_name, editKey, expected) => {
    expect(await attempt({ editKey })).toBe(expected);
  });
});

describe('ENC-11 fan-out', () => {
  const listing = (count: number): Options => ({
    editKey: (xml) =>
      xml.replace(
        /<xenc:DataReference.*<\/xenc:DataReference>/s,
        Array.from({ length: count }, (_, index) => `<xenc:DataReference URI="#E${index}"/>`).join(''),
      ),
    message: (key, data) =>
      soap(
        Array.from(
          { length: Math.min(count, 40) },
          (_, index) => `<x>${data.replace('"ED"', `"E${index}"`)}</x>`,
        ).join(''),
        security(key),
      ),
  });

  it('32 are accepted, 33 and 9000 are refused', async () => {
    expect(await attempt(listing(32))).toBe('accepted');
    expect(await attempt(listing(33))).toBe('SECURITY_LIMIT');
    expect(await attempt(listing(9000))).toBe('SECURITY_LIMIT');
  });

  it('8 keys are accepted, 9 are refused', async () => {
    const keys = (count: number): Options => ({
      message: (key, data) => {
        const numbers = Array.from({ length: count }, (_, index) => index);
        const header = numbers.map((index) =>
          key.replace('"EK"', `"K${index}"`).replace('#ED', `#E${index}`),
        );
        const body = numbers.map((index) => `<x>${data.replace('"ED"', `"E${index}"`)}</x>`);
        return soap(body.join(''), security(header.join('')));
      },
    });
    expect(await attempt(keys(8))).toBe('accepted');
    // The ninth comes after eight keys were used.
    expect(await attempt(keys(9))).toBe('DECRYPT_FAILED');
  });
});

describe('ENC-12 CipherReference', () => {
  it.each(['http://127.0.0.1:9/x', 'file:///etc/passwd', 'cid:a', '#EK'])('%s is refused', async (uri) => {
    const editData = (xml: string): string =>
      xml.replace(/<xenc:CipherValue>.*<\/xenc:CipherValue>/s, `<xenc:CipherReference URI="${uri}"/>`);
    expect(await attempt({ editData })).toBe('REFERENCE_FORBIDDEN');
    const editKey = (xml: string): string =>
      xml.replace(/<xenc:CipherValue>.*<\/xenc:CipherValue>/s, `<xenc:CipherReference URI="${uri}"/>`);
    expect(await attempt({ editKey })).toBe('REFERENCE_FORBIDDEN');
  });
});

describe('ENC-13, ENC-14 what comes out', () => {
  const deep = `${'<a>'.repeat(200)}${'</a>'.repeat(200)}`;
  it.each([
    ['closes the Body', '</soap:Body><soap:Body>'],
    ['has a DOCTYPE', '<!DOCTYPE a><a/>'],
    ['has an XML declaration', '<?xml version="1.0"?><a/>'],
    ['has a processing instruction', '<a><?x y?></a>'],
    ['uses an unbound prefix', '<p:a/>'],
    ['is not closed', '<a>'],
    ['has an entity', '&evil;'],
    ['is deeper than the limit', deep],
    ['repeats an id', `<x:EncryptedKey xmlns:x="${ns.xenc}" Id="EK"/>`],
    ['is no UTF-8', Buffer.from([0x3c, 0x61, 0x3e, 0xff, 0x3c, 0x2f, 0x61, 0x3e])],
    ['is half a reference', '&#'],
  ])('a plaintext that %s is refused like a wrong tag', async (_name, plaintext) => {
    const wrong = await face(() => open({ mangle: (value) => value.fill(0, value.length - 16) }));
    expect(await face(() => open({ plaintext }))).toBe(wrong);
    expect(wrong).toContain('DECRYPT_FAILED');
  });

  it('a plaintext may use what is declared around it', async () => {
    const { text } = await open({ plaintext: '<soap:a/>text<!-- c -->' });
    expect(text).toContain('<soap:Body><soap:a/>text<!-- c --></soap:Body>');
  });
});

describe('ENC-15 types', () => {
  it('Element is one element, Content is any', async () => {
    expect(await attempt({ type: 'Element', plaintext: '<a/>' })).toBe('accepted');
    for (const plaintext of ['', 'text', '<a/><b/>', '<a/>x', '<!-- --><a/>']) {
      expect(await attempt({ type: 'Element', plaintext })).toBe('DECRYPT_FAILED');
      expect(await attempt({ type: 'Content', plaintext })).toBe('accepted');
    }
  });

  it('another Type, or none, is refused', async () => {
    expect(await attempt({ type: undefined })).toBe('SECURITY_STRUCTURE');
    expect(await attempt({ type: 'EncryptedKey' })).toBe('SECURITY_STRUCTURE');
    expect(await attempt({ type: 'content' })).toBe('SECURITY_STRUCTURE');
  });

  const shell =
    (children: string, place = (xml: string): string => xml): ((key: string, data: string) => string) =>
    (key, data) =>
      soap(
        '<a/>',
        place(
          `<wsse11:EncryptedHeader xmlns:wsse11="${ns.wsse11}">${children.replace('DATA', data)}</wsse11:EncryptedHeader>`,
        ) + security(key),
      );

  it('an EncryptedHeader holds one encrypted element and is a header block', async () => {
    const block: Options = { type: 'Element', plaintext: '<h xmlns="urn:h"/>' };
    expect(await attempt({ ...block, message: shell('DATA') })).toBe('accepted');
    const { text, facts, document } = await open({ ...block, message: shell('DATA') });
    expect(text).toContain('<soap:Header><h xmlns="urn:h"/>');
    expect(facts[0]!.target).toBe(document.firstChild(findEnvelope(document).header));
    expect(await attempt({ ...block, message: shell('DATA<evil/>') })).toBe('SECURITY_STRUCTURE');
    expect(await attempt({ ...block, message: shell('evilDATA') })).toBe('SECURITY_STRUCTURE');
    expect(await attempt({ ...block, type: 'Content', message: shell('DATA') })).toBe('SECURITY_STRUCTURE');
    expect(await attempt({ ...block, message: shell('DATA', (xml) => `<w>${xml}</w>`) })).toBe(
      'SECURITY_STRUCTURE',
    );
  });

  it('a header block does not decrypt to a second Security header', async () => {
    for (const message of [
      shell('DATA'),
      (key: string, data: string): string => soap('<a/>', data + security(key)),
    ]) {
      const evil: Options = {
        type: 'Element',
        plaintext: `<s:Security xmlns:s="${ns.wsse}"/>`,
        message: message,
      };
      expect(await attempt(evil)).toBe('DECRYPT_FAILED');
      expect(await attempt({ ...evil, plaintext: '<s:Security xmlns:s="urn:x"/>' })).toBe('accepted');
    }
  });
});

describe('ways to find the key', () => {
  const reference = (id: string): string =>
    `<ds:KeyInfo xmlns:ds="${ns.ds}"><wsse:SecurityTokenReference xmlns:wsse="${ns.wsse}"><wsse:Reference URI="#${id}"/></wsse:SecurityTokenReference></ds:KeyInfo>`;
  const unlisted = (key: string): string => key.replace(/<xenc:ReferenceList>.*<\/xenc:ReferenceList>/s, '');
  const list = `<xenc:ReferenceList xmlns:xenc="${ns.xenc}"><xenc:DataReference URI="#ED"/></xenc:ReferenceList>`;

  it('a ReferenceList of the header, before or after the key', async () => {
    const editData = (xml: string): string =>
      xml.replace('<xenc:CipherData>', `${reference('EK')}<xenc:CipherData>`);
    for (const header of [
      (key: string): string => unlisted(key) + list,
      (key: string): string => list + unlisted(key),
    ]) {
      const { text } = await open({ editData, message: (key, data) => soap(data, security(header(key))) });
      expect(text).toContain('<soap:Body><a/></soap:Body>');
    }
    expect(await attempt({ message: (key, data) => soap(data, security(unlisted(key) + list)) })).toBe(
      'SECURITY_STRUCTURE',
    );
  });

  it('an EncryptedKey inside the KeyInfo of the data', async () => {
    const message = (key: string, data: string): string =>
      soap(
        data.replace(
          '<xenc:CipherData>',
          `<ds:KeyInfo xmlns:ds="${ns.ds}">${unlisted(key)}</ds:KeyInfo><xenc:CipherData>`,
        ),
        security(list),
      );
    const { text } = await open({ message });
    expect(text).toContain('<soap:Body><a/></soap:Body>');
  });

  it('an EncryptedData in the Security header itself', async () => {
    const { text } = await open({
      type: 'Element',
      plaintext: '<s xmlns="urn:s"/>',
      message: (key, data) => soap('<a/>', security(key + data)),
    });
    expect(text).toContain('<s xmlns="urn:s"/></wsse:Security>');
  });

  it('no KeyInfo at all, when there is one key only', async () => {
    const editKey = (xml: string): string => xml.replace(/<ds:KeyInfo>.*<\/ds:KeyInfo>/s, '');
    expect(await attempt({ editKey })).toBe('accepted');
    const both = await testRing(toolkit, 'server', 'client');
    expect(await outcome(() => unseal(toolkit, both, craft({ toolkit, to: server, editKey })))).toBe(
      'TOKEN_UNAVAILABLE',
    );
  });

  it('a key too weak for the policy is not used', async () => {
    const strict = await testToolkit({ limits: { 'encrypted-data': 0 } });
    expect(await outcome(() => unseal(strict, server, craft({ toolkit, to: server })))).toBe(
      'SECURITY_LIMIT',
    );
  });

  it('a message is read again under the same limits after encryption of ours', async () => {
    const message = seal(toolkit, server, soap('<a/>'));
    expect(parseMessage(message).root).toBe(0);
    expect(await outcome(() => unseal(toolkit, server, message))).toBe('accepted');
  });
});
