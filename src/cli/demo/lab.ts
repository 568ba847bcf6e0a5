import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { run } from './children.js';

/** Where everything of one demonstration is. */
export interface Lab {
  readonly folder: string;
  readonly clientConfig: string;
  readonly serverConfig: string;
  readonly wsdl: string;
  readonly order: Buffer;
  readonly ports: Ports;
  remove(): Promise<void>;
}

export type Ports = Readonly<
  Record<'client' | 'server' | 'upstream' | 'clientAdmin' | 'serverAdmin', number>
>;

/** The ports of the sample policies (`countersign init`). */
const usual: Ports = { client: 8080, server: 8081, upstream: 8082, clientAdmin: 9090, serverAdmin: 9091 };

/**
 * Makes a folder with a development PKI and the sample policies, by `countersign init` itself. Ports that are taken
 * are exchanged for free ones in the copies.
 *
 * @param module path of a PKCS#11 module; keys then also live on a token
 */
export async function makeLab(module: string | undefined): Promise<Lab> {
  const base = await mkdtemp(join(tmpdir(), 'countersign-demo-'));
  const folder = join(base, 'demo');
  const made = await run(['init', folder, ...(module === undefined ? [] : ['--hsm', module])]);
  if (made.code !== 0) throw new Error(`countersign init failed:\n${made.stderr}`);

  const ports = await freePorts();
  for (const side of ['client', 'server']) {
    for (const file of ['countersign.yaml', 'services/orders.yaml']) {
      await movePorts(resolve(folder, side, file), ports);
    }
  }
  return {
    folder,
    clientConfig: join(folder, 'client/countersign.yaml'),
    serverConfig: join(folder, 'server/countersign.yaml'),
    wsdl: join(folder, 'wsdl/orders.wsdl'),
    order: await readFile(join(folder, 'messages/order.xml')),
    ports,
    remove: () => rm(base, { recursive: true, force: true }),
  };
}

/**
 * A copy of the client's configuration that signs with the server's key: a valid certificate of the same
 * authority, but not of the client.
 */
export async function impostorConfig(lab: Lab): Promise<string> {
  const folder = join(lab.folder, 'impostor');
  await cp(join(lab.folder, 'client'), folder, { recursive: true });
  const file = join(folder, 'countersign.yaml');
  const text = await readFile(file, 'utf8');
  const changed = text
    .replaceAll('client.p12', 'server.p12')
    .replaceAll('label: client', 'label: server')
    .replaceAll('object=client', 'object=server');
  await writeFile(file, changed);
  return file;
}

async function movePorts(file: string, ports: Ports): Promise<void> {
  let text = await readFile(file, 'utf8');
  for (const name of Object.keys(usual) as (keyof Ports)[]) {
    if (ports[name] !== usual[name]) text = text.replaceAll(`${usual[name]}`, `${ports[name]}`);
  }
  await writeFile(file, text);
}

async function freePorts(): Promise<Ports> {
  const found: Record<keyof Ports, number> = { ...usual };
  for (const name of Object.keys(usual) as (keyof Ports)[]) {
    if (!(await isFree(usual[name]))) found[name] = await anyPort();
  }
  return found;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((accept) => {
    const probe = createServer();
    probe.once('error', () => accept(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => accept(true)));
  });
}

function anyPort(): Promise<number> {
  return new Promise((accept, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() =>
        typeof address === 'object' && address !== null ? accept(address.port) : reject(new Error('no port')),
      );
    });
  });
}
