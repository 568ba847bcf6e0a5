import { createPrivateKey } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import forge from 'node-forge';
import type { FileHomeInput, KeyOpening, TokenOpener } from '#src/providers/index.js';
import { openKey, openTlsKey } from '#src/providers/index.js';
import { createOpenssl } from '#src/providers/openssl/provider.js';
import { issue, testKey, type TestKeyName, testNow } from '../../support/pki.js';

const folder = mkdtempSync(join(tmpdir(), 'countersign-keys-'));
afterAll(() => rmSync(folder, { recursive: true }));

const write = (name: string, content: string | Uint8Array): string => {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
};

let opening: KeyOpening;
beforeAll(async () => {
  const provider = createOpenssl();
  await provider.open();
  opening = {
    provider: 'openssl',
    public: provider.publicOperations!,
    private: provider.privateOperations,
    tokens: undefined,
    now: testNow,
  };
});

type PemHome = Extract<FileHomeInput, { store: 'pem' }>;
type P12Home = Extract<FileHomeInput, { store: 'p12' }>;
const pem = (name: TestKeyName, home: Partial<PemHome> = {}): PemHome => ({
  store: 'pem',
  certificate: testKey(name).certificateFile,
  key: testKey(name).keyFile,
  password: undefined,
  ...home,
});
const p12 = (file: string, home: Partial<P12Home> = {}): P12Home => ({
  store: 'p12',
  file,
  alias: undefined,
  password: () => 'secret',
  ...home,
});
const openFile = (file: FileHomeInput, extra: Partial<KeyOpening> = {}): ReturnType<typeof openKey> =>
  openKey({ name: 'client', entries: [{ file, hsm: [], from: undefined }] }, { ...opening, ...extra });

/** A store by node-forge: an independent writer. */
function makeP12(
  names: readonly TestKeyName[],
  options: { password?: string; algorithm?: '3des' | 'aes256' } = {},
): string {
  const { password = 'secret', algorithm = 'aes256' } = options;
  const name = names.join('-');
  const certificates = names.map((one) => forge.pki.certificateFromPem(testKey(one).certificatePem));
  const key = forge.pki.privateKeyFromPem(testKey(names[0] ?? 'client').keyPem);
  const asn1 = forge.pkcs12.toPkcs12Asn1(key, certificates, password, {
    algorithm,
    friendlyName: name,
    count: 100,
  });
  return write(`${name}-${algorithm}.p12`, Buffer.from(forge.asn1.toDer(asn1).getBytes(), 'latin1'));
}

