import { execFile } from 'node:child_process';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { runInit } from '#src/cli/init/run.js';
import { parseCertificate, validatePath } from '#src/pki/index.js';
import { openKey, readCertificates } from '#src/providers/index.js';
import { createOpenssl } from '#src/providers/openssl/provider.js';
import { root } from '../../support/paths.js';
import { Pkcs11Client } from '../../support/pkcs11-client.js';
import { testDigest, testVerify } from '../../support/pki.js';
import { SoftHsm, softhsmModule } from '../../support/softhsm.js';

const base = mkdtempSync(join(tmpdir(), 'countersign-init-'));
afterAll(() => rmSync(base, { recursive: true }));
const folder = join(base, 'lab');
const at = (...path: string[]): string => join(folder, ...path);
const read = (...path: string[]): string => readFileSync(at(...path), 'utf8');
const lines: string[] = [];

beforeAll(async () => {
  expect(await runInit({ folder, bits: 2048, hsm: undefined }, (line) => lines.push(line))).toBe(0);
}, 60_000);

describe('countersign init', () => {
  const expected = [
    ...['ca.pem', 'client.key', 'client.pem', 'client.p12', 'server.key', 'server.pem', 'server.p12'].map(
      (name) => `keys/${name}`,
    ),
    ...['keys/tls.key', 'keys/tls.pem', 'keys/password.txt'],
    ...['client', 'server'].flatMap((side) => [`${side}/countersign.yaml`, `${side}/services/orders.yaml`]),
    ...['wsdl/orders.wsdl', 'messages/order.xml'],
  ];

  it('writes the layout of interface.md, and prints it', () => {
    const found = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
      statSync(at(path)).isFile(),
    );
    expect(found.sort()).toEqual([...expected].sort());
    for (const path of expected) expect(lines.some((line) => line.startsWith(`${at(path)} `))).toBe(true);
  });

  it.each([
    ['where no folder can be made', '/proc/countersign'],
    ['below a file', join(folder, 'keys/ca.pem/lab')],
  ])('refuses a place %s, at once', async (_, place) => {
    await expect(
      runInit({ folder: place, bits: 2048, hsm: undefined }, () => undefined),
    ).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining(place),
    });
  });

  it('prints for programs what it wrote', async () => {
    const place = join(base, 'json');
    const printed: string[] = [];
    expect(await runInit({ folder: place, bits: 2048, json: true }, (line) => printed.push(line))).toBe(0);
    const { files } = JSON.parse(printed.join('')) as { files: { file: string }[] };
    expect(files.map(({ file }) => file)).toEqual(expected.map((path) => join(place, path)));
  });

  it('keeps secrets to the owner and out of what it prints', () => {
    const password = read('keys', 'password.txt').trim();
    expect(password.length).toBeGreaterThanOrEqual(32);
    expect(lines.join('\n')).not.toContain(password);
    for (const path of expected.filter((name) => /\.key|\.p12|\.txt/.test(name))) {
      expect(statSync(at(path)).mode & 0o077).toBe(0);
    }
  });

  it('makes certificates that chain to the CA and serve their purpose', async () => {
    const [ca] = await readCertificates(at('keys/ca.pem'));
    for (const [name, usage] of [
      ['client', 'sign'],
      ['server', 'encrypt'],
      ['tls', 'tls-server'],
    ] as const) {
      const [leaf] = await readCertificates(at(`keys/${name}.pem`));
      const path = validatePath(leaf!, {
        anchors: [ca!],
        pinned: [],
        intermediates: [],
        at: Date.now(),
        usage,
        verify: testVerify,
        digest: testDigest,
        permits: () => undefined,
      });
      expect(path).toHaveLength(2);
      const peer = new X509Certificate(read('keys', `${name}.pem`));
      expect(peer.checkPrivateKey(createPrivateKey(read('keys', `${name}.key`)))).toBe(true);
      expect(peer.verify(new X509Certificate(read('keys', 'ca.pem')).publicKey)).toBe(true);
    }
    expect(new X509Certificate(read('keys', 'tls.pem')).checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(new X509Certificate(read('keys', 'tls.pem')).checkHost('localhost')).toBe('localhost');
    expect(
      parseCertificate(new Uint8Array(new X509Certificate(read('keys', 'client.pem')).raw)).publicKey.bits,
    ).toBe(2048);
  });

  it('makes PKCS#12 files that open with the password, and hold the CA', async () => {
    const provider = createOpenssl();
    const opening = {
      provider: 'openssl',
      public: provider.publicOperations!,
      private: provider.privateOperations,
      tokens: undefined,
      now: Date.now(),
    } as const;
    for (const name of ['client', 'server']) {
      const file = {
        store: 'p12',
        file: at(`keys/${name}.p12`),
        alias: name,
        password: () => read('keys', 'password.txt').trim(),
      } as const;
      const ring = await openKey({ name, entries: [{ file, hsm: [], from: undefined }] }, opening);
      expect(ring.entries[0]?.certificate.subject.toString()).toBe(`CN=${name},O=Countersign Development`);
      expect(ring.entries[0]?.chain).toHaveLength(1);
    }
  });

  it('writes policies of scenario 3', () => {
    expect(parse(read('client/countersign.yaml'))).toMatchObject({
      listen: { port: 8080 },
      admin: { port: 9090 },
      provider: 'openssl',
      keys: {
        client: { store: 'p12', file: '../keys/client.p12', password: { file: '../keys/password.txt' } },
      },
      trust: { servers: { anchors: ['../keys/ca.pem'], subjects: ['CN=server,O=Countersign Development'] } },
    });
    expect(parse(read('server/countersign.yaml'))).toMatchObject({
      listen: { port: 8081 },
      admin: { port: 9091 },
    });
    expect(parse(read('client/services/orders.yaml'))).toMatchObject({
      upstream: 'http://127.0.0.1:8081/orders',
      request: [
        { timestamp: { ttl: '300s' } },
        { sign: { key: 'client', parts: ['timestamp', 'body'] } },
        { encrypt: { to: 'server', parts: ['body/content'] } },
      ],
    });
    expect(parse(read('server/services/orders.yaml'))).toMatchObject({
      upstream: 'http://127.0.0.1:8082/orders',
      response: [{ timestamp: {} }, { sign: { key: 'server' } }, { encrypt: { to: 'request-signer' } }],
    });
  });

  it('overwrites nothing', async () => {
    const before = read('keys', 'ca.pem');
    await expect(runInit({ folder, bits: 2048, hsm: undefined }, () => undefined)).rejects.toMatchObject({
      code: 'USAGE',
    });
    expect(read('keys', 'ca.pem')).toBe(before);
  });

  it('says that a module is not there, and writes nothing', async () => {
    const other = join(base, 'other');
    await expect(
      runInit({ folder: other, bits: 2048, hsm: '/nonexistent.so' }, () => undefined),
    ).rejects.toMatchObject({
      code: 'PROVIDER_UNAVAILABLE',
    });
    expect(() => statSync(other)).toThrow();
  });
});

