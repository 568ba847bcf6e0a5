/** xmlsec1, both ways: signature arithmetic, and XML Encryption with RSA-OAEP-MGF1P (SHA-1), which is what Debian's has. */
import { readFileSync } from 'node:fs';

import { processOnce, signedOrder, writeConfig } from '../lab.mjs';
import { decrypt, encrypt, prepare, sign, verify } from '../peers/xmlsec1.mjs';
import { signedMessage } from './xml-crypto.mjs';

export const name = 'xmlsec1';

const xenc = 'http://www.w3.org/2001/04/xmlenc#';
const ds = 'http://www.w3.org/2000/09/xmldsig#';
const wsse = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd';

const ciphers = [
  { id: 'aes128-gcm', uri: 'http://www.w3.org/2009/xmlenc11#aes128-gcm', session: 'aes-128' },
  { id: 'aes256-gcm', uri: 'http://www.w3.org/2009/xmlenc11#aes256-gcm', session: 'aes-256' },
  { id: 'aes128-cbc', uri: `${xenc}aes128-cbc`, session: 'aes-128', allow: ['aes128-cbc'] },
  { id: 'aes256-cbc', uri: `${xenc}aes256-cbc`, session: 'aes-256', allow: ['aes256-cbc'] },
  { id: '3des-cbc', uri: `${xenc}tripledes-cbc`, session: 'des-192', allow: ['3des-cbc'] },
];

/** @returns the cases, or why there are none */
export async function cases(lab) {
  const missing = prepare();
  if (missing !== undefined) return { missing };
  const core = true;
  return {
    cases: [
      { name: 'our signature', direction: 'Countersign → xmlsec1', core, run: () => sendSigned(lab) },
      {
        name: 'our signature, Body changed, refused',
        direction: 'Countersign → xmlsec1',
        core,
        run: () => sendSigned(lab, true),
      },
      {
        name: 'our signature, certificate from x509-data',
        direction: 'Countersign → xmlsec1',
        core,
        run: () => sendX509Data(lab),
      },
      { name: 'its signature', direction: 'xmlsec1 → Countersign', core, run: () => receiveSigned(lab) },
      ...ciphers.map((cipher) => ({
        name: cipher.id,
        direction: 'Countersign → xmlsec1',
        core,
        run: () => sendEncrypted(lab, cipher),
      })),
      ...ciphers.map((cipher) => ({
        name: cipher.id,
        direction: 'xmlsec1 → Countersign',
        core,
        run: () => receiveEncrypted(lab, cipher),
      })),
    ],
  };
}

async function sendSigned(lab, tamper = false) {
  const { message, problem } = await signedOrder(lab, 'xmlsec1-out', { tamper });
  if (problem !== undefined) return problem;
  const judged = verify(message, lab.key('client.pem'), lab.key('ca.pem'));
  return judged.ok === !tamper ? undefined : `xmlsec1: ${judged.error || 'accepted'}`;
}

/** xmlsec1 takes the certificate out of KeyInfo/X509Data and builds the path to the CA itself. */
async function sendX509Data(lab) {
  const { message, problem } = await signedOrder(lab, 'xmlsec1-x509-data', { reference: 'x509-data' });
  if (problem !== undefined) return problem;
  const judged = verify(message, undefined, lab.key('ca.pem'));
  return judged.ok ? undefined : `xmlsec1: ${judged.error}`;
}

async function receiveSigned(lab) {
  const template = signedMessage(lab)
    .replace(/<ds:DigestValue>[^<]*/g, '<ds:DigestValue>')
    .replace(/<ds:SignatureValue>[^<]*/, '<ds:SignatureValue>');
  const made = sign(template, lab.key('client.key'));
  if (!made.ok) return `xmlsec1 could not sign: ${made.error}`;
  const config = writeConfig(lab, 'xmlsec1-in', {
    side: 'server',
    request: ['verify: { trust: partners, parts: [timestamp, body] }', 'check-timestamp', 'replay'],
    response: [],
  });
  const out = await processOnce(config, 'request', made.read());
  return out.ok ? undefined : `refused: ${out.code} ${out.message}`;
}

async function sendEncrypted(lab, cipher) {
  const config = writeConfig(lab, `xmlsec1-enc-${cipher.id}`, {
    side: 'client',
    request: [
      `encrypt: { to: partner, parts: [body/content], algorithm: ${cipher.id}, key-transport: rsa-oaep-mgf1p }`,
    ],
    response: [],
    ...(cipher.allow && { allow: cipher.allow }),
  });
  const out = await processOnce(config, 'request', lab.order);
  if (!out.ok) return `could not be made: ${out.code} ${out.message}`;
  const opened = decrypt(keyInside(out.bytes.toString('utf8')), lab.key('server.key'));
  if (!opened.ok) return `xmlsec1: ${opened.error}`;
  return bodyOf(opened.read().toString('utf8')) === bodyOf(lab.order.toString('utf8'))
    ? undefined
    : 'xmlsec1 decrypted something else';
}

