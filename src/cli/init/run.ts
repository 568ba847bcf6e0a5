/** What `countersign init` does. */
import { mkdir, rmdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { systemClock } from '../../core/clock.js';
import { CountersignError } from '../../core/errors.js';
import { fileProblem } from '../../core/file-problem.js';
import { makePkcs12 } from './pkcs12.js';
import { type DevelopmentPki, makePki, randomSecret } from './pki.js';
import { clientGateway, clientService, type PolicyFacts, serverGateway, serverService } from './policies.js';
import { orderMessage, ordersWsdl } from './samples.js';

export interface InitRequest {
  readonly folder: string;
  /** RSA modulus. */
  readonly bits: number;
  /** Path of a PKCS#11 module. */
  readonly hsm?: string | undefined;
  readonly json?: boolean;
}

interface OutputFile {
  readonly path: string;
  readonly content: string | Uint8Array;
  /** Only the owner may read it. */
  readonly secret: boolean;
  readonly what: string;
}

/**
 * Writes the folder and prints what it wrote.
 *
 * @returns the exit code
 * @throws CountersignError USAGE when something is there already or cannot be written, PROVIDER_UNAVAILABLE, PROVIDER_FAILED (token)
 */
export async function runInit(request: InitRequest, print: (line: string) => void): Promise<number> {
  const { folder } = request;
  const hsm = request.hsm === undefined ? undefined : resolve(request.hsm);
  await refuseExisting(folder);
  // whether the place can be written is known before a token is filled
  const made = await makeFolder(resolve(folder));
  const pki = await makePki(request.bits, systemClock.now());
  const pin = hsm === undefined ? undefined : randomSecret(8);
  const token =
    hsm === undefined || pin === undefined
      ? undefined
      : {
          module: hsm,
          label: await fillToken(hsm, pin, pki).catch(async (error: unknown) => {
            for (const path of made) await rmdir(path);
            throw error;
          }),
        };
  const facts = { clientSubject: pki.client.subject, serverSubject: pki.server.subject, token };
  const files = [...(await keyFiles(pki)), ...pinFile(pin), ...policyFiles(facts)];
  for (const file of files) await write(folder, file);
  if (request.json === true) {
    const written = files.map(({ path, what }) => ({ file: join(folder, path), what }));
    print(JSON.stringify({ files: written, ...(token === undefined ? {} : { token }) }, undefined, 2));
    return 0;
  }
  for (const file of files) print(`${join(folder, file.path).padEnd(folder.length + 32)} ${file.what}`);
  if (token !== undefined)
    print(`token ${token.label}: keys client, server with their certificates (${token.module})`);
  print('');
  print('A development PKI: never trust its CA in production. Try:');
  print(
    `  countersign process --config ${join(folder, 'client/countersign.yaml')} --service orders --chain request < ${join(folder, 'messages/order.xml')}`,
  );
  return 0;
}

async function keyFiles(pki: DevelopmentPki): Promise<OutputFile[]> {
  const password = randomSecret(16);
  const files: OutputFile[] = [
    file('keys/ca.pem', pki.caPem, 'CA certificate; its private key was not kept'),
  ];
  for (const key of [pki.client, pki.server, pki.tls]) {
    files.push(file(`keys/${key.name}.key`, key.keyPem, 'private key, not encrypted', true));
    files.push(file(`keys/${key.name}.pem`, key.certificatePem, `certificate ${key.subject}`));
    if (key === pki.tls) continue;
    const store = await makePkcs12(key, pki.caPem, password);
    files.push(file(`keys/${key.name}.p12`, store, 'the same in PKCS#12, with the password', true));
  }
  return [...files, file('keys/password.txt', `${password}\n`, 'password of the .p12 files', true)];
}

function pinFile(pin: string | undefined): OutputFile[] {
  return pin === undefined ? [] : [file('keys/pin.txt', `${pin}\n`, 'PIN of the token', true)];
}

function policyFiles(facts: PolicyFacts): OutputFile[] {
  return [
    file('client/countersign.yaml', clientGateway(facts), 'client-side gateway, port 8080'),
    file('client/services/orders.yaml', clientService, 'protects requests, checks answers'),
    file('server/countersign.yaml', serverGateway(facts), 'server-side gateway, port 8081'),
    file('server/services/orders.yaml', serverService, 'checks requests, protects answers'),
    file('wsdl/orders.wsdl', ordersWsdl, 'description of the sample service'),
    file('messages/order.xml', orderMessage, 'a sample request'),
  ];
}

function file(path: string, content: string | Uint8Array, what: string, secret = false): OutputFile {
  return { path, content, secret, what };
}

/** Puts the message keys into a new token. @returns the token's label */
async function fillToken(module: string, pin: string, pki: DevelopmentPki): Promise<string> {
  const { initialiseToken } = await import('../../providers/pkcs11/initialise.js');
  return initialiseToken({
    module,
    label: 'countersign',
    pin,
    officerPin: randomSecret(8),
    keys: [pki.client, pki.server].map(({ name, pkcs8, certificate, id }) => ({
      label: name,
      pkcs8,
      certificate,
      id,
    })),
  });
}

async function refuseExisting(folder: string): Promise<void> {
  for (const path of ['keys', 'client', 'server', 'wsdl', 'messages']) {
    if (await exists(join(folder, path))) {
      throw new CountersignError(
        'USAGE',
        `${join(folder, path)} exists; init overwrites nothing: name another folder`,
      );
    }
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch {
    return false;
  }
}

async function write(folder: string, output: OutputFile): Promise<void> {
  const path = resolve(folder, output.path);
  await makeFolder(dirname(path));
  try {
    await writeFile(path, output.content, { flag: 'wx', mode: output.secret ? 0o600 : 0o644 });
  } catch (cause) {
    throw cannot('write', path, cause);
  }
}

/**
 * Makes a folder and those above it, one by one: `mkdir` with `recursive` never returns where a file system takes no folders
 * (/proc, on Node 20).
 *
 * @returns what was not there before, innermost first
 */
async function makeFolder(path: string): Promise<string[]> {
  if (await exists(path)) return [];
  const above = dirname(path) === path ? [] : await makeFolder(dirname(path));
  try {
    await mkdir(path);
  } catch (cause) {
    throw cannot('make the folder', path, cause);
  }
  return [path, ...above];
}

function cannot(what: string, path: string, cause: unknown): CountersignError {
  return new CountersignError(
    'USAGE',
    `cannot ${what} ${path} (${fileProblem(cause)}): name another folder`,
    {
      cause,
    },
  );
}
