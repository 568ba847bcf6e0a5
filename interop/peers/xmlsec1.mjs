/** xmlsec1 as a peer, by its command line. It accepts a wrapped Body, so it judges arithmetic, never structure. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const wsu = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd';
const soap = 'http://schemas.xmlsoap.org/soap/envelope/';
const ids = ['--id-attr:Id', `${wsu}:Timestamp`, '--id-attr:Id', `${soap}:Body`];

/** @returns why it cannot be used, or undefined */
export function prepare() {
  const version = spawnSync('xmlsec1', ['--version'], { encoding: 'utf8' });
  return version.error === undefined ? undefined : 'xmlsec1 is not installed (Debian: xmlsec1)';
}

function xmlsec1(args, files) {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-xmlsec-'));
  try {
    for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes);
    const output = join(folder, 'output.xml');
    const run = spawnSync('xmlsec1', [...args.map((each) => each.replace('@/', `${folder}/`))], {
      encoding: 'utf8',
    });
    const ok = run.status === 0;
    return {
      ok,
      error: ok ? '' : `${run.stdout}${run.stderr}`.slice(0, 2000),
      read: () => readFileSync(output),
    };
  } finally {
    // The output is read before the folder goes.
    setImmediate(() => rmSync(folder, { recursive: true, force: true }));
  }
}

/** Verifies the (first) Signature of `message`, with the signer's certificate, or with one from its KeyInfo that `ca` issued. */
export function verify(message, certificate, ca) {
  const signer = certificate === undefined ? [] : ['--pubkey-cert-pem', certificate];
  const args = ['--verify', ...ids, ...signer, '--trusted-pem', ca, '@/message.xml'];
  return xmlsec1(args, { 'message.xml': message });
}

/** Fills a Signature template (RSA, keys given). @returns { ok, error, read() } */
export function sign(template, key) {
  return xmlsec1(['--sign', ...ids, '--privkey-pem', key, '--output', '@/output.xml', '@/template.xml'], {
    'template.xml': template,
  });
}

/** Decrypts; the EncryptedKey must stand in the KeyInfo of the EncryptedData. */
export function decrypt(message, key) {
  return xmlsec1(['--decrypt', '--privkey-pem', key, '--output', '@/output.xml', '@/message.xml'], {
    'message.xml': message,
  });
}

/** Encrypts the content of the element that `xpath` finds, by an EncryptedData template. */
export function encrypt(template, plain, xpath, certificate, sessionKey) {
  const args = [
    '--encrypt',
    '--pubkey-cert-pem',
    certificate,
    '--session-key',
    sessionKey,
    '--xml-data',
    '@/plain.xml',
  ];
  return xmlsec1([...args, '--node-xpath', xpath, '--output', '@/output.xml', '@/template.xml'], {
    'template.xml': template,
    'plain.xml': plain,
  });
}
