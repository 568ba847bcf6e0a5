/** Attacks of research/security.md §1.5. Each refused input has a twin that is accepted: the same without the change. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { EMPTY } from '#src/core/bytes.js';
import type { KeyRing } from '#src/providers/index.js';
import type { Toolkit } from '#src/wss/toolkit.js';
import { findEnvelope, ns } from '#src/xml/index.js';
import { craft, type Craft, security } from '../../support/craft.js';
import { face, unseal, type Unsealed } from '../../support/encryption.js';
import { outcome, soap, testRing, testToolkit } from '../../support/toolkit.js';

let toolkit: Toolkit;
let legacy: Toolkit;
let server: KeyRing;
let client: KeyRing;

beforeAll(async () => {
  toolkit = await testToolkit();
  legacy = await testToolkit({ profile: 'legacy' });
  server = await testRing(toolkit, 'server');
  client = await testRing(toolkit, 'client');
});

type Options = Omit<Craft, 'toolkit' | 'to'>;
const open = (options: Options): Promise<Unsealed> =>
  unseal(toolkit, server, craft({ toolkit, to: server, ...options }));
const attempt = (options: Options): Promise<string> => outcome(() => open(options));
/** With everything legacy allowed, even CBC that nobody signed. */
const attemptLegacy = (options: Options): Promise<string> =>
  outcome(() =>
    unseal(legacy, server, craft({ toolkit: legacy, to: server, ...options }), { unauthenticatedCbc: true }),
  );

const nothing = (): Promise<string> => attempt({});

describe('the twin', () => {
  it('is accepted', async () => {
    expect(await nothing()).toBe('accepted');
    const { text, facts } = await open({ plaintext: '<a>1</a>two' });
    expect(text).toContain('<soap:Body><a>1</a>two</soap:Body>');
    expect(facts[0]).toMatchObject({ mode: 'content', authenticated: true });
  });
});

describe('ENC-01 CBC as an oracle', () => {
  const cbc: Options = { algorithm: 'aes128-cbc', plaintext: '<a>sixteen bytes and more</a>' };

  it('is refused by default, before any key is used', async () => {
    expect(await attempt(cbc)).toBe('ALGORITHM_DENIED');
    expect(await attempt({ ...cbc, mangleKey: () => Buffer.alloc(3) })).toBe('ALGORITHM_DENIED');
  });

  it('is refused under legacy without a signature over the ciphertext', async () => {
    const message = craft({ toolkit: legacy, to: server, ...cbc });
    expect(await outcome(() => unseal(legacy, server, message))).toBe('ENCRYPTION_UNAUTHENTICATED');
    expect(await outcome(() => unseal(legacy, server, message, { covered: () => true }))).toBe('accepted');
    expect(await attemptLegacy(cbc)).toBe('accepted');
    const { facts } = await unseal(legacy, server, message, { covered: () => true });
    expect(facts[0]).toMatchObject({ authenticated: false });
  });

  it('gives one answer to 1024 forgeries where the policy allows it by name', async () => {
    const answers = new Map<string, number>();
    for (let variant = 0; variant < 4; variant++) {
      for (let value = 0; value < 256; value++) {
        const mangle = (bytes: Buffer): Buffer => {
          bytes[16 + 15] = (bytes[16 + 15] ?? 0) ^ value; // the block before the last
          bytes[bytes.length - 1] = (bytes[bytes.length - 1] ?? 0) ^ (variant + 1);
          return bytes;
        };
        const message = craft({ toolkit: legacy, to: server, ...cbc, mangle });
        const answer = await face(() => unseal(legacy, server, message, { unauthenticatedCbc: true }));
        answers.set(answer, (answers.get(answer) ?? 0) + 1);
      }
    }
    answers.delete('accepted');
    expect(answers.size).toBe(1);
    expect([...answers.keys()][0]).toContain('DECRYPT_FAILED');
  }, 60_000);
});

