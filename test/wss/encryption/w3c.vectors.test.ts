/** XML Encryption 1.1 interop files of the W3C, and the Baltimore ones that are for RSA keys and hold elements. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { parseCertificate } from '#src/pki/index.js';
import type { KeyRing } from '#src/providers/index.js';
import { createOpenssl } from '#src/providers/openssl/provider.js';
import type { Toolkit } from '#src/wss/toolkit.js';
import { canonicalize, findEnvelope, type NodeId, ns, type XmlDocument } from '#src/xml/index.js';
import { security } from '../../support/craft.js';
import { unseal } from '../../support/encryption.js';
import { vectors } from '../../support/paths.js';
import { outcome, parseMessage, ringFromPkcs12, soap, testToolkit } from '../../support/toolkit.js';

const folder = vectors('xmlenc');
const suite = folder === undefined ? describe.skip : describe;
const read = (...path: string[]): string => readFileSync(join(folder ?? '', ...path), 'utf8');

function canonical(document: XmlDocument, element: NodeId): string {
  const pieces: Uint8Array[] = [];
  const sink = { write: (bytes: Uint8Array) => void pieces.push(new Uint8Array(bytes)) };
  canonicalize(document, element, { algorithm: 'exclusive', comments: true }, sink);
  return Buffer.concat(pieces).toString();
}

/** Puts a lone EncryptedData, given an id where it has none, into a Body, and names it in the Security header. */
function envelop(xml: string): string {
  const named = xml.replace(/<\?xml.*?\?>/, '').replace(/<((?:\w+:)?EncryptedData) /, '<$1 Id="vector" ');
  const list = `<x:ReferenceList xmlns:x="${ns.xenc}"><x:DataReference URI="#vector"/></x:ReferenceList>`;
  return soap(named, security(list));
}

suite('W3C XML Encryption 1.1', () => {
  let toolkit: Toolkit;
  beforeAll(async () => {
    toolkit = await testToolkit();
  });

  it.each([
    ['RSA-2048', 'aes128-gcm__rsa-oaep-mgf1p', ['aes128-gcm', 'rsa-oaep-mgf1p', 'sha1', 'mgf1-sha1']],
    [
      'RSA-3072',
      'aes192-gcm__rsa-oaep-mgf1p__Sha256',
      ['aes192-gcm', 'rsa-oaep-mgf1p', 'sha256', 'mgf1-sha1'],
    ],
    ['RSA-3072', 'aes256-gcm__rsa-oaep__Sha384-MGF_Sha1', ['aes256-gcm', 'rsa-oaep', 'sha384', 'mgf1-sha1']],
    [
      'RSA-4096',
      'aes256-gcm__rsa-oaep__Sha512-MGF_Sha1_PSource',
      ['aes256-gcm', 'rsa-oaep', 'sha512', 'mgf1-sha1'],
    ],
  ])('%s %s', async (key, name, algorithms) => {
    const file = join(folder ?? '', 'w3c-xmlenc-core-11', `${key}_SHA256WithRSA.p12`);
    const ring = await ringFromPkcs12(toolkit, file, 'passwd');
    const message = envelop(read('w3c-xmlenc-core-11', `cipherText__${key}__${name}.xml`));
    const { document, facts } = await unseal(toolkit, ring, message);
    const expected = parseMessage(read('w3c-xmlenc-core-11', 'plaintext.xml'));
    const { body } = findEnvelope(document);
    expect(canonical(document, document.firstChild(body))).toBe(canonical(expected, expected.root));
    expect(facts[0]!.algorithms).toEqual(algorithms);
  });

  it('key agreement is refused as what it is: not known yet', async () => {
    const file = join(folder ?? '', 'w3c-xmlenc-core-11', 'RSA-2048_SHA256WithRSA.p12');
    const ring = await ringFromPkcs12(toolkit, file, 'passwd');
    const message = envelop(
      read('w3c-xmlenc-core-11', 'cipherText__EC-P256__aes128-gcm__kw-aes128__ECDH-ES__ConcatKDF-1.xml'),
    );
    expect(await outcome(() => unseal(toolkit, ring, message))).toBe('ALGORITHM_UNKNOWN');
  });
});

suite('Baltimore merlin-five', () => {
  let legacy: Toolkit;
  let ring: KeyRing;
  const file = 'encrypt-element-aes128-cbc-rsa-1_5.xml';
  beforeAll(async () => {
    // The certificate was valid in 2002 only; decrypting asks for no dates.
    legacy = await testToolkit({ profile: 'legacy' });
    const der = Buffer.from(/<X509Certificate>([^<]*)</.exec(read('merlin-five', file))?.[1] ?? '', 'base64');
    const certificate = parseCertificate(new Uint8Array(der));
    const pkcs8 = readFileSync(join(folder ?? '', 'merlin-five', 'rsa.p8'));
    const privateKey = await createOpenssl().privateOperations?.importPrivateKey?.(pkcs8);
    const publicKey = legacy.crypto.importPublicKey(certificate.spki);
    ring = { name: 'merlin', entries: [{ certificate, chain: [], publicKey, privateKey, from: undefined }] };
  });

  /** The file's EncryptedData, in the place that it has in its document. */
  const message = (name: string): string => {
    const xml = read('merlin-five', name).replace(/<\?xml.*?\?>/, '');
    const list = `<x:ReferenceList xmlns:x="${ns.xenc}"><x:DataReference URI="#vector"/></x:ReferenceList>`;
    return soap(xml.replace('<EncryptedData ', '<EncryptedData Id="vector" '), security(list));
  };

  it('aes128-cbc with rsa-1_5 gives the card back', async () => {
    const { document } = await unseal(legacy, ring, message(file), { unauthenticatedCbc: true });
    const text = Buffer.concat(document.slices(findEnvelope(document).body, 'content')).toString();
    expect(parseMessage(text).localName(0)).toBe('PurchaseOrder');
    expect(text).toContain('<Number>1234 567890 12345</Number>');
  });

  it('is refused by the default profile, and under legacy without a signature', async () => {
    const strict = await testToolkit();
    expect(await outcome(() => unseal(strict, ring, message(file)))).toBe('ALGORITHM_DENIED');
    expect(await outcome(() => unseal(legacy, ring, message(file)))).toBe('ENCRYPTION_UNAUTHENTICATED');
  });

  it.each([
    ['encrypt-data-tripledes-cbc-rsa-oaep-mgf1p.xml', 'SECURITY_STRUCTURE'], // octets, no Type
    ['encrypt-data-tripledes-cbc-rsa-oaep-mgf1p-sha256.xml', 'SECURITY_STRUCTURE'],
    ['encrypt-content-aes128-cbc-kw-aes192.xml', 'ALGORITHM_UNKNOWN'], // key wrap with a shared key
    ['encrypt-element-aes256-cbc-retrieved-kw-aes256.xml', 'SECURITY_STRUCTURE'], // RetrievalMethod
    ['encrypt-element-aes256-cbc-carried-kw-aes256.xml', 'SECURITY_STRUCTURE'], // CarriedKeyName
  ])('%s is out of scope and refused', async (name, expected) => {
    expect(await outcome(() => unseal(legacy, ring, message(name), { unauthenticatedCbc: true }))).toBe(
      expected,
    );
  });
});