describe('openKey: PEM', () => {
  const rsa = createPrivateKey(testKey('client').keyPem);
  const ec = createPrivateKey(testKey('ec').keyPem);
  const forms: readonly (readonly [string, TestKeyName, string | Buffer])[] = [
    ['PKCS#8', 'client', testKey('client').keyPem],
    ['PKCS#1', 'client', rsa.export({ type: 'pkcs1', format: 'pem' })],
    ['SEC1', 'ec', ec.export({ type: 'sec1', format: 'pem' })],
    ['PKCS#8 of Ed25519', 'ed25519', testKey('ed25519').keyPem],
    ['PKCS#8 with CRLF line ends', 'client', testKey('client').keyPem.replaceAll('\n', '\r\n')],
  ];
  it.each(forms)('opens %s', async (form, name, text) => {
    const ring = await openFile(
      pem(name, { key: write(`plain-${form.replace(/\W/g, '')}.key`, text.toString()) }),
    );
    expect(ring.name).toBe('client');
    expect(ring.entries[0]?.privateKey).toMatchObject({
      kind: testKey(name).certificate.publicKey.kind,
      visibility: 'private',
    });
    expect(ring.entries[0]?.publicKey.visibility).toBe('public');
  });

  const encryptedForms: readonly (readonly [string, TestKeyName, string | Buffer])[] = [
    ...(['aes-128-cbc', 'aes-256-cbc', 'des-ede3-cbc'] as const).map(
      (cipher) =>
        [
          `PKCS#8 ${cipher}`,
          'client',
          rsa.export({ type: 'pkcs8', format: 'pem', cipher, passphrase: 'secret' }),
        ] as const,
    ),
    [
      'traditional PKCS#1',
      'client',
      rsa.export({ type: 'pkcs1', format: 'pem', cipher: 'aes-128-cbc', passphrase: 'secret' }),
    ],
    [
      'traditional SEC1',
      'ec',
      ec.export({ type: 'sec1', format: 'pem', cipher: 'aes-128-cbc', passphrase: 'secret' }),
    ],
  ];
  it.each(encryptedForms)(
    'opens encrypted %s; refuses a wrong and a missing password',
    async (form, name, text) => {
      const key = write(`encrypted-${form.replace(/\W/g, '')}.key`, text.toString());
      await expect(openFile(pem(name, { key, password: () => 'secret' }))).resolves.toBeDefined();
      await expect(openFile(pem(name, { key, password: () => 'Secret' }))).rejects.toMatchObject({
        code: 'KEY_PASSWORD_WRONG',
        details: { key: 'client', file: key },
      });
      await expect(openFile(pem(name, { key }))).rejects.toMatchObject({ code: 'KEY_PASSWORD_MISSING' });
    },
  );

  it('never says the password', async () => {
    const key = write(
      'said.key',
      rsa.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-128-cbc', passphrase: 'a' }),
    );
    const error: unknown = await openFile(pem('client', { key, password: () => 'hunter2' })).catch(
      (e: unknown) => e,
    );
    expect(error).toMatchObject({ code: 'KEY_PASSWORD_WRONG' });
    expect(`${String(error)} ${JSON.stringify(error)}`).not.toContain('hunter2');
  });

  it('takes the chain from the certificate file, in any order', async () => {
    const text =
      testKey('leaf').certificatePem + testKey('ca').certificatePem + testKey('sub-ca').certificatePem;
    const ring = await openFile(pem('leaf', { certificate: write('chain.pem', text) }));
    expect(ring.entries[0]?.chain.map((one) => one.subject.toString())).toEqual([
      'CN=Sub CA,O=Countersign Tests',
      'CN=Test CA,O=Countersign Tests',
    ]);
  });

  it('opens a certificate alone', async () => {
    const ring = await openFile(pem('server', { key: undefined }));
    expect(ring.entries[0]?.privateKey).toBeUndefined();
  });

  it('reads a key and a certificate from one file', async () => {
    const both = write('both.pem', testKey('client').keyPem + testKey('client').certificatePem);
    await expect(openFile(pem('client', { certificate: both, key: both }))).resolves.toBeDefined();
  });

  const failures: readonly (readonly [string, string, () => FileHomeInput])[] = [
    ['a missing file', 'KEY_FILE_UNREADABLE', () => pem('client', { key: join(folder, 'nothing.key') })],
    ['a folder', 'KEY_FILE_UNREADABLE', () => pem('client', { key: folder })],
    ['another key', 'KEY_MISMATCH', () => pem('client', { key: testKey('server').keyFile })],
    ['a key of another kind', 'KEY_MISMATCH', () => pem('client', { key: testKey('ec').keyFile })],
    [
      'a certificate where the key should be',
      'KEY_FILE_MALFORMED',
      () => pem('client', { key: testKey('client').certificateFile }),
    ],
    [
      'a key where the certificate should be',
      'KEY_FILE_MALFORMED',
      () => pem('client', { certificate: testKey('client').keyFile }),
    ],
    [
      'two keys',
      'KEY_FILE_MALFORMED',
      () => pem('client', { key: write('two.key', testKey('client').keyPem + testKey('server').keyPem) }),
    ],
    [
      'a truncated key',
      'KEY_FILE_MALFORMED',
      () => pem('client', { key: write('cut.key', cutBody(testKey('client').keyPem)) }),
    ],
    [
      'bad base64',
      'KEY_FILE_MALFORMED',
      () => pem('client', { key: write('bad.key', testKey('client').keyPem.replace('MII', 'M!I')) }),
    ],
    ['an expired certificate', 'KEY_CERTIFICATE_EXPIRED', () => pem('expired')],
    ['a certificate of the future', 'KEY_CERTIFICATE_NOT_YET_VALID', () => pem('not-yet-valid')],
    [
      'too large a file',
      'KEY_FILE_MALFORMED',
      () => pem('client', { key: write('large.key', Buffer.alloc(1024 * 1024 + 1)) }),
    ],
  ];
  it.each(failures)('refuses %s with %s', async (_, code, home) => {
    const error: unknown = await openFile(home()).catch((e: unknown) => e);
    expect(error).toMatchObject({ code });
    expect(String(error)).toContain('key client');
  });

  function cutBody(text: string): string {
    return text
      .split('\n')
      .filter((_, index) => index < 5 || index > 9)
      .join('\n');
  }
});