describe('ENC-02 RSA-1.5', () => {
  const rsa15: Options = { keyTransport: 'rsa-1_5' };

  it('is refused by default, before any key is used', async () => {
    expect(await attempt(rsa15)).toBe('ALGORITHM_DENIED');
    expect(await attemptLegacy(rsa15)).toBe('accepted');
  });

  it('gives one answer to wrong paddings, wrong lengths and wrong data', async () => {
    const answers = new Set<string>();
    const datas: Options[] = [
      {},
      { plaintext: '<a>' },
      { plaintext: EMPTY },
      // Long enough that the garbage of a substituted key is never text by chance.
      { algorithm: 'aes128-cbc', plaintext: `<a>${'x'.repeat(80)}</a>` },
      {
        algorithm: 'aes128-cbc',
        plaintext: `<a>${'x'.repeat(80)}</a>`,
        mangle: (value) => value.fill(1, value.length - 16),
      },
    ];
    const keys: Options[] = [
      ...Array.from({ length: 60 }, (_, index) => ({
        mangleKey: (wrapped: Buffer): Buffer => {
          wrapped[(index * 4) % wrapped.length] = (wrapped[(index * 4) % wrapped.length] ?? 0) ^ (1 + index);
          return wrapped;
        },
      })),
      { keyLength: 8 },
      { keyLength: 24 },
      { mangleKey: (wrapped) => wrapped.subarray(1) },
      { mangleKey: () => Buffer.alloc(256, 0xff) },
      { mangleKey: () => Buffer.alloc(256) },
      { mangleKey: () => EMPTY },
    ];
    for (const data of datas) {
      for (const key of keys) {
        const message = craft({ toolkit: legacy, to: server, ...rsa15, ...data, ...key });
        answers.add(await face(() => unseal(legacy, server, message, { unauthenticatedCbc: true })));
      }
    }
    expect(answers.size).toBe(1);
    expect([...answers][0]).toContain('DECRYPT_FAILED');
  }, 60_000);
});

describe('ENC-03, ENC-21 OAEP', () => {
  it('gives one answer to everything that is wrong with the wrapped key', async () => {
    const oaep = (uri: string) => (xml: string) =>
      xml.replace(/(<ds:DigestMethod Algorithm=")[^"]*/, `$1${uri}`);
    const answers = new Set<string>();
    const wrong: Options[] = [
      ...[0, 1, 100, 255].map((at) => ({
        mangleKey: (wrapped: Buffer): Buffer => {
          wrapped[at] = (wrapped[at] ?? 0) ^ 1;
          return wrapped;
        },
      })),
      { mangleKey: (wrapped) => wrapped.subarray(1) },
      { mangleKey: () => Buffer.alloc(256) },
      { mangleKey: () => EMPTY },
      { mangleKey: () => Buffer.alloc(300, 1) },
      { editKey: oaep(`http://www.w3.org/2001/04/xmlenc#sha512`) }, // other label hash
      { editKey: (xml) => xml.replace('mgf1sha256', 'mgf1sha512') }, // other mask
      {
        editKey: (xml) =>
          xml.replace('<ds:DigestMethod', '<xenc:OAEPparams>bGFiZWw=</xenc:OAEPparams><ds:DigestMethod'),
      },
      ...[8, 15, 17, 24, 32, 33, 40].map((keyLength) => ({ keyLength })), // ENC-16
    ];
    for (const options of wrong) answers.add(await face(() => open(options)));
    expect(answers.size).toBe(1);
    expect([...answers][0]).toContain('DECRYPT_FAILED');
    expect(await nothing()).toBe('accepted');
  });
});

describe('ENC-04 tags', () => {
  it.each(Array.from({ length: 17 }, (_, index) => index + 1))(
    'a value cut by %i bytes is refused',
    async (count) => {
      expect(await attempt({ mangle: (value) => value.subarray(0, value.length - count) })).toBe(
        'DECRYPT_FAILED',
      );
    },
  );

  it.each([0, 1, 11, 12, 13, 27])('a value of %i bytes is refused', async (length) => {
    expect(await attempt({ mangle: (value) => value.subarray(0, length) })).toBe('DECRYPT_FAILED');
  });

  it('one flipped bit anywhere is refused, and nothing of the plaintext is left', async () => {
    const length = 12 + 4 + 16;
    for (let at = 0; at < length; at++) {
      const options: Options = {
        mangle: (value) => {
          value[at] = (value[at] ?? 0) ^ 0x80;
          return value;
        },
      };
      expect(await attempt(options)).toBe('DECRYPT_FAILED');
    }
  });
});

