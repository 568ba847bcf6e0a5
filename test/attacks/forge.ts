/** Signs as a peer would that writes ids of its own kind: for the id matrix. */
import { noTimer } from '#src/core/timer.js';
import type { Toolkit } from '#src/wss/toolkit.js';
import { canonicalize, type NodeId, ns, type XmlDocument } from '#src/xml/index.js';
import { testKey } from '../support/pki.js';
import { parseMessage, testEntry } from '../support/toolkit.js';

export interface ForgedReference {
  readonly id: string;
  readonly element: (doc: XmlDocument) => NodeId;
}

/** Puts a Signature of the client over the references in place of `<signature/>`. */
export async function signByHand(
  toolkit: Toolkit,
  message: string,
  references: readonly ForgedReference[],
): Promise<string> {
  const doc = parseMessage(message.replace('<signature/>', ''));
  const exc = ns.excC14n;
  const list = references.map(({ id, element }) => {
    const digester = toolkit.crypto.createDigest('SHA-256');
    canonicalize(
      doc,
      element(doc),
      { algorithm: 'exclusive', comments: false },
      {
        write: (bytes) => digester.update(bytes),
      },
    );
    const value = Buffer.from(digester.digest()).toString('base64');
    return (
      `<ds:Reference URI="#${id}"><ds:Transforms><ds:Transform Algorithm="${exc}"></ds:Transform></ds:Transforms>` +
      `<ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"></ds:DigestMethod>` +
      `<ds:DigestValue>${value}</ds:DigestValue></ds:Reference>`
    );
  });
  const content =
    `<ds:CanonicalizationMethod Algorithm="${exc}"></ds:CanonicalizationMethod><ds:SignatureMethod ` +
    `Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"></ds:SignatureMethod>${list.join('')}`;
  const key = await testEntry(toolkit, 'client');
  const value = await toolkit.crypto.sign(
    { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
    key.privateKey!,
    Buffer.from(`<ds:SignedInfo xmlns:ds="${ns.ds}">${content}</ds:SignedInfo>`),
    noTimer,
  );
  const certificate = Buffer.from(testKey('client').certificate.der).toString('base64');
  return message.replace(
    '<signature/>',
    `<ds:Signature xmlns:ds="${ns.ds}"><ds:SignedInfo>${content}</ds:SignedInfo><ds:SignatureValue>` +
      `${Buffer.from(value).toString('base64')}</ds:SignatureValue><ds:KeyInfo><ds:X509Data><ds:X509Certificate>` +
      `${certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></ds:Signature>`,
  );
}
