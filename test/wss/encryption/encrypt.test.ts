import { beforeAll, describe, expect, it } from '@jest/globals';
import type { KeyRing } from '#src/providers/index.js';
import { makeTransport } from '#src/wss/encryption/transport.js';
import { findSecurityHeader } from '#src/wss/header.js';
import { createTimestamp } from '#src/wss/timestamp.js';
import type { Toolkit } from '#src/wss/toolkit.js';
import { findEnvelope, NONE, ns } from '#src/xml/index.js';
import { seal, unseal } from '../../support/encryption.js';
import { testNow } from '../../support/pki.js';
import { outcome, parseMessage, rendered, soap, testRing, testToolkit } from '../../support/toolkit.js';

let toolkit: Toolkit;
let legacy: Toolkit;
let server: KeyRing;

beforeAll(async () => {
  toolkit = await testToolkit();
  legacy = await testToolkit({ profile: 'legacy' });
  server = await testRing(toolkit, 'server');
});

/** The message without its Security header, and without a Header that held nothing else. */
const bare = (text: string): string =>
  text.replace(/<wsse:Security .*<\/wsse:Security>/s, '').replace('<soap:Header></soap:Header>', '');

const order = '<o:order xmlns:o="urn:orders"><o:item count="2">Käse &amp; Brot</o:item></o:order>';

describe('round trip', () => {
  it.each([
    ...['aes128-gcm', 'aes192-gcm', 'aes256-gcm'].map((algorithm) => ({ algorithm })),
    { keyTransport: 'rsa-oaep', digest: 'sha512', mgf: 'sha1' },
    { keyTransport: 'rsa-oaep', digest: 'sha1', mgf: 'sha256' },
    { keyTransport: 'rsa-oaep', digest: 'sha384', mgf: 'sha384' },
    { keyTransport: 'rsa-oaep-mgf1p' },
    { keyTransport: 'rsa-oaep-mgf1p', digest: 'sha256' },
  ])('gives the message back: %j', async (options) => {
    const sealed = seal(toolkit, server, soap(order), options);
    expect(sealed).not.toContain('Brot');
    const { text, facts, document } = await unseal(toolkit, server, sealed);
    expect(bare(text)).toBe(soap(order));
    const [fact] = facts;
    expect(fact).toMatchObject({ step: 'decrypt-server', mode: 'content', authenticated: true });
    expect(fact!.target).toBe(findEnvelope(document).body);
    expect(fact!.version).toBe(document.version);
    expect(fact!.algorithms[0]).toBe(
      ('algorithm' in options ? options.algorithm : undefined) ?? 'aes128-gcm',
    );
  });

  it.each([
    { algorithm: 'aes128-cbc' },
    { algorithm: 'aes192-cbc' },
    { algorithm: 'aes256-cbc' },
    { algorithm: '3des-cbc' },
    { keyTransport: 'rsa-1_5' },
    { keyTransport: 'rsa-1_5', algorithm: '3des-cbc' },
  ])('only under legacy: %j (ENC-20)', async (options) => {
    expect(await outcome(() => seal(toolkit, server, soap(order), options))).toBe('ALGORITHM_DENIED');
    const sealed = seal(legacy, server, soap(order), options);
    expect(await outcome(() => unseal(toolkit, server, sealed, { unauthenticatedCbc: true }))).toBe(
      'ALGORITHM_DENIED',
    );
    const { text } = await unseal(legacy, server, sealed, { unauthenticatedCbc: true });
    expect(bare(text)).toBe(soap(order));
  });

  it.each(['direct', 'issuer-serial', 'ski', 'thumbprint', 'x509-data'] as const)(
    'names the recipient by %s, and the right key of a rollover list is found',
    async (reference) => {
      const sealed = seal(toolkit, server, soap(order), { reference });
      const ring = await testRing(toolkit, 'client', 'no-ski', 'server');
      expect(bare((await unseal(toolkit, ring, sealed)).text)).toBe(soap(order));
      const others = await testRing(toolkit, 'client', 'no-ski');
      expect(await outcome(() => unseal(toolkit, others, sealed))).toBe('TOKEN_UNAVAILABLE');
      const { facts } = await unseal(toolkit, [others, server], sealed);
      expect(facts[0]!.step).toBe('decrypt-server');
    },
  );

  it.each([0, 1, 11, 12, 15, 16, 17, 47, 49_151, 49_152, 49_153, 100_000, 131_072, 1_000_000])(
    'gives %i bytes back',
    async (length) => {
      const message = soap('x'.repeat(length));
      expect(bare((await unseal(toolkit, server, seal(toolkit, server, message))).text)).toBe(message);
      const options = { algorithm: 'aes256-cbc' };
      const cbc = seal(legacy, server, message, options);
      expect(bare((await unseal(legacy, server, cbc, { unauthenticatedCbc: true })).text)).toBe(message);
    },
  );

  it('encrypts zero octets of an empty element', async () => {
    const message = soap('').replace('<soap:Body></soap:Body>', '<soap:Body/>');
    const sealed = seal(toolkit, server, message);
    expect(sealed).toContain('<xenc:CipherValue>');
    const { text, facts } = await unseal(toolkit, server, sealed);
    expect(bare(text)).toBe(soap(''));
    expect(facts[0]).toMatchObject({ mode: 'content' });
  });

  it('encrypts what earlier steps have put there', async () => {
    const message = soap(order);
    const document = parseMessage(message);
    const { body } = findEnvelope(document);
    document.setAttribute(body, { namespace: ns.wsu, prefix: 'wsu', local: 'Id', value: 'B' });
    document.insert(document.firstChild(body), NONE, '<o:added></o:added>');
    const edited = rendered(document);
    expect(bare((await unseal(toolkit, server, seal(toolkit, server, edited))).text)).toBe(edited);
  });
});

