import { describe, expect, it } from '@jest/globals';
import { createRandom } from '#src/core/random.js';
import {
  checkMustUnderstand,
  findSecurityHeader,
  type HeaderPolicy,
  insertionPoint,
  openSecurityHeader,
  removeSecurityHeader,
  stripId,
} from '#src/wss/header.js';
import { ensureId } from '#src/wss/ids.js';
import { findEnvelope, NONE, ns } from '#src/xml/index.js';
import { outcome, parseMessage, rendered, soap } from '../support/toolkit.js';

type Version = '1.1' | '1.2';
const ultimate = `${ns.soap12}/role/ultimateReceiver`;
const next11 = 'http://schemas.xmlsoap.org/soap/actor/next';
const policy: HeaderPolicy = { role: '', mustUnderstand: true, existing: 'refuse' };

const security = (attributes = '', children = ''): string =>
  `<wsse:Security xmlns:wsse="${ns.wsse}" ${attributes}>${children}</wsse:Security>`;
const find = (header: string, role: string, version: Version = '1.1'): number => {
  const document = parseMessage(soap('', header, version));
  const found = findSecurityHeader(document, findEnvelope(document), role);
  return found === NONE ? -1 : document.children(findEnvelope(document).header).indexOf(found);
};

describe('finding the Security header', () => {
  it('takes the one of our role and reads no other', () => {
    const mine = security('soap:actor="urn:me"');
    const theirs = security('soap:actor="urn:them"');
    expect(find(security(), '')).toBe(0);
    expect(find(theirs + security(), '')).toBe(1);
    expect(find(theirs + mine, 'urn:me')).toBe(1);
    expect(find(mine, '')).toBe(-1);
    expect(find(security(), 'urn:me')).toBe(-1);
    expect(find('', '')).toBe(-1);
  });

  it('does not take a header for the next node, or of another namespace, for its own', () => {
    expect(find(security(`soap:actor="${next11}"`), '')).toBe(-1);
    expect(find('<Security xmlns="urn:like-wsse"/>', '')).toBe(-1);
    expect(find(`<x>${security()}</x>`, '')).toBe(-1);
  });

  it('knows the ways to write the ultimate receiver', () => {
    expect(find(security('soap:actor=""'), '')).toBe(0);
    expect(find(security('soap:role=""', ''), '', '1.2')).toBe(0);
    expect(find(security(`soap:role="${ultimate}"`), '', '1.2')).toBe(0);
    expect(find(security(), ultimate, '1.2')).toBe(0);
    expect(find(security(`soap:actor="${ultimate}"`), '', '1.1')).toBe(-1);
  });

  it.each([
    ['two without a role', security() + security(), '1.1'],
    ['none and an empty actor', security() + security('soap:actor=""'), '1.1'],
    ['none and ultimateReceiver', security() + security(`soap:role="${ultimate}"`), '1.2'],
  ] as const)('refuses two for one role: %s (WSS-17)', async (_name, header, version) => {
    expect(await outcome(() => find(header, '', version))).toBe('HEADER_DUPLICATE');
  });

  it('accepts two for two roles', () => {
    expect(find(security() + security('soap:actor="urn:them"'), '')).toBe(0);
  });

  it('refuses attributes of the other SOAP version (WSS-18)', async () => {
    const mixed = security(`xmlns:o="${ns.soap12}" o:role="urn:them"`);
    expect(await outcome(() => find(mixed, ''))).toBe('SECURITY_STRUCTURE');
  });
});

describe('mandatory headers', () => {
  const check = (header: string, role: string, version: Version = '1.1'): Promise<string> =>
    outcome(() => {
      const document = parseMessage(soap('', header, version));
      checkMustUnderstand(document, findEnvelope(document), role);
    });

  it('leaves the headers of the service to the service', async () => {
    expect(await check('<a xmlns="urn:a" soap:mustUnderstand="1"/>', '')).toBe('accepted');
    expect(await check(`<a xmlns="urn:a" soap:actor="${next11}" soap:mustUnderstand="1"/>`, '')).toBe(
      'accepted',
    );
  });

  it.each([
    ['1', 'MUST_UNDERSTAND'],
    ['true', 'MUST_UNDERSTAND'],
    [' 1 ', 'MUST_UNDERSTAND'],
    ['yes', 'MUST_UNDERSTAND'],
    ['0', 'accepted'],
    ['false', 'accepted'],
  ])('judges mustUnderstand="%s" on a header for the gateway alone', async (value, expected) => {
    const header = `<a xmlns="urn:a" soap:role="urn:me" soap:mustUnderstand="${value}"/>`;
    expect(await check(header, 'urn:me', '1.2')).toBe(expected);
    expect(await check(header, 'urn:other', '1.2')).toBe('accepted');
  });

  it('understands Security', async () => {
    expect(await check(security('soap:actor="urn:me" soap:mustUnderstand="1"'), 'urn:me')).toBe('accepted');
  });
});

