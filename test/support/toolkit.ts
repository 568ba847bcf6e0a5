/** A toolkit on the openssl provider, keys opened in it, and small messages: for tests of `wss`. */
import { basename } from 'node:path';
import { fixedClock } from '#src/core/clock.js';
import { defaultLimits, type Limits } from '#src/core/limits.js';
import { createRandom } from '#src/core/random.js';
import { createCrypto, type KeyEntry, type KeyRing } from '#src/providers/index.js';
import { createOpenssl } from '#src/providers/openssl/provider.js';
import { readFileHome } from '#src/providers/stores/read.js';
import * as algorithms from '#src/wss/algorithms/builtin.js';
import { makeAlgorithmTable } from '#src/wss/algorithms/table.js';
import { compileConstraints, type ExceptionUse } from '#src/wss/constraints.js';
import { idRules } from '#src/wss/ids.js';
import * as tokens from '#src/wss/tokens/builtin.js';
import { createCertificateReader } from '#src/wss/tokens/certificates.js';
import { makeTokenTable } from '#src/wss/tokens/module.js';
import type { Toolkit } from '#src/wss/toolkit.js';
import { ns, parseDocument, type XmlDocument } from '#src/xml/index.js';
import { type TestKeyName, testKey, testNow } from './pki.js';

export interface TestToolkitOptions {
  readonly profile?: 'default' | 'legacy';
  readonly allow?: readonly string[];
  /** Milliseconds since the epoch; `testNow` if not given. */
  readonly now?: number;
  readonly limits?: Partial<Limits>;
  readonly onException?: (use: ExceptionUse) => void;
}

export async function testToolkit(options: TestToolkitOptions = {}): Promise<Toolkit> {
  const provider = createOpenssl();
  await provider.open();
  const table = makeAlgorithmTable(algorithms);
  const constraints = compileConstraints({
    profile: options.profile ?? 'default',
    allow: options.allow ?? [],
    table,
    ...(options.onException === undefined ? {} : { onException: options.onException }),
  });
  return Object.freeze({
    clock: fixedClock(options.now ?? testNow),
    random: createRandom(),
    crypto: createCrypto({ public: provider, private: [provider] }),
    limits: { ...defaultLimits, ...options.limits },
    algorithms: table,
    constraints,
    certificates: createCertificateReader(),
    tokens: makeTokenTable(tokens),
  });
}

/** One test key opened in a provider of its own (openssl handles are good in any toolkit on openssl). */
export async function testEntry(toolkit: Toolkit, name: TestKeyName): Promise<KeyEntry> {
  const key = testKey(name);
  const provider = createOpenssl();
  return {
    certificate: key.certificate,
    chain: [],
    publicKey: toolkit.crypto.importPublicKey(key.certificate.spki),
    privateKey: await provider.privateOperations?.importPrivateKey?.(key.pkcs8),
    from: undefined,
  };
}

export async function testRing(toolkit: Toolkit, ...names: TestKeyName[]): Promise<KeyRing> {
  return {
    name: names[0] ?? 'none',
    entries: await Promise.all(names.map((name) => testEntry(toolkit, name))),
  };
}

/** Parses with the ids of WS-Security and the default limits. */
export function parseMessage(message: string | Uint8Array, limits: Limits = defaultLimits): XmlDocument {
  const bytes = typeof message === 'string' ? Buffer.from(message) : message;
  return parseDocument(bytes, { limits, ids: idRules });
}

/** An envelope with prefix `soap`; `header` undefined: no Header at all. */
export function soap(body: string, header?: string, version: '1.1' | '1.2' = '1.1'): string {
  const namespace = version === '1.1' ? ns.soap11 : ns.soap12;
  const block = header === undefined ? '' : `<soap:Header>${header}</soap:Header>`;
  return `<soap:Envelope xmlns:soap="${namespace}">${block}<soap:Body>${body}</soap:Body></soap:Envelope>`;
}

/** What the document looks like now. */
export function rendered(document: XmlDocument): string {
  return Buffer.concat(document.render().slices).toString();
}

/** The code that an action is refused with, or `accepted`. */
export async function outcome(action: () => unknown): Promise<string> {
  try {
    await action();
  } catch (error) {
    if (typeof error === 'object' && error !== null && 'code' in error) return String(error.code);
    throw error;
  }
  return 'accepted';
}

/** A ring of one key from a PKCS#12 file. */
export async function ringFromPkcs12(toolkit: Toolkit, file: string, password: string): Promise<KeyRing> {
  const { certificate, pkcs8 } = await readFileHome(file, {
    store: 'p12',
    file,
    alias: undefined,
    password: () => password,
  });
  const privateKey =
    pkcs8 === undefined ? undefined : await createOpenssl().privateOperations?.importPrivateKey?.(pkcs8);
  const publicKey = toolkit.crypto.importPublicKey(certificate.spki);
  return {
    name: basename(file),
    entries: [{ certificate, chain: [], publicKey, privateKey, from: undefined }],
  };
}
