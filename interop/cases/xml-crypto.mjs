/** xml-crypto (on xmldom), both ways: signatures only. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';

import { bare, processOnce, signedOrder, writeConfig } from '../lab.mjs';
import { sign, verify } from '../peers/xml-crypto.mjs';

export const name = 'xml-crypto';

const wsse = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd';
const wsu = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd';
const x509v3 = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-x509-token-profile-1.0#X509v3';
const base64 =
  'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-soap-message-security-1.0#Base64Binary';

/** @returns the cases */
export async function cases(lab) {
  return {
    cases: [
      {
        name: 'our signature over Body and Timestamp',
        direction: 'Countersign → xml-crypto',
        core: true,
        run: () => send(lab),
      },
      {
        name: 'our signature, digest changed, refused',
        direction: 'Countersign → xml-crypto',
        core: true,
        run: () => send(lab, true),
      },
      {
        name: 'its signature over Body and Timestamp',
        direction: 'xml-crypto → Countersign',
        core: true,
        run: () => receive(lab),
      },
      {
        name: 'its signature, Body changed, refused',
        direction: 'xml-crypto → Countersign',
        core: true,
        run: () => receive(lab, true),
      },
    ],
  };
}

async function send(lab, tamper = false) {
  const { message, problem } = await signedOrder(lab, 'xml-crypto-out', { tamper });
  if (problem !== undefined) return problem;
  let accepted = false;
  try {
    accepted = verify(message, readFileSync(lab.key('client.pem'), 'utf8'));
  } catch (failure) {
    if (!tamper) return `xml-crypto: ${failure.message}`;
  }
  return accepted === !tamper ? undefined : `xml-crypto said ${accepted}`;
}

/** A message as a user of xml-crypto makes it: header by hand, signature by the library. */
export function signedMessage(lab, now = Date.now()) {
  const certificate = readFileSync(lab.key('client.pem'), 'utf8').replace(/-----[^-]+-----|\s/g, '');
  const token = `X509-${randomUUID()}`;
  const time = (millis) => new Date(millis).toISOString();
  const header =
    `<wsse:Security xmlns:wsse="${wsse}" xmlns:wsu="${wsu}">` +
    `<wsse:BinarySecurityToken EncodingType="${base64}" ValueType="${x509v3}" wsu:Id="${token}">${certificate}</wsse:BinarySecurityToken>` +
    `<wsu:Timestamp wsu:Id="TS-${randomUUID()}"><wsu:Created>${time(now)}</wsu:Created><wsu:Expires>${time(now + 300_000)}</wsu:Expires></wsu:Timestamp>` +
    `</wsse:Security>`;
  const prefix = /<([\w-]+):Envelope/.exec(lab.order.toString('utf8'))[1];
  const plain = lab.order
    .toString('utf8')
    .replace(new RegExp(`\\s*<${prefix}:Header\\s*/>|<${prefix}:Header>[\\s\\S]*</${prefix}:Header>`), '')
    .replace(`<${prefix}:Body`, `<${prefix}:Header>${header}</${prefix}:Header><${prefix}:Body`);
  return sign(plain, {
    key: readFileSync(lab.key('client.key'), 'utf8'),
    keyInfo: `<wsse:SecurityTokenReference xmlns:wsse="${wsse}"><wsse:Reference URI="#${token}" ValueType="${x509v3}"/></wsse:SecurityTokenReference>`,
    parts: ["//*[local-name(.)='Body']", "//*[local-name(.)='Timestamp']"],
  });
}

async function receive(lab, tamper = false) {
  const config = writeConfig(lab, 'xml-crypto-in', {
    side: 'server',
    request: ['verify: { trust: partners, parts: [timestamp, body] }', 'check-timestamp', 'replay'],
    response: [],
  });
  const good = signedMessage(lab);
  const message = tamper ? good.replace(/<o:article>[^<]*/, '<o:article>changed') : good;
  const out = await processOnce(config, 'request', Buffer.from(message));
  if (tamper)
    return !out.ok && out.code === 'DIGEST_MISMATCH' ? undefined : `outcome ${out.code ?? 'accepted'}`;
  if (!out.ok) return `refused: ${out.code} ${out.message}`;
  return bare(out.bytes).includes('order') ? undefined : 'the Body is not the one that was sent';
}
