/** xml-crypto as a peer, in process. */
import { DOMParser } from '@xmldom/xmldom';
import { SignedXml } from 'xml-crypto';

const ds = 'http://www.w3.org/2000/09/xmldsig#';
const excC14n = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const sha256 = 'http://www.w3.org/2001/04/xmlenc#sha256';

/** Verifies the Signature of `message` (text) with the signer's certificate (PEM). */
export function verify(message, certificate) {
  const document = new DOMParser().parseFromString(message, 'text/xml');
  const signature = document.getElementsByTagNameNS(ds, 'Signature')[0];
  const checker = new SignedXml({ publicCert: certificate, idMode: 'wssecurity' });
  checker.loadSignature(signature);
  return checker.checkSignature(message);
}

/**
 * Signs `message` (text), whose Security header must exist.
 *
 * @param options { key: PEM, keyInfo: content of ds:KeyInfo, parts: XPath[], signature: URI }
 */
export function sign(message, options) {
  const signer = new SignedXml({
    privateKey: options.key,
    signatureAlgorithm: options.signature ?? 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    canonicalizationAlgorithm: excC14n,
    idMode: 'wssecurity',
    getKeyInfoContent: () => options.keyInfo,
  });
  for (const xpath of options.parts) {
    signer.addReference({ xpath, digestAlgorithm: sha256, transforms: [excC14n] });
  }
  signer.computeSignature(message, {
    prefix: 'ds',
    location: { reference: "//*[local-name(.)='Security']", action: 'append' },
  });
  return signer.getSignedXml();
}