describe('ENC-06 backwards compatibility', () => {
  it('GCM ciphertext that is called CBC is refused before a key is used', async () => {
    expect(await attempt({ saysAlgorithm: 'aes128-cbc' })).toBe('ALGORITHM_DENIED');
  });

  it('OAEP keys that are called RSA-1.5 are refused before a key is used', async () => {
    const editKey = (xml: string): string =>
      xml.replace(
        /<xenc:EncryptionMethod.*?<\/xenc:EncryptionMethod>/s,
        `<xenc:EncryptionMethod Algorithm="${ns.xenc}rsa-1_5"/>`,
      );
    expect(await attempt({ editKey })).toBe('ALGORITHM_DENIED');
    expect(await attemptLegacy({ editKey })).toBe('DECRYPT_FAILED');
  });

  it('one key is not used with two algorithms', async () => {
    const two = (second: string): Options => ({
      editKey: (xml) =>
        xml.replace('</xenc:ReferenceList>', '<xenc:DataReference URI="#ED2"/></xenc:ReferenceList>'),
      message: (key, data) =>
        soap(
          `<x>${data}</x><y>${data.replace('"ED"', '"ED2"').replace('aes128-gcm', second)}</y>`,
          security(key),
        ),
    });
    expect(await attempt(two('aes128-gcm'))).toBe('accepted');
    expect(await attempt(two('aes192-gcm'))).toBe('SECURITY_STRUCTURE');
  });
});

describe('ENC-07 key confusion', () => {
  it('a key for somebody else is refused', async () => {
    const message = craft({ toolkit, to: client });
    expect(await outcome(() => unseal(toolkit, server, message))).toBe('TOKEN_UNAVAILABLE');
    expect(await outcome(() => unseal(toolkit, client, message))).toBe('accepted');
  });

  it('a second, bad key fails like any other', async () => {
    const twice = (mangle: boolean): Options => ({
      message: (key, data) => {
        const other = key.replace('"EK"', '"EK2"').replace('#ED', '#ED2');
        const bad = mangle ? other.replace(/(<xenc:CipherValue>.{20})./, '$1A') : other;
        return soap(`<x>${data}</x><y>${data.replace('"ED"', '"ED2"')}</y>`, security(key + bad));
      },
    });
    expect(await attempt(twice(false))).toBe('accepted');
    expect(await attempt(twice(true))).toBe('DECRYPT_FAILED');
  });

  it('data that names another key than the one that lists it is refused', async () => {
    const keyInfo = (id: string): string =>
      `<ds:KeyInfo xmlns:ds="${ns.ds}"><wsse:SecurityTokenReference xmlns:wsse="${ns.wsse}"><wsse:Reference URI="#${id}"/></wsse:SecurityTokenReference></ds:KeyInfo>`;
    const named = (id: string): Options => ({
      editData: (xml) => xml.replace('<xenc:CipherData>', `${keyInfo(id)}<xenc:CipherData>`),
      message: (key, data) =>
        soap(
          data,
          security(
            key + key.replace('"EK"', '"EK2"').replace(/<xenc:ReferenceList>.*<\/xenc:ReferenceList>/s, ''),
          ),
        ),
    });
    expect(await attempt(named('EK'))).toBe('accepted');
    expect(await attempt(named('EK2'))).toBe('SECURITY_STRUCTURE');
    expect(await attempt(named('none'))).toBe('REFERENCE_UNRESOLVED');
    expect(await attempt(named('ED'))).toBe('SECURITY_STRUCTURE');
  });
});