const module = softhsmModule();
(module === undefined ? describe.skip : describe)('countersign init --hsm', () => {
  const hsm = new SoftHsm(module ?? '');
  const lab = join(base, 'hsm-lab');
  const init = async (target: string): Promise<string> => {
    const script = join(base, 'init.mjs');
    const code = `import { runInit } from ${JSON.stringify(join(root, 'dist/cli/init/run.js'))};
      await runInit({ folder: process.argv[2], bits: 2048, hsm: process.argv[3] }, console.log);`;
    writeFileSync(script, code);
    const env = { ...process.env, SOFTHSM2_CONF: hsm.conf, NODE_OPTIONS: '' };
    const { stdout } = await promisify(execFile)(process.execPath, [script, target, hsm.module], { env });
    return stdout;
  };
  afterAll(() => hsm.remove());

  it('puts the keys into a token under both homes', async () => {
    expect(await init(lab)).toContain('token countersign:');
    const pin = readFileSync(join(lab, 'keys/pin.txt'), 'utf8').trim();
    const config: unknown = parse(readFileSync(join(lab, 'client/countersign.yaml'), 'utf8'));
    expect(config).toMatchObject({
      keys: { client: { store: 'p12', hsm: { module: hsm.module, token: 'countersign', label: 'client' } } },
    });
    const client = new Pkcs11Client({ SOFTHSM2_CONF: hsm.conf });
    try {
      const opened = await client.open({ module: hsm.module, token: 'countersign', label: 'server', pin });
      const [certificate] = await readCertificates(join(lab, 'keys/server.pem'));
      expect(Buffer.from(opened.spki).equals(certificate!.spki)).toBe(true);
      expect(opened.certificates.map((der) => Buffer.from(der).equals(certificate!.der))).toEqual([true]);
      const data = Buffer.from('signed on the token');
      const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' } as const;
      const signature = await client.provider.privateOperations!.sign(algorithm, opened.handle, data);
      expect(testVerify(algorithm, certificate!.spki, signature, data)).toBe(true);
    } finally {
      await client.provider.close();
      client.end();
    }
  }, 60_000);

  it('gives a second token a name of its own', async () => {
    expect(await init(join(base, 'hsm-lab-2'))).toContain('token countersign-2:');
  }, 60_000);
});
