/** xml-crypto as peer, both ways. */
import { describe, expect, it } from '@jest/globals';
import { DOMParser, XMLSerializer } from '@xmldom/xmldom';
import { SignedXml } from 'xml-crypto';
import { ns } from '#src/xml/index.js';
import { testKey } from '../../support/pki.js';
import { orderMessage, signed, testTrust, verified } from '../../support/signing.js';
import { outcome, testToolkit } from '../../support/toolkit.js';

const exc = ns.excC14n;

function peerAccepts(message: string): boolean {
  const document = new DOMParser().parseFromString(message, 'text/xml');
  const [signature] = Array.from(document.getElementsByTagNameNS(ns.ds, 'Signature'));
  const peer = new SignedXml({
    idMode: 'wssecurity',
    publicCert: testKey('client').certificatePem,
    getCertFromKeyInfo: () => null,
  });
  peer.loadSignature(new XMLSerializer().serializeToString(signature!));
  try {
    return peer.checkSignature(message);
  } catch {
    return false;
  }
}

interface PeerOptions {
  readonly algorithm?: string;
  readonly digest?: string;
  readonly prefixes?: string[];
}

function peerSigns(message: string, options: PeerOptions = {}): string {
  const certificate = Buffer.from(testKey('client').certificate.der).toString('base64');
  const peer = new SignedXml({
    idMode: 'wssecurity',
    privateKey: testKey('client').keyPem,
    signatureAlgorithm: options.algorithm ?? 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    canonicalizationAlgorithm: exc,
    getKeyInfoContent: () =>
      `<wsse:SecurityTokenReference xmlns:wsse="${ns.wsse}"><X509Data xmlns="${ns.ds}"><X509Certificate>${certificate}` +
      `</X509Certificate></X509Data></wsse:SecurityTokenReference>`,
  });
  for (const xpath of [
    "//*[local-name()='Body']",
    "//*[local-name()='Timestamp']",
    "//*[local-name()='To']",
  ]) {
    peer.addReference({
      xpath,
      transforms: [exc],
      digestAlgorithm: options.digest ?? 'http://www.w3.org/2001/04/xmlenc#sha256',
      ...(options.prefixes === undefined ? {} : { inclusiveNamespacesPrefixList: options.prefixes }),
    });
  }
  peer.computeSignature(message, {
    location: { reference: "//*[local-name()='Security']", action: 'append' },
  });
  return peer.getSignedXml();
}

/** What canonicalisation has to get right, in the Body. */
const awkward =
  '<o:order xmlns:o="urn:orders" xmlns:unused="urn:u" z="1" o:b="2" a="&lt;&#9;&quot;&#xA;"><!-- note -->' +
  '<o:item xmlns="urn:default"><x/>&#xD;&gt;é€\u{1F600}<![CDATA[<&>]]></o:item><q:r xmlns:q="urn:q" q:s=""/></o:order>';

describe('xml-crypto', () => {
  it.each([
    ['rsa-sha256', 'sha256'],
    ['rsa-sha512', 'sha512'],
    ['rsa-pss-sha256', 'sha256'],
  ])('accepts what we sign with %s and %s', async (algorithm, digest) => {
    const toolkit = await testToolkit();
    const parts = ['body', 'timestamp', 'header/wsa:To'];
    const message = await signed(toolkit, orderMessage(awkward), { algorithm, digest, parts });
    expect(peerAccepts(message)).toBe(true);
    expect(peerAccepts(message.replace('urn:partner', 'urn:thief'))).toBe(false);
  });

  it.each<PeerOptions>([
    {},
    {
      algorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
      digest: 'http://www.w3.org/2001/04/xmlenc#sha512',
    },
    { algorithm: 'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1' },
    { prefixes: ['unused', 'soap', 'wsa', 'nowhere'] },
  ])('signs what we accept: %j', async (options) => {
    const toolkit = await testToolkit();
    const message = peerSigns(orderMessage(awkward), options);
    const parts = ['body', 'timestamp', 'header/wsa:To'];
    const { facts } = verified(toolkit, message, { parts });
    expect(facts[0]?.elements).toHaveLength(3);
    const changed = message.replace('urn:partner', 'urn:thief');
    expect(await outcome(() => verified(toolkit, changed, { parts }))).toBe('DIGEST_MISMATCH');
    const relabelled = message.replace('unused="urn:u"', 'unused="urn:v"');
    const code = options.prefixes === undefined ? 'accepted' : 'DIGEST_MISMATCH';
    expect(await outcome(() => verified(toolkit, relabelled, { parts }))).toBe(code);
  });

  it('signs with SHA-1 unless told otherwise: accepted only by an exception', async () => {
    const message = peerSigns(orderMessage(), { algorithm: `${ns.ds}rsa-sha1`, digest: `${ns.ds}sha1` });
    const step = { parts: ['body'] };
    expect(await outcome(async () => verified(await testToolkit(), message, step))).toBe('ALGORITHM_DENIED');
    expect(await outcome(async () => verified(await testToolkit({ profile: 'legacy' }), message, step))).toBe(
      'accepted',
    );
  });

  it('accepts our thumbprint and direct references with the certificate given', async () => {
    const toolkit = await testToolkit();
    for (const reference of ['direct', 'thumbprint', 'ski', 'issuer-serial', 'x509-data'] as const) {
      const message = await signed(toolkit, orderMessage(), { reference });
      expect(peerAccepts(message)).toBe(true);
      verified(toolkit, message, { trust: testTrust(toolkit, 'client') });
    }
  });
});