describe('openKey: PKCS#12', () => {
  it.each(['3des', 'aes256'] as const)('opens %s of node-forge with its chain', async (algorithm) => {
    const ring = await openFile(p12(makeP12(['leaf', 'sub-ca', 'ca'], { algorithm })));
    expect(ring.entries[0]?.certificate.subject.toString()).toBe('CN=leaf,O=Countersign Tests');
    expect(ring.entries[0]?.chain).toHaveLength(2);
  });

  it('chooses by alias, in any letter case', async () => {
    await expect(openFile(p12(makeP12(['client']), { alias: 'CLIENT' }))).resolves.toBeDefined();
  });

  const failures: readonly (readonly [string, string, () => FileHomeInput])[] = [
    ['a wrong password', 'KEY_PASSWORD_WRONG', () => p12(makeP12(['client']), { password: () => 'Secret' })],
    ['no password', 'KEY_PASSWORD_MISSING', () => p12(makeP12(['client']), { password: undefined })],
    ['an unknown alias', 'KEY_ALIAS_MISSING', () => p12(makeP12(['client']), { alias: 'server' })],
    ['another certificate', 'KEY_MISMATCH', () => p12(mismatched())],
    ['a PEM file', 'KEY_FILE_MALFORMED', () => p12(testKey('client').certificateFile)],
    ['a truncated store', 'KEY_FILE_MALFORMED', () => p12(write('cut.p12', Buffer.from([0x30, 0x82, 0x10])))],
    ['a missing store', 'KEY_FILE_UNREADABLE', () => p12(join(folder, 'none.p12'))],
  ];
  it.each(failures)('refuses %s with %s', async (_, code, home) => {
    await expect(openFile(home())).rejects.toMatchObject({ code, details: { key: 'client' } });
  });

  function mismatched(): string {
    const key = forge.pki.privateKeyFromPem(testKey('client').keyPem);
    const other = forge.pki.certificateFromPem(testKey('server').certificatePem);
    const asn1 = forge.pkcs12.toPkcs12Asn1(key, [other], 'secret', { count: 10 });
    return write('mismatch.p12', Buffer.from(forge.asn1.toDer(asn1).getBytes(), 'latin1'));
  }
});