describe('ENC-08 wrapping', () => {
  it('an id that stands twice is refused', async () => {
    const message = (key: string, data: string): string => soap(data + data, security(key));
    expect(await attempt({ message })).toBe('XML_ID_DUPLICATE');
  });

  it('ciphertext beside plaintext is not the content of the Body', async () => {
    const beside = async (before: string, after: string): Promise<string> => {
      const { facts, document } = await open({
        message: (key, data) => soap(before + data + after, security(key)),
      });
      expect(facts[0]!.target).toBe(findEnvelope(document).body);
      return facts[0]!.mode;
    };
    expect(await beside('', '')).toBe('content');
    expect(await beside(' ', '\n')).toBe('content');
    expect(await beside('<evil/>', '')).toBe('part-of-content');
    expect(await beside('', '<evil/>')).toBe('part-of-content');
    expect(await beside('evil', '')).toBe('part-of-content');
    expect(await beside('', '<![CDATA[evil]]>')).toBe('part-of-content');
  });

  it('moved ciphertext is a fact about where it is now', async () => {
    const { facts, document } = await open({
      message: (key, data) => soap('<evil/>', `${security(key)}<w>${data}</w>`),
    });
    expect(facts[0]!.target).not.toBe(findEnvelope(document).body);
  });

  it.each([
    [
      'EncryptedData that is something else',
      (xml: string) => xml.replaceAll('xenc:EncryptedData', 'xenc:Other'),
    ],
    ['CipherData twice', (xml: string) => xml.replace(/(<xenc:CipherData>.*<\/xenc:CipherData>)/s, '$1$1')],
    [
      'EncryptionMethod after CipherData',
      (xml: string) => xml.replace(/(<xenc:EncryptionMethod[^>]*>)(.*<\/xenc:CipherData>)/s, '$2$1'),
    ],
    ['no EncryptionMethod', (xml: string) => xml.replace(/<xenc:EncryptionMethod[^>]*>/, '')],
    [
      'a CipherValue deeper down',
      (xml: string) => xml.replace(/(<xenc:CipherValue>.*<\/xenc:CipherValue>)/s, '<x>$1</x>'),
    ],
    ['two CipherValues', (xml: string) => xml.replace(/(<xenc:CipherValue>.*<\/xenc:CipherValue>)/s, '$1$1')],
    ['an unknown child', (xml: string) => xml.replace('</xenc:EncryptedData>', '<x/></xenc:EncryptedData>')],
    ['an unknown attribute', (xml: string) => xml.replace(' Id=', ' id="x" Id=')],
    [
      'an unknown parameter',
      (xml: string) => xml.replace(/(<xenc:EncryptionMethod[^>]*)\/>/, '$1><x/></xenc:EncryptionMethod>'),
    ],
    [
      'a KeySize that contradicts (ENC-16)',
      (xml: string) =>
        xml.replace(
          /(<xenc:EncryptionMethod[^>]*)\/>/,
          '$1><xenc:KeySize>256</xenc:KeySize></xenc:EncryptionMethod>',
        ),
    ],
  ])('%s is refused', async (_name, editData) => {
    expect(await attempt({ editData })).toBe('SECURITY_STRUCTURE');
  });

  it('a KeySize that agrees is accepted', async () => {
    const editData = (xml: string): string =>
      xml.replace(
        /(<xenc:EncryptionMethod[^>]*)\/>/,
        '$1><xenc:KeySize>128</xenc:KeySize></xenc:EncryptionMethod>',
      );
    expect(await attempt({ editData })).toBe('accepted');
  });

  it.each([
    ['junk in base64', (xml: string) => xml.replace('<xenc:CipherValue>', '<xenc:CipherValue>*')],
    ['base64url', (xml: string) => xml.replace(/<xenc:CipherValue>.../, '<xenc:CipherValue>_-_')],
    ['a comment in it (XSW-13)', (xml: string) => xml.replace(/(<xenc:CipherValue>..)/, '$1<!-- -->')],
    ['an element in it', (xml: string) => xml.replace(/(<xenc:CipherValue>....)/, '$1<x/>')],
  ])('a CipherValue with %s is refused', async (_name, editData) => {
    expect(await attempt({ editData })).toMatch(/^XML_(BASE64|NOT_TEXT)$/);
  });
});
