/** WSS4J 4.0.1, scenario 3, both ways: key references, ciphers, OAEP forms. */
import { bare, processOnce, writeConfig } from '../lab.mjs';
import { prepare, Wss4j } from '../peers/wss4j.mjs';

export const name = 'wss4j';

const expected = ['encryption:Body', 'signature:Body,Timestamp', 'timestamp'];
const inbound = (decrypt = '') => [
  `decrypt: { key: own, parts: [body/content]${decrypt} }`,
  'verify: { trust: partners, parts: [timestamp, body] }',
  'check-timestamp',
  'replay',
];
const outbound = (sign = '', encrypt = '') => [
  'timestamp: { ttl: 300s }',
  `sign: { key: own, parts: [timestamp, body]${sign} }`,
  `encrypt: { to: partner, parts: [body/content]${encrypt} }`,
];
const cbc = ', unauthenticated-cbc: true';

/** What WSS4J sends: its options, and what our policy must say beyond the usual. */
const fromPeer = [
  { name: 'token direct', options: [], core: true },
  { name: 'token issuer-serial', options: ['reference=issuer-serial'] },
  { name: 'token ski', options: ['reference=ski'] },
  { name: 'token thumbprint', options: ['reference=thumbprint'] },
  { name: 'token x509 key identifier', options: ['reference=x509'] },
  { name: 'recipient issuer-serial', options: ['encrypt-reference=issuer-serial'] },
  { name: 'recipient ski', options: ['encrypt-reference=ski'] },
  { name: 'recipient x509 key identifier', options: ['encrypt-reference=x509'] },
  { name: 'recipient direct', options: ['encrypt-reference=direct'] },
  { name: 'aes256-gcm', options: ['cipher=aes256-gcm'], core: true },
  { name: 'aes128-cbc', options: ['cipher=aes128-cbc'], allow: ['aes128-cbc'], decrypt: cbc },
  { name: 'aes256-cbc', options: ['cipher=aes256-cbc'], allow: ['aes256-cbc'], decrypt: cbc },
  { name: 'oaep sha-1 by default', options: ['transport=rsa-oaep-mgf1p'] },
  { name: 'oaep mgf1p with sha-256 label hash', options: ['transport=rsa-oaep-mgf1p', 'oaep-digest=sha256'] },
  { name: 'oaep 1.1 sha-256 with mgf1-sha1', options: ['oaep-digest=sha256'] },
  {
    name: 'oaep 1.1 sha-256 with mgf1-sha256',
    options: ['oaep-digest=sha256', 'oaep-mgf=mgf1-sha256'],
    core: true,
  },
  { name: 'rsa-sha512', options: ['signature=rsa-sha512'] },
  { name: 'rsa-pss-sha256', options: ['signature=rsa-pss-sha256'] },
  {
    name: 'rsa-1_5 and 3des under legacy',
    options: ['transport=rsa-1_5', 'cipher=3des-cbc'],
    profile: 'legacy',
    decrypt: cbc,
  },
  { name: 'whole Body content as Element of a child', options: ['mode=Content', 'digest=sha256'] },
];

/** What we send: our steps, and what WSS4J must be told. */
const toPeer = [
  { name: 'token direct', core: true },
  { name: 'token issuer-serial', sign: ', reference: issuer-serial' },
  { name: 'token ski', sign: ', reference: ski' },
  { name: 'token thumbprint', sign: ', reference: thumbprint' },
  // WSS4J takes no X509Data outside a SecurityTokenReference for a signer ("Unsupported KeyInfo type"): xmlsec1 judges that form.
  { name: 'recipient direct', encrypt: ', reference: direct' },
  { name: 'recipient issuer-serial', encrypt: ', reference: issuer-serial' },
  { name: 'recipient ski', encrypt: ', reference: ski' },
  { name: 'recipient x509-data', encrypt: ', reference: x509-data', options: ['no-bsp=1'] },
  { name: 'aes256-gcm', encrypt: ', algorithm: aes256-gcm', core: true },
  { name: 'aes128-cbc', encrypt: ', algorithm: aes128-cbc', allow: ['aes128-cbc'] },
  { name: 'aes256-cbc', encrypt: ', algorithm: aes256-cbc', allow: ['aes256-cbc'] },
  { name: 'oaep mgf1p sha-1', encrypt: ', key-transport: rsa-oaep-mgf1p' },
  { name: 'oaep mgf1p with sha-256 label hash', encrypt: ', key-transport: rsa-oaep-mgf1p, digest: sha256' },
  { name: 'oaep 1.1 sha-256 with mgf1-sha1', encrypt: ', mgf: sha1', allow: ['mgf1-sha1'] },
  { name: 'rsa-sha512', sign: ', algorithm: rsa-sha512' },
  { name: 'rsa-pss-sha256', sign: ', algorithm: rsa-pss-sha256' },
  {
    name: 'rsa-1_5 and 3des under legacy',
    encrypt: ', key-transport: rsa-1_5, algorithm: 3des-cbc',
    profile: 'legacy',
    options: ['rsa15=1'],
  },
];

