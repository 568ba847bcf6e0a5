/** The product's chains for the benches: the sample policies of `countersign init`, loaded through the library. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const cli = join(root, 'dist/cli/main.js');

/**
 * @param provider id
 * @param options { classic: 3DES and RSA-1.5 instead of AES-GCM and OAEP }
 * @returns { lab, send(message), receive(message), check(message), protect(message), close() }; send and receive give
 *   functions that do the work n times
 */
export async function makeChains(provider, { classic }) {
  const lab = makeLab(classic);
  const { createGateway } = await import(join(root, 'dist/index.js'));
  const client = await createGateway({ config: join(lab.folder, 'client/countersign.yaml'), provider });
  const server = await createGateway({ config: join(lab.folder, 'server/countersign.yaml'), provider });
  const protect = async (message) => {
    const { bytes } = await client.process('orders', 'request', message);
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  };

  return {
    lab,
    classic,
    protect,
    send: (message) => async (n) => {
      for (let i = 0; i < n; i++) await client.process('orders', 'request', message);
    },
    receive: (message) => receiver(server, protect, message),
    /** The output must be right before it is timed: what is received is what was sent. */
    async check(message) {
      const out = Buffer.from(
        (await server.process('orders', 'request', await protect(message))).bytes,
      ).toString('utf8');
      const plain = out.replace(/ xmlns:wsu="[^"]*"/g, '').replace(/ wsu:Id="[^"]*"/g, '');
      // An empty Header goes with the Security header (policy.md, What is forwarded).
      if (plain !== message.toString('utf8').replace('<soap:Header/>', ''))
        throw new Error('the received message is not the one that was sent');
    },
    async close() {
      await client.close();
      await server.close();
      rmSync(lab.base, { recursive: true, force: true });
    },
  };
}

/**
 * Each message can be received once only (replay), so a round's messages are made before its time is taken. They stand in
 * memory that is used again, as in the gateway: fresh memory for each would make V8 collect what is not ours.
 */
function receiver(server, protect, message) {
  const slots = [];
  const keep = (bytes, index) => {
    if ((slots[index]?.length ?? 0) < bytes.length)
      slots[index] = Buffer.allocUnsafeSlow(bytes.length + 1024);
    bytes.copy(slots[index]);
    return slots[index].subarray(0, bytes.length);
  };
  const receive = async (n) => {
    const messages = [];
    for (let i = 0; i < n; i++) messages.push(keep(await protect(message), i));
    const before = process.cpuUsage();
    for (const each of messages) await server.process('orders', 'request', each);
    const spent = process.cpuUsage(before);
    return spent.user + spent.system;
  };
  return receive;
}

function makeLab(classic) {
  const base = mkdtempSync(join(tmpdir(), 'countersign-perf-'));
  const folder = join(base, 'lab');
  const made = spawnSync(process.execPath, [cli, 'init', folder], { encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`countersign init failed: ${made.stderr}`);
  if (classic) {
    for (const side of ['client', 'server']) makeClassic(join(folder, side));
  }
  const key = (name) => join(folder, 'keys', name);
  return { base, folder, key, password: readFileSync(key('password.txt'), 'utf8').trim() };
}

function makeClassic(folder) {
  const gateway = join(folder, 'countersign.yaml');
  const service = join(folder, 'services/orders.yaml');
  const text = readFileSync(gateway, 'utf8');
  writeFileSync(
    gateway,
    /^algorithms:.*$/m.test(text)
      ? text.replace(/^algorithms:.*$/m, 'algorithms: { profile: legacy }')
      : `${text}\nalgorithms: { profile: legacy }\n`,
  );
  writeFileSync(
    service,
    readFileSync(service, 'utf8')
      .replace(
        /(encrypt: *\{[^}]*?)(, *algorithm: [\w-]+)?(, *key-transport: [\w-]+)? *\}/g,
        '$1, algorithm: 3des-cbc, key-transport: rsa-1_5 }',
      )
      .replace(/(decrypt: *\{[^}]*?) *\}/g, '$1, unauthenticated-cbc: true }'),
  );
}
