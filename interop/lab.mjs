/** Keys and policies for the interop cases, made by `countersign init` and written out as an owner would write them. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '..');
export const work = resolve(import.meta.dirname, '.work');
const cli = join(root, 'dist/cli/main.js');

/** Runs `countersign init` afresh. @returns paths of the keys */
export function makeLab() {
  const folder = join(work, 'lab');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  const made = spawnSync(process.execPath, [cli, 'init', folder], { encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`countersign init failed: ${made.stderr}`);
  const key = (name) => join(folder, 'keys', name);
  return {
    folder,
    key,
    password: readFileSync(key('password.txt'), 'utf8').trim(),
    order: readFileSync(join(folder, 'messages/order.xml')),
    wsdl: join(folder, 'wsdl/orders.wsdl'),
  };
}

const list = (steps) => (steps.length === 0 ? ' []' : `\n${steps.map((step) => `  - ${step}`).join('\n')}`);

const withRole = (role, steps) => `
  header: { role: "${role}" }
  steps:
${steps.map((step) => `    - ${step}`).join('\n')}`;

/**
 * Writes a configuration with one service `orders`.
 *
 * @param options { side: 'client' | 'server', request: string[], response: string[], allow?: string[], profile?, header? (role), own?, port?, upstream?, trust? }
 * @returns path of its countersign.yaml
 */
export function writeConfig(lab, name, options) {
  const folder = join(work, 'cases', name);
  mkdirSync(join(folder, 'services'), { recursive: true });
  const keys = '../../lab/keys';
  const other = options.side === 'client' ? 'server' : 'client';
  const trust = options.trust ?? `{ anchors: [${keys}/ca.pem], any-subject: true }`;
  writeFileSync(
    join(folder, 'countersign.yaml'),
    `listen: { host: 127.0.0.1, port: ${options.port ?? 0} }
admin: { host: 127.0.0.1, port: 0 }
keys:
  own: ${options.own ?? `{ store: p12, file: ${keys}/${options.side}.p12, password: { file: ${keys}/password.txt } }`}
  partner: { store: pem, certificate: ${keys}/${other}.pem }
trust:
  partners: ${trust}
namespaces: { o: urn:orders }
algorithms: { profile: ${options.profile ?? 'default'}${options.allow ? `, allow: [${options.allow.map((each) => `"${each}"`).join(', ')}]` : ''} }
services: services/*.yaml
`,
  );
  writeFileSync(
    join(folder, 'services/orders.yaml'),
    `path: /orders
upstream: ${options.upstream ?? 'http://127.0.0.1:9/'}
request:${options.header === undefined ? list(options.request) : withRole(options.header, options.request)}
response:${list(options.response)}
`,
  );
  return join(folder, 'countersign.yaml');
}

/** The library as it ships. */
export async function library() {
  if (!existsSync(join(root, 'dist/index.js'))) throw new Error('run `npm run build` first');
  return import(join(root, 'dist/index.js'));
}

/** The runner prints a table of cases: what a gateway logs of itself does not belong there. */
const silent = { info() {}, warn() {}, error() {}, line() {}, end() {} };

/** Runs one chain over one message. @returns { ok: true, bytes, evidence } or { ok: false, code, message } */
export async function processOnce(config, chain, bytes) {
  const { createGateway } = await library();
  const gateway = await createGateway({ config, log: silent });
  try {
    const out = await gateway.process('orders', chain, bytes);
    return { ok: true, bytes: Buffer.from(out.bytes), evidence: out.evidence };
  } catch (failure) {
    return { ok: false, code: failure.code ?? failure.name, message: failure.message };
  } finally {
    await gateway.close();
  }
}

/** The message without the wsu:Id attributes that signing put on it. */
export function bare(bytes) {
  return Buffer.from(bytes)
    .toString('utf8')
    .replace(/ xmlns:\w+="[^"]*wssecurity-utility[^"]*"/g, '')
    .replace(/ \w+:Id="[^"]*"/g, '');
}

/**
 * The sample order with a Timestamp, both signed by us.
 *
 * @param name of the configuration
 * @param reference how the key is named in the message
 * @param tamper changes the Body afterwards
 * @returns the message as text, or why there is none
 */
export async function signedOrder(lab, name, { reference = 'direct', tamper = false } = {}) {
  const config = writeConfig(lab, name, {
    side: 'client',
    request: ['timestamp', `sign: { key: own, parts: [timestamp, body], reference: ${reference} }`],
    response: [],
  });
  const out = await processOnce(config, 'request', lab.order);
  if (!out.ok) return { problem: `could not be made: ${out.code} ${out.message}` };
  const text = out.bytes.toString('utf8');
  if (!tamper) return { message: text };
  const message = text.replace(/<o:article>[^<]*/, '<o:article>changed');
  return message === text ? { problem: 'the sample order has no o:article to change' } : { message };
}
