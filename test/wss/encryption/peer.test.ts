/** Both ways with the npm package xml-encryption: a second implementation of the same standard. */
import { createRequire } from 'node:module';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { KeyRing } from '#src/providers/index.js';
import type { Toolkit } from '#src/wss/toolkit.js';
import { findEnvelope, ns } from '#src/xml/index.js';
import { security } from '../../support/craft.js';
import { seal, unseal } from '../../support/encryption.js';
import { testKey } from '../../support/pki.js';
import { soap, testRing, testToolkit } from '../../support/toolkit.js';

type Done = (error: Error | null | undefined, result: string) => void;
interface Peer {
  encrypt(content: string, options: Record<string, unknown>, done: Done): void;
  decrypt(xml: string, options: Record<string, unknown>, done: Done): void;
}
const peer = createRequire(import.meta.url)('xml-encryption') as Peer;
const promised = (call: (done: Done) => void): Promise<string> =>
  new Promise((resolve, reject) => {
    call((error, result) => {
      if (error) reject(error);
      else resolve(result);
    });
  });

const content = '<o:order xmlns:o="urn:orders"><o:item>Käse &amp; Brot €</o:item></o:order>';
let legacy: Toolkit;
let server: KeyRing;

beforeAll(async () => {
  legacy = await testToolkit({ profile: 'legacy' });
  server = await testRing(legacy, 'server');
});

interface Case {
  readonly algorithm: string;
  readonly keyTransport: string;
  readonly digest?: string;
  readonly mgf?: string;
}
const cases: Case[] = [
  ...['aes128-gcm', 'aes256-gcm', 'aes128-cbc', 'aes256-cbc', '3des-cbc'].map((algorithm) => ({
    algorithm,
    keyTransport: 'rsa-oaep-mgf1p',
  })),
  { algorithm: 'aes128-gcm', keyTransport: 'rsa-oaep-mgf1p', digest: 'sha256' },
  { algorithm: 'aes256-gcm', keyTransport: 'rsa-oaep', digest: 'sha256', mgf: 'sha256' },
  { algorithm: 'aes256-gcm', keyTransport: 'rsa-oaep', digest: 'sha512', mgf: 'sha1' },
];

describe('xml-encryption', () => {
  it.each(cases)('decrypts what we encrypt: %j', async (options) => {
    const sealed = seal(legacy, server, soap(content), { ...options, reference: 'x509-data' });
    // The package looks for the EncryptedKey inside the EncryptedData, as many do.
    const key = /<xenc:EncryptedKey.*<\/xenc:EncryptedKey>/s.exec(sealed)?.[0] ?? '';
    const data = /<xenc:EncryptedData.*<\/xenc:EncryptedData>/s.exec(sealed)?.[0] ?? '';
    const embedded = data.replace(
      /<ds:KeyInfo.*<\/ds:KeyInfo>/s,
      `<ds:KeyInfo xmlns:ds="${ns.ds}">${key}</ds:KeyInfo>`,
    );
    const plain = await promised((done) => {
      peer.decrypt(
        embedded,
        {
          key: testKey('server').keyPem,
          disallowDecryptionWithInsecureAlgorithm: false,
          warnInsecureAlgorithm: false,
        },
        done,
      );
    });
    expect(plain).toBe(content);
  });

  it.each(cases)('encrypts what we decrypt: %j', async (options) => {
    const { algorithms } = legacy;
    const xml = await promised((done) => {
      peer.encrypt(
        content,
        {
          rsa_pub: testKey('server').certificatePem,
          pem: testKey('server').certificatePem,
          encryptionAlgorithm: algorithms.byId(options.algorithm, 'cipher').uri,
          keyEncryptionAlgorithm: algorithms.byId(options.keyTransport, 'key-transport').uri,
          keyEncryptionDigest: options.digest ?? 'sha1',
          ...(options.mgf === undefined ? {} : { keyEncryptionMgf: options.mgf }),
          disallowEncryptionWithInsecureAlgorithm: false,
          warnInsecureAlgorithm: false,
        },
        done,
      );
    });
    const list = `<x:ReferenceList xmlns:x="${ns.xenc}"><x:DataReference URI="#peer"/></x:ReferenceList>`;
    const message = soap(
      xml.trim().replace('<xenc:EncryptedData ', '<xenc:EncryptedData Id="peer" '),
      security(list),
    );
    const { document, facts } = await unseal(legacy, server, message, { unauthenticatedCbc: true });
    const body = findEnvelope(document).body;
    expect(Buffer.concat(document.slices(body, 'content')).toString()).toBe(content);
    expect(facts[0]!.algorithms.slice(0, 2)).toEqual([options.algorithm, options.keyTransport]);
  });
});