describe('openKey: homes', () => {
  const hsm = { module: 'm', token: 't', label: 'client', uri: undefined, pin: (): string => '1' };
  const handle = {
    kind: 'RSA',
    bits: 2048,
    visibility: 'private',
    provider: 'pkcs11',
    uses: ['sign'],
  } as const;
  const tokens = (name: TestKeyName, certificates = [testKey(name).certificate.der]): TokenOpener => ({
    openKey: () =>
      Promise.resolve({ privateKey: handle, certificates, spki: testKey(name).certificate.spki }),
  });
  const token = { provider: 'pkcs11', private: undefined, tokens: tokens('client') } as const;
  const unread = (): never => {
    throw new Error('a home that is not used was opened');
  };

  it('takes the token under pkcs11 and leaves the file alone', async () => {
    const file = p12(join(folder, 'none.p12'), { password: unread });
    const ring = await openKey(
      { name: 'client', entries: [{ file, hsm: [hsm], from: undefined }] },
      { ...opening, ...token },
    );
    expect(ring.entries[0]?.privateKey).toBe(handle);
  });

  it('takes the file under openssl and leaves the token alone', async () => {
    const ring = await openKey(
      { name: 'client', entries: [{ file: pem('client'), hsm: [{ ...hsm, pin: unread }], from: undefined }] },
      { ...opening, tokens: { openKey: unread } },
    );
    expect(ring.entries[0]?.privateKey?.provider).toBe('openssl');
  });

  it('takes a key with only an hsm home from the token under openssl', async () => {
    const declaration = { name: 'client', entries: [{ file: undefined, hsm: [hsm], from: undefined }] };
    const ring = await openKey(declaration, { ...opening, tokens: tokens('client') });
    expect(ring.entries[0]?.privateKey).toBe(handle);
  });

  it('takes the certificate from a PEM file when the token has none', async () => {
    const empty = tokens('client', []);
    const file = pem('client', { key: undefined });
    const withFile = { name: 'client', entries: [{ file, hsm: [hsm], from: undefined }] };
    await expect(openKey(withFile, { ...opening, ...token, tokens: empty })).resolves.toBeDefined();
    const without = { name: 'client', entries: [{ file: undefined, hsm: [hsm], from: undefined }] };
    await expect(openKey(without, { ...opening, ...token, tokens: empty })).rejects.toMatchObject({
      code: 'KEY_CERTIFICATE_MISSING',
    });
  });

  it('refuses a token key that does not fit the certificate', async () => {
    const entries = [{ file: undefined, hsm: [hsm], from: undefined }];
    const wrong = tokens('client', [testKey('server').certificate.der]);
    await expect(
      openKey({ name: 'client', entries }, { ...opening, ...token, tokens: wrong }),
    ).rejects.toMatchObject({
      code: 'KEY_MISMATCH',
    });
  });

  it('refuses a key without the home that the provider needs, and takes a certificate alone', async () => {
    await expect(openFile(pem('client'), token)).rejects.toMatchObject({
      code: 'KEY_HOME_MISSING',
      details: { key: 'client' },
    });
    await expect(openFile(pem('client', { key: undefined }), token)).resolves.toBeDefined();
    await expect(
      openKey({ name: 'client', entries: [{ file: undefined, hsm: [], from: undefined }] }, opening),
    ).rejects.toMatchObject({ code: 'KEY_HOME_MISSING' });
  });

  it('says that the token cannot be reached', async () => {
    const entries = [{ file: undefined, hsm: [hsm], from: undefined }];
    await expect(
      openKey({ name: 'client', entries }, { ...opening, tokens: undefined }),
    ).rejects.toMatchObject({
      code: 'PROVIDER_UNAVAILABLE',
    });
  });

  it('opens a rollover list in which one entry is expired', async () => {
    const entries = [
      { file: pem('expired'), hsm: [], from: undefined },
      { file: pem('client'), hsm: [], from: undefined },
    ];
    await expect(openKey({ name: 'client', entries }, opening)).resolves.toMatchObject({ name: 'client' });
  });

  it('gives TLS keys as PEM', async () => {
    const tls = await openTlsKey('tls', p12(makeP12(['leaf', 'sub-ca'])));
    expect(tls.cert.match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
    expect(createPrivateKey(tls.key).asymmetricKeyType).toBe('rsa');
    await expect(openTlsKey('tls', undefined)).rejects.toMatchObject({ code: 'KEY_HOME_MISSING' });
    await expect(openTlsKey('tls', pem('client', { key: undefined }))).rejects.toMatchObject({
      code: 'KEY_HOME_MISSING',
    });
  });

  it('knows issued certificates too', () => {
    expect(issue().issuer.toString()).toBe('CN=Test CA,O=Countersign Tests');
  });
});
