/** A zeep client with BinarySignature against a running server-side gateway; zeep verifies our signed answers. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { root, work, writeConfig } from '../lab.mjs';
import { call, prepare } from '../peers/zeep.mjs';

export const name = 'zeep';

const cli = join(root, 'dist/cli/main.js');
const verified = ['verify: { trust: partners, parts: [timestamp, body] }', 'check-timestamp', 'replay'];
const withoutTimestamp = ['verify: { trust: partners, parts: [body] }', 'replay: { keep: 10m }'];
const signed = ['timestamp', 'sign: { key: own, parts: [timestamp, body] }'];
const signedSha1 = [
  'timestamp',
  'sign: { key: own, parts: [timestamp, body], algorithm: rsa-sha1, digest: sha1 }',
];

const table = [
  { name: 'SHA-256, Timestamp by a plugin', request: verified, response: signed, flags: [], core: true },
  { name: 'SHA-256, no Timestamp', request: withoutTimestamp, response: signed, flags: ['--no-timestamp'] },
  {
    name: 'SHA-256, X509Data in the reference',
    request: verified,
    response: signed,
    flags: ['--plain-signature'],
  },
  {
    name: "zeep's own SHA-1 under legacy",
    request: verified,
    response: signedSha1,
    flags: ['--sha1'],
    profile: 'legacy',
  },
  {
    name: "zeep's own SHA-1 by default, refused",
    request: verified,
    response: signed,
    flags: ['--sha1'],
    refused: true,
    core: true,
  },
];

/** @returns the cases, or why there are none */
export async function cases(lab) {
  const missing = prepare(work);
  if (missing !== undefined) return { missing };
  return {
    cases: table.map((each, at) => ({
      name: each.name,
      direction: 'zeep ↔ Countersign',
      core: each.core,
      run: () => exchange(lab, each, 18_300 + at * 2),
    })),
  };
}

async function exchange(lab, each, port) {
  const { startOrdersService } = await import(join(root, 'dist/cli/demo/upstream.js'));
  const upstream = await startOrdersService({ port: port + 1 });
  const config = writeConfig(lab, `zeep-${port}`, {
    side: 'server',
    port,
    upstream: `http://127.0.0.1:${port + 1}/orders`,
    request: each.request,
    response: each.response,
    ...(each.profile && { profile: each.profile }),
  });
  const gateway = spawn(process.execPath, [cli, 'serve', '--config', config], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines = [];
  gateway.stdout.on('data', (chunk) => lines.push(chunk.toString('utf8')));
  gateway.stderr.on('data', (chunk) => lines.push(chunk.toString('utf8')));
  try {
    await listening(port, gateway);
    const answer = await call(work, {
      wsdl: lab.wsdl,
      endpoint: `http://127.0.0.1:${port}/orders`,
      key: lab.key('client.key'),
      certificate: lab.key('client.pem'),
      partner: lab.key('server.pem'),
      arguments: { customer: 'zeep', item: { article: 'analytical engine', quantity: 3 } },
      flags: each.flags,
    });
    return verdict(each, answer, upstream.count(), lines);
  } finally {
    gateway.kill('SIGTERM');
    await once(gateway, 'close');
    await upstream.close();
  }
}

function verdict(each, answer, delivered, lines) {
  if (each.refused) {
    return !answer.ok && delivered === 0 ? undefined : `accepted: ${JSON.stringify(answer)}`;
  }
  if (!answer.ok)
    return `${answer.error}: ${answer.message}\n${lines
      .join('')
      .split('\n')
      .filter((line) => line.startsWith('refused'))
      .join('\n')}`;
  return delivered === 1 ? undefined : `the service saw ${delivered} messages`;
}

async function listening(port, gateway) {
  for (let attempt = 0; attempt < 100; attempt++) {
    if (gateway.exitCode !== null) throw new Error('the gateway did not start');
    const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined);
    if (answer !== undefined) return;
    await new Promise((accept) => setTimeout(accept, 100));
  }
  throw new Error('the gateway does not listen');
}
