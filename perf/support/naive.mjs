/** The usual Node pipeline for scenario 3: xmldom, xml-crypto and xml-encryption, as their users combine them. */
import { DOMParser, XMLSerializer } from '@xmldom/xmldom';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { SignedXml } from 'xml-crypto';
import * as xmlEncryption from 'xml-encryption';

const encrypt = promisify(xmlEncryption.encrypt);
const decrypt = promisify(xmlEncryption.decrypt);
const wsse = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd';
const wsu = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd';
const excC14n = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const sha256 = 'http://www.w3.org/2001/04/xmlenc#sha256';
const body = "//*[local-name(.)='Body']";

/** @returns { send, receive }: promises of functions that do the work n times */
export function naive({ lab }, message) {
  const pem = (name) => readFileSync(lab.key(name), 'utf8');
  const text = message.toString('utf8');
  const keys = {
    private: pem('client.key'),
    certificate: pem('client.pem'),
    partner: pem('server.pem'),
    own: pem('server.key'),
  };
  const produce = () => protect(text, keys);
  return {
    send: Promise.resolve(async (n) => {
      for (let i = 0; i < n; i++) await produce();
    }),
    get receive() {
      return produce().then((secured) => async (n) => {
        for (let i = 0; i < n; i++) await open(secured, keys);
      });
    },
  };
}

async function protect(text, keys) {
  const now = new Date();
  const header =
    `<wsse:Security xmlns:wsse="${wsse}" xmlns:wsu="${wsu}"><wsu:Timestamp wsu:Id="TS"><wsu:Created>${now.toISOString()}</wsu:Created>` +
    `<wsu:Expires>${new Date(now.getTime() + 300_000).toISOString()}</wsu:Expires></wsu:Timestamp></wsse:Security>`;
  const signer = new SignedXml({
    privateKey: keys.private,
    publicCert: keys.certificate,
    signatureAlgorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    canonicalizationAlgorithm: excC14n,
    idMode: 'wssecurity',
  });
  for (const xpath of [body, "//*[local-name(.)='Timestamp']"]) {
    signer.addReference({ xpath, digestAlgorithm: sha256, transforms: [excC14n] });
  }
  signer.computeSignature(text.replace('<soap:Header/>', `<soap:Header>${header}</soap:Header>`), {
    location: { reference: "//*[local-name(.)='Security']", action: 'append' },
  });
  const document = new DOMParser().parseFromString(signer.getSignedXml(), 'text/xml');
  const element = document.getElementsByTagName('soap:Body')[0];
  const content = Array.from(element.childNodes, (node) => new XMLSerializer().serializeToString(node)).join(
    '',
  );
  const encrypted = await encrypt(content, {
    rsa_pub: keys.partner,
    pem: keys.partner,
    encryptionAlgorithm: 'http://www.w3.org/2009/xmlenc11#aes128-gcm',
    keyEncryptionAlgorithm: 'http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p',
  });
  while (element.firstChild !== null) element.removeChild(element.firstChild);
  element.appendChild(
    document.importNode(new DOMParser().parseFromString(encrypted, 'text/xml').documentElement, true),
  );
  return new XMLSerializer().serializeToString(document);
}

async function open(secured, keys) {
  const document = new DOMParser().parseFromString(secured, 'text/xml');
  const element = document.getElementsByTagName('soap:Body')[0];
  const content = await decrypt(new XMLSerializer().serializeToString(element.firstChild), { key: keys.own });
  const start = secured.indexOf('>', secured.indexOf('<soap:Body')) + 1;
  const plain = secured.slice(0, start) + content + secured.slice(secured.lastIndexOf('</soap:Body>'));
  const parsed = new DOMParser().parseFromString(plain, 'text/xml');
  const checker = new SignedXml({ publicCert: keys.certificate, idMode: 'wssecurity' });
  checker.loadSignature(parsed.getElementsByTagNameNS('http://www.w3.org/2000/09/xmldsig#', 'Signature')[0]);
  if (!checker.checkSignature(plain))
    throw new Error('the xml-crypto pipeline does not verify its own message');
}