/** xmlsec1 wants the EncryptedKey inside the EncryptedData's KeyInfo, without our references. */
function keyInside(text) {
  const key = /<xenc:EncryptedKey[\s\S]*<\/xenc:EncryptedKey>/.exec(text)[0];
  const bareKey = key
    .replace(/<ds:KeyInfo[\s\S]*<\/ds:KeyInfo>/, '')
    .replace(/<xenc:ReferenceList[\s\S]*<\/xenc:ReferenceList>/, '');
  const named = bareKey.replace(
    '<xenc:EncryptedKey',
    `<xenc:EncryptedKey xmlns:xenc="${xenc}" xmlns:ds="${ds}"`,
  );
  const unique = named.replace(/(xmlns:\w+="[^"]*")(?=[^>]*\1)/g, '');
  const info = `<ds:KeyInfo xmlns:ds="${ds}">${unique}</ds:KeyInfo>`;
  const without = text.replace(key, '');
  const data = /<xenc:EncryptedData[\s\S]*<\/xenc:EncryptedData>/.exec(without)[0];
  const method =
    /<xenc:EncryptionMethod[^>]*\/>|<xenc:EncryptionMethod[\s\S]*?<\/xenc:EncryptionMethod>/.exec(data)[0];
  const changed = data.replace(/<ds:KeyInfo[\s\S]*<\/ds:KeyInfo>/, '').replace(method, method + info);
  return without.replace(data, changed);
}

async function receiveEncrypted(lab, cipher) {
  const template =
    `<xenc:EncryptedData xmlns:xenc="${xenc}" Id="ED-1" Type="${xenc}Content"><xenc:EncryptionMethod Algorithm="${cipher.uri}"/>` +
    `<ds:KeyInfo xmlns:ds="${ds}"><xenc:EncryptedKey Id="EK-1"><xenc:EncryptionMethod Algorithm="${xenc}rsa-oaep-mgf1p"/>` +
    '<xenc:CipherData><xenc:CipherValue/></xenc:CipherData></xenc:EncryptedKey></ds:KeyInfo>' +
    '<xenc:CipherData><xenc:CipherValue/></xenc:CipherData></xenc:EncryptedData>';
  const xpath = "//*[local-name()='Body']/*[1]";
  const plain = lab.order
    .toString('utf8')
    .replace(/(<[\w-]+:Body[^>]*>)\s*/, '$1')
    .replace(/\s*(<\/[\w-]+:Body>)/, '$1');
  const elementTemplate = template.replace(`${xenc}Content`, `${xenc}Element`);
  const made = encrypt(elementTemplate, plain, xpath, lab.key('server.pem'), cipher.session);
  if (!made.ok) return `xmlsec1 could not encrypt: ${made.error}`;
  const config = writeConfig(lab, `xmlsec1-dec-${cipher.id}`, {
    side: 'server',
    request: [
      `decrypt: { key: own, parts: [body/o:order], unauthenticated-cbc: ${cipher.allow !== undefined} }`,
    ],
    response: [],
    ...(cipher.allow && { allow: cipher.allow }),
  });
  const out = await processOnce(
    config,
    'request',
    Buffer.from(keyInHeader(made.read().toString('utf8'), lab)),
  );
  if (!out.ok) return `refused: ${out.code} ${out.message}`;
  return bodyOf(out.bytes.toString('utf8')) === bodyOf(lab.order.toString('utf8'))
    ? undefined
    : 'decrypted something else';
}

/** Moves xmlsec1's EncryptedKey into a Security header, with the ReferenceList and recipient that WS-Security asks for. */
function keyInHeader(text, lab) {
  const key = /<xenc:EncryptedKey[\s\S]*<\/xenc:EncryptedKey>/.exec(text)[0];
  const certificate = readFileSync(lab.key('server.pem'), 'utf8').replace(/-----[^-]+-----|\s/g, '');
  const info =
    `<ds:KeyInfo xmlns:ds="${ds}"><wsse:SecurityTokenReference><ds:X509Data><ds:X509Certificate>${certificate}</ds:X509Certificate></ds:X509Data>` +
    '</wsse:SecurityTokenReference></ds:KeyInfo>';
  const moved = key
    .replace('<xenc:EncryptedKey', `<xenc:EncryptedKey xmlns:xenc="${xenc}"`)
    .replace('<xenc:CipherData>', `${info}<xenc:CipherData>`)
    .replace(
      '</xenc:EncryptedKey>',
      '<xenc:ReferenceList><xenc:DataReference URI="#ED-1"/></xenc:ReferenceList></xenc:EncryptedKey>',
    )
    .replace(/(xmlns:xenc="[^"]*")([^>]*)\1/, '$1$2');
  const without = text.replace(
    /<ds:KeyInfo[^>]*>\s*<xenc:EncryptedKey[\s\S]*<\/xenc:EncryptedKey>\s*<\/ds:KeyInfo>/,
    '',
  );
  const prefix = /<([\w-]+):Envelope/.exec(without)[1];
  const header = `<wsse:Security xmlns:wsse="${wsse}">${moved}</wsse:Security>`;
  const cleared = without.replace(
    new RegExp(`<${prefix}:Header\\s*/>|<${prefix}:Header>[\\s\\S]*</${prefix}:Header>`),
    '',
  );
  return cleared.replace(`<${prefix}:Body`, `<${prefix}:Header>${header}</${prefix}:Header><${prefix}:Body`);
}

function bodyOf(text) {
  const content = text.slice(
    text.indexOf('>', text.search(/<[\w-]+:Body/)) + 1,
    text.search(/<\/[\w-]+:Body>/),
  );
  return content.replace(/\s+xmlns:\w+="[^"]*"/g, '').trim();
}