describe('making the Security header', () => {
  const open = (message: string, options: Partial<HeaderPolicy> = {}): string => {
    const document = parseMessage(message);
    openSecurityHeader(document, findEnvelope(document), { ...policy, ...options });
    return rendered(document);
  };
  const made = (attributes: string): string =>
    `<wsse:Security xmlns:wsse="${ns.wsse}"${attributes}></wsse:Security>`;

  it('makes Header and Security', () => {
    const message = soap('<a/>');
    expect(open(message)).toBe(
      message.replace(
        '<soap:Body>',
        `<soap:Header>${made(' soap:mustUnderstand="1"')}</soap:Header><soap:Body>`,
      ),
    );
  });

  it('puts Security before the headers that are there', () => {
    const message = soap('<a/>', '<b/>', '1.2');
    expect(open(message)).toBe(message.replace('<b/>', `${made(' soap:mustUnderstand="true"')}<b/>`));
  });

  it('fills an empty Header', () => {
    const message = soap('<a/>').replace('<soap:Body>', '<soap:Header/><soap:Body>');
    expect(open(message)).toContain(`<soap:Header>${made(' soap:mustUnderstand="1"')}</soap:Header>`);
  });

  it('says role and mustUnderstand as the SOAP version has them', () => {
    const options = { role: 'urn:a&"b', mustUnderstand: false };
    expect(open(soap(''), options)).toContain(made(' soap:actor="urn:a&amp;&quot;b"'));
    expect(open(soap('', undefined, '1.2'), options)).toContain(made(' soap:role="urn:a&amp;&quot;b"'));
    expect(open(soap(''), { mustUnderstand: false })).toContain(made(''));
  });

  it('declares a prefix where the envelope has the default namespace', () => {
    const document = parseMessage(`<Envelope xmlns="${ns.soap11}"><Body/></Envelope>`);
    const { envelope, element } = openSecurityHeader(document, findEnvelope(document), policy);
    expect(document.is(envelope.header, ns.soap11, 'Header')).toBe(true);
    expect(document.attribute(element, ns.soap11, 'mustUnderstand')).toBe('1');
    expect(document.is(element, ns.wsse, 'Security')).toBe(true);
    expect(findEnvelope(parseMessage(rendered(document))).version).toBe('1.1');
  });

  it('is not misled by prefixes that mean something else', () => {
    const message = `<s:Envelope xmlns:s="${ns.soap11}" xmlns:wsse="urn:x" xmlns:soap="urn:y"><s:Body/></s:Envelope>`;
    const document = parseMessage(open(message, { role: 'urn:r' }));
    const header = findSecurityHeader(document, findEnvelope(document), 'urn:r');
    expect(document.attribute(header, ns.soap11, 'mustUnderstand')).toBe('1');
  });

  it("refuses a client's own header, or merges with it", async () => {
    const message = soap('', security('', '<own xmlns="urn:o"/>'));
    expect(await outcome(() => open(message))).toBe('HEADER_EXISTS');
    expect(open(message, { existing: 'merge' })).toBe(message);
    expect(open(soap('', security('soap:actor="urn:them"')))).toContain(made(' soap:mustUnderstand="1"'));
  });

  it.each([
    ['ds:Signature', `<ds:Signature xmlns:ds="${ns.ds}"/>`],
    ['xenc:EncryptedKey', `<xenc:EncryptedKey xmlns:xenc="${ns.xenc}"/>`],
    ['xenc:ReferenceList', `<xenc:ReferenceList xmlns:xenc="${ns.xenc}"/>`],
  ])("does not merge with a client's %s", async (_name, child) => {
    expect(await outcome(() => open(soap('', security('', child)), { existing: 'merge' }))).toBe(
      'HEADER_EXISTS',
    );
  });
});

describe('order, removal, strip', () => {
  const timestamp = `<wsu:Timestamp xmlns:wsu="${ns.wsu}"/>`;

  it('adds after the Timestamp and in front of the rest', () => {
    for (const [children, expected] of [
      ['', NONE],
      [timestamp, NONE],
      ['<a/>', 0],
      [`${timestamp}<a/><b/>`, 1],
    ] as const) {
      const document = parseMessage(security('', children).replace(' >', '>'));
      const point = insertionPoint(document, document.root);
      expect(point === NONE ? NONE : document.children(document.root).indexOf(point)).toBe(expected);
    }
  });

  it('gives the input back, with and without a Header', () => {
    for (const message of [soap('<a/>'), soap('<a/>', '\n<b/> '), soap('<a/>', '\n')]) {
      const document = parseMessage(message);
      const { envelope, element } = openSecurityHeader(document, findEnvelope(document), policy);
      removeSecurityHeader(document, envelope, element);
      expect(rendered(document)).toBe(message);
    }
  });

  it('leaves the headers of other roles', () => {
    const message = soap('', security('soap:actor="urn:them"') + security());
    const document = parseMessage(message);
    const envelope = findEnvelope(document);
    removeSecurityHeader(document, envelope, findSecurityHeader(document, envelope, ''));
    expect(rendered(document)).toBe(soap('', security('soap:actor="urn:them"')));
  });

  it('takes ids away that were put there, with their declaration', () => {
    const message = soap('<a b="c"/>');
    const document = parseMessage(message);
    const { body } = findEnvelope(document);
    ensureId(document, body, createRandom());
    const sent = rendered(document);
    const received = parseMessage(sent);
    stripId(received, findEnvelope(received).body);
    expect(rendered(received)).toBe(message);
  });
});