describe('what is written', () => {
  it('puts EncryptedKey after the Timestamp and in front of the rest, its token before it', () => {
    const first = seal(toolkit, server, soap(order, '<own xmlns="urn:own"/>'), { reference: 'direct' });
    const document = parseMessage(first);
    const envelope = findEnvelope(document);
    const header = findSecurityHeader(document, envelope, '');
    createTimestamp(document, header, { ttl: 1000, precision: 'ms' }, toolkit, testNow);
    const second = seal(
      toolkit,
      server,
      rendered(document).replace(/<xenc:EncryptedKey.*<\/xenc:EncryptedKey>/s, ''),
      {
        reference: 'direct',
        targets: (doc, { header: block }) => [{ element: doc.children(block)[1]!, mode: 'element' }],
      },
    );
    const result = parseMessage(second);
    const security = findSecurityHeader(result, findEnvelope(result), '');
    expect(result.children(security).map((child) => result.localName(child))).toEqual([
      'Timestamp',
      'BinarySecurityToken',
      'EncryptedKey',
      'BinarySecurityToken',
    ]);
  });

  it.each([
    ['rsa-oaep', undefined, undefined, ['xmlenc11#rsa-oaep', 'xmlenc#sha256', 'xmlenc11#mgf1sha256']],
    ['rsa-oaep', 'sha512', 'sha1', ['xmlenc11#rsa-oaep', 'xmlenc#sha512', 'xmlenc11#mgf1sha1']],
    ['rsa-oaep-mgf1p', undefined, undefined, ['xmlenc#rsa-oaep-mgf1p']],
    ['rsa-oaep-mgf1p', 'sha256', undefined, ['xmlenc#rsa-oaep-mgf1p', 'xmlenc#sha256']],
  ])('states the parameters of %s with %s and %s', (keyTransport, digest, mgf, expected) => {
    const sealed = seal(toolkit, server, soap(order), { keyTransport, digest, mgf });
    const key = /<xenc:EncryptedKey.*?<\/xenc:EncryptionMethod>/s.exec(sealed)?.[0] ?? '';
    const algorithms = [...key.matchAll(/Algorithm="[^"]*\/([^"/]*)"/g)].map((match) => match[1]);
    expect(algorithms).toEqual(expected);
  });

  it('never uses an IV, a key or an id twice (ENC-05)', () => {
    const seen = new Set<string>();
    for (let index = 0; index < 500; index++) {
      const sealed = seal(toolkit, server, soap('same'));
      for (const [, value = ''] of sealed.matchAll(/<xenc:CipherValue>([^<]{16})/g)) seen.add(value);
      for (const [, id = ''] of sealed.matchAll(/ Id="([^"]+)"/g)) seen.add(id);
    }
    expect(seen.size).toBe(2000);
  });

  it('wraps an encrypted header block in an EncryptedHeader that keeps role and duty', async () => {
    const block = '<a xmlns="urn:a" soap:mustUnderstand="1" soap:actor="urn:é&amp;"><b/></a>';
    const message = soap(order, block);
    const sealed = seal(toolkit, server, message, {
      targets: (document, { header }) => [{ element: document.children(header)[1]!, mode: 'element' }],
    });
    const document = parseMessage(sealed);
    const shell = document.children(findEnvelope(document).header)[1]!;
    expect(document.is(shell, ns.wsse11, 'EncryptedHeader')).toBe(true);
    expect(document.attribute(shell, ns.soap11, 'mustUnderstand')).toBe('1');
    expect(document.attribute(shell, ns.soap11, 'actor')).toBe('urn:é&');
    const { text, facts, document: opened } = await unseal(toolkit, server, sealed);
    expect(bare(text)).toBe(message);
    expect(facts[0]).toMatchObject({
      mode: 'element',
      target: opened.children(findEnvelope(opened).header)[1],
    });
    expect(facts[0]!.replaced).not.toBe(facts[0]!.encryptedData);
  });

  it('encrypts a target inside another one once, with that', async () => {
    const message = soap(order);
    for (const swap of [false, true]) {
      const sealed = seal(toolkit, server, message, {
        targets: (document, { body }) => {
          const child = document.firstChild(body);
          const targets = [
            { element: body, mode: 'content' as const },
            { element: child, mode: 'element' as const },
            { element: child, mode: 'element' as const },
          ];
          return swap ? targets.reverse() : targets;
        },
      });
      expect(sealed.match(/<xenc:EncryptedData/g)).toHaveLength(1);
      expect(bare((await unseal(toolkit, server, sealed)).text)).toBe(message);
    }
  });

  it('encrypts several elements under one key', async () => {
    const message = soap('<a xmlns="urn:x">1</a><b xmlns="urn:x">2</b><c/>');
    const sealed = seal(toolkit, server, message, {
      targets: (document, { body }) =>
        document.children(body).map((element) => ({ element, mode: 'element' })),
    });
    const { text, facts, document } = await unseal(toolkit, server, sealed);
    expect(bare(text)).toBe(message);
    expect(facts.map(({ target }) => target)).toEqual(document.children(findEnvelope(document).body));
    expect(facts.every(({ mode }) => mode === 'element')).toBe(true);
  });
});

describe('what is refused', () => {
  it('a recipient whose certificate has expired', async () => {
    const expired = await testRing(toolkit, 'expired');
    expect(await outcome(() => seal(toolkit, expired, soap(order)))).toBe('RECIPIENT_CERTIFICATE_EXPIRED');
    expect(await outcome(() => seal(toolkit, server, soap(order)))).toBe('accepted');
  });

  it('nothing to encrypt', async () => {
    expect(await outcome(() => seal(toolkit, server, soap(order), { targets: () => [] }))).toBe(
      'PART_MISSING',
    );
  });

  it('an envelope that nobody could read', async () => {
    for (const pick of [
      (envelope: ReturnType<typeof findEnvelope>): number => envelope.body,
      (envelope: ReturnType<typeof findEnvelope>): number => envelope.header,
    ]) {
      const targets = {
        targets: (_: unknown, envelope: ReturnType<typeof findEnvelope>) => [
          { element: pick(envelope), mode: 'element' as const },
        ],
      };
      expect(await outcome(() => seal(toolkit, server, soap(order), targets))).toBe('SECURITY_STRUCTURE');
    }
  });

  it('parameters that mean nothing', async () => {
    const make = (options: Parameters<typeof makeTransport>[0]): Promise<string> =>
      outcome(() => makeTransport(options, toolkit.algorithms));
    expect(await make({ keyTransport: 'rsa-oaep-mgf1p', mgf: 'sha1' })).toBe('POLICY_INVALID');
    expect(await make({ keyTransport: 'rsa-1_5', mgf: 'sha1' })).toBe('POLICY_INVALID');
    expect(await make({ keyTransport: 'rsa-1_5', digest: 'sha1' })).toBe('POLICY_INVALID');
    expect(await make({ keyTransport: 'rsa-oaep', mgf: 'md5' })).toBe('ALGORITHM_UNKNOWN');
    expect(await make({ keyTransport: 'rsa-oaep' })).toBe('accepted');
  });
});