/** @returns the cases, or why there are none */
export async function cases(lab) {
  const missing = prepare();
  if (missing !== undefined) return { missing };
  const keys = (own, partner) => ({
    own: lab.key(`${own}.p12`),
    partner: lab.key(`${partner}.pem`),
    ca: lab.key('ca.pem'),
    password: lab.password,
  });
  const client = new Wss4j(keys('client', 'server'));
  const server = new Wss4j(keys('server', 'client'));
  return {
    cases: [
      ...fromPeer.map((each) => ({
        name: `${each.name}`,
        direction: 'WSS4J → Countersign',
        core: each.core,
        run: () => receive(lab, client, each),
      })),
      ...toPeer.map((each) => ({
        name: `${each.name}`,
        direction: 'Countersign → WSS4J',
        core: each.core,
        run: () => send(lab, server, each),
      })),
    ],
    close() {
      client.close();
      server.close();
    },
  };
}

async function receive(lab, client, each) {
  const config = writeConfig(lab, `wss4j-in-${slug(each.name)}`, {
    side: 'server',
    request: inbound(each.decrypt),
    response: [],
    ...pick(each),
  });
  const produced = await client.call('produce', lab.order, each.options);
  if (!produced.ok) return `WSS4J could not make it: ${produced.body}`;
  const out = await processOnce(config, 'request', produced.body);
  if (!out.ok) return `refused: ${out.code} ${out.message}`;
  return bodyOf(out.bytes) === bodyOf(lab.order) ? undefined : 'the Body is not the one that was sent';
}

async function send(lab, server, each) {
  const config = writeConfig(lab, `wss4j-out-${slug(each.name)}`, {
    side: 'client',
    request: outbound(each.sign, each.encrypt),
    response: [],
    ...pick(each),
  });
  const out = await processOnce(config, 'request', lab.order);
  if (!out.ok) return `could not be made: ${out.code} ${out.message}`;
  const consumed = await server.call('consume', out.bytes, each.options ?? []);
  if (!consumed.ok) return `WSS4J refused it: ${consumed.body}`;
  const proved = consumed.summary.split(' ').map(sortNames).sort();
  if (proved.join(' ') !== expected.join(' ')) return `WSS4J proved ${proved.join(' ')}`;
  return bodyOf(consumed.body) === bodyOf(lab.order) ? undefined : 'the Body is not the one that was sent';
}

const pick = ({ allow, profile }) => ({ ...(allow && { allow }), ...(profile && { profile }) });
const slug = (text) => text.replace(/[^a-z0-9]+/gi, '-');
const sortNames = (result) => {
  const [kind, names] = result.split(':');
  return names === undefined ? kind : `${kind}:${names.split(',').sort().join(',')}`;
};

/** The content of the Body, in the form in which WSS4J writes it too. */
function bodyOf(bytes) {
  const text = bare(bytes);
  const content = text.slice(
    text.indexOf('>', text.search(/<[\w-]+:Body/)) + 1,
    text.search(/<\/[\w-]+:Body>/),
  );
  return content
    .replace(/\s+xmlns:\w+="[^"]*"/g, '')
    .replace(/\s*\/>/g, '/>')
    .trim();
}
