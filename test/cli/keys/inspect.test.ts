import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { makePkcs12 } from '#src/cli/init/pkcs12.js';
import { runInspect } from '#src/cli/keys/inspect.js';
import { testKey } from '../../support/pki.js';

const folder = mkdtempSync(join(tmpdir(), 'countersign-inspect-'));
afterAll(() => rmSync(folder, { recursive: true }));
const write = (name: string, content: string | Uint8Array): string => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

async function inspect(
  files: string[],
  options: { password?: string; json?: boolean } = {},
): Promise<string> {
  const lines: string[] = [];
  const passwordFile =
    options.password === undefined ? undefined : write('password.txt', `${options.password}\n`);
  expect(
    await runInspect({ files, passwordFile, json: options.json ?? false }, (line) => lines.push(line)),
  ).toBe(0);
  return lines.join('\n');
}

const client = testKey('client');
const store = async (): Promise<string> => {
  const made = {
    name: 'client',
    subject: '',
    certificate: client.certificate.der,
    pkcs8: client.pkcs8,
    id: new Uint8Array(20),
    certificatePem: client.certificatePem,
    keyPem: client.keyPem,
  };
  return write('client.p12', await makePkcs12(made, testKey('ca').certificatePem, 'secret'));
};

describe('keys inspect', () => {
  it('says what is in a PEM file, with node:crypto’s fingerprints', async () => {
    const text = await inspect([client.certificateFile]);
    const peer = new X509Certificate(client.certificatePem);
    expect(text).toContain('subject  CN=client,O=Countersign Tests');
    expect(text).toContain('serial   4098');
    expect(text).toContain(peer.fingerprint.replaceAll(':', '').toLowerCase());
    expect(text).toContain(peer.fingerprint256.replaceAll(':', '').toLowerCase());
    expect(text).toContain('2060-01-01T00:00:00Z');
  });

  it('gives the same as JSON, for several files and forms', async () => {
    const files = [
      client.certificateFile,
      write('client.der', client.certificate.der),
      write('both.pem', client.keyPem + client.certificatePem + testKey('ca').certificatePem),
      client.keyFile,
      testKey('expired').certificateFile,
    ];
    const report: unknown = JSON.parse(await inspect(files, { json: true }));
    const one = {
      subject: 'CN=client,O=Countersign Tests',
      key: 'RSA 2048',
      state: 'valid',
      privateKey: false,
      ca: false,
    };
    expect(report).toMatchObject({
      files: [
        { certificates: [one] },
        { certificates: [one] },
        {
          certificates: [
            { ...one, privateKey: true },
            { ca: true, selfIssued: true, privateKey: false },
          ],
          otherKeys: 0,
        },
        { certificates: [], otherKeys: 1 },
        { certificates: [{ state: 'expired' }] },
      ],
    });
  });

  it('opens PKCS#12 with the password, and only so', async () => {
    const file = await store();
    const text = await inspect([file], { password: 'secret' });
    expect(text).toContain('certificate "client", with its private key');
    expect(text).not.toContain('secret');
    await expect(inspect([file])).rejects.toMatchObject({ code: 'KEY_PASSWORD_MISSING' });
    await expect(inspect([file], { password: 'Secret' })).rejects.toMatchObject({
      code: 'KEY_PASSWORD_WRONG',
      details: { file },
    });
  });

  it('refuses what is no key file', async () => {
    await expect(inspect([join(folder, 'none')])).rejects.toMatchObject({ code: 'KEY_FILE_UNREADABLE' });
    await expect(inspect([write('text', 'hello')])).rejects.toMatchObject({ code: 'KEY_FILE_MALFORMED' });
    await expect(
      runInspect(
        { files: [client.certificateFile], passwordFile: join(folder, 'none'), json: false },
        () => undefined,
      ),
    ).rejects.toMatchObject({ code: 'SECRET_UNAVAILABLE' });
  });
});
