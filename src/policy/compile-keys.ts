/** Opens what a configuration names: keys, certificates of trusts, TLS material. Failures are findings, not exceptions. */
import type { Code } from '../core/codes.js';
import { CountersignError, isCountersignError } from '../core/errors.js';
import type { Certificate } from '../pki/types.js';
import {
  openKey,
  openTlsKey,
  readCertificates,
  selectForUse,
  type FileHomeInput,
  type KeyDeclaration,
  type KeyOpening,
  type KeyRing,
  type SecretValue,
  type TlsKey,
} from '../providers/index.js';
import type { FileHome, GatewayConfig, KeyConfig, Secret, ServiceConfig, TrustConfig } from './config.js';
import type { Finding } from './issues.js';
import { keyUses } from './rules/service.js';
import { readSecret } from './secrets.js';
import type { Path } from './source.js';

/** Opened things by name, and why others are not there. */
export interface Opened<T> {
  readonly values: ReadonlyMap<string, T>;
  /** Names that could not be opened, with the code of the reason. */
  readonly failed: ReadonlyMap<string, Code>;
  /** In the gateway file. */
  readonly findings: readonly Finding[];
}

/** Certificates of a trust. */
export interface TrustMaterial {
  readonly config: TrustConfig;
  readonly anchors: readonly Certificate[];
  readonly pinned: readonly Certificate[];
}

/** Opens one by one and keeps what fails apart. */
async function openAll<C, T>(
  items: Iterable<readonly [string, C]>,
  open: (name: string, item: C) => Promise<T>,
  path: (name: string, error: CountersignError) => Path,
): Promise<Opened<T>> {
  const values = new Map<string, T>();
  const failed = new Map<string, Code>();
  const findings: Finding[] = [];
  for (const [name, item] of items) {
    try {
      values.set(name, await open(name, item));
    } catch (error) {
      if (!isCountersignError(error)) throw error;
      failed.set(name, error.code);
      findings.push({ code: error.code, message: error.message, path: path(name, error), key: true });
    }
  }
  return { values, failed, findings };
}

/**
 * Opens the keys that chains use; those that only TLS uses stay in their file.
 *
 * @param offline tokens are not opened: keys that live on one are left out without a finding
 */
export async function openKeys(
  gateway: GatewayConfig,
  services: readonly ServiceConfig[],
  opening: KeyOpening,
  offline: boolean,
): Promise<Opened<KeyRing>> {
  const tls = new Set(tlsNames(gateway, services));
  const used = new Set(
    services.flatMap(({ request, response }) => [request, response].flatMap(keyUses)).map(({ name }) => name),
  );
  const wanted = [...gateway.keys].filter(([name]) => used.has(name) || !tls.has(name));
  const opened = await openAll(
    wanted,
    (_, key) => openKey(declareKey(key), opening),
    (name) => ['keys', name],
  );
  if (!offline) return opened;
  return { ...opened, findings: opened.findings.filter(({ code }) => code !== 'PROVIDER_UNAVAILABLE') };
}

/**
 * A key in rollover may be open and still have no entry that could sign or encrypt now: each message would be refused.
 *
 * @param now milliseconds since the epoch
 */
export function inForceRules(
  service: ServiceConfig,
  keys: ReadonlyMap<string, KeyRing>,
  now: number,
): Finding[] {
  return [service.request, service.response].flatMap(keyUses).flatMap(({ name, path }): Finding[] => {
    const ring = keys.get(name);
    const use = path.at(-1) === 'to' ? 'encrypt' : path.at(-2) === 'sign' ? 'sign' : undefined;
    if (ring === undefined || use === undefined) return [];
    try {
      selectForUse(ring, use, now);
      return [];
    } catch (error) {
      if (!isCountersignError(error)) throw error;
      const help = 'an entry is used from its from on; one without from is used until then';
      return [{ code: error.code, message: error.message, path, help }];
    }
  });
}

function tlsNames(gateway: GatewayConfig, services: readonly ServiceConfig[]): string[] {
  return [gateway.listen.tls?.key, ...services.map(({ upstream }) => upstream.tls?.key)].filter(
    (name) => name !== undefined,
  );
}

/** Keys of the TLS listener and towards upstreams. */
export function openTlsKeys(
  gateway: GatewayConfig,
  services: readonly ServiceConfig[],
): Promise<Opened<TlsKey>> {
  const names = [...new Set(tlsNames(gateway, services))];
  return openAll(
    names.map(
      (name) => [name, gateway.keys.get(name)?.entries.find(({ file }) => file !== undefined)] as const,
    ),
    (name, entry) => openTlsKey(name, entry?.file === undefined ? undefined : declareFile(entry.file)),
    (name) => ['keys', name],
  );
}

/** Certificates of the trusts. */
export function openTrusts(gateway: GatewayConfig): Promise<Opened<TrustMaterial>> {
  return openAll(
    gateway.trust,
    async (_, config) => ({
      config,
      anchors: await readAll(config.anchors, 'anchors'),
      pinned: await readAll(config.certificates, 'certificates'),
    }),
    (name, error) => {
      const { at } = error.details;
      return typeof at === 'string' ? ['trust', name, at] : ['trust', name];
    },
  );
}

async function readAll(files: readonly string[], at: string): Promise<Certificate[]> {
  const all: Certificate[] = [];
  for (const file of files) {
    try {
      all.push(...(await readCertificates(file)));
    } catch (error) {
      if (!isCountersignError(error)) throw error;
      throw new CountersignError(error.code, error.message, {
        cause: error,
        details: { ...error.details, at },
      });
    }
  }
  return all;
}

const lazy = (secret: Secret): SecretValue => {
  let value: string | undefined;
  return () => (value ??= readSecret(secret));
};

function declareFile(home: FileHome): FileHomeInput {
  return { ...home, password: home.password === undefined ? undefined : lazy(home.password) };
}

/** A key as the key stores take it; secrets are read when their home is opened, once. */
export function declareKey(key: KeyConfig): KeyDeclaration {
  return {
    name: key.name,
    entries: key.entries.map(({ file, hsm, from }) => ({
      file: file === undefined ? undefined : declareFile(file),
      hsm: hsm.map((home) => ({ ...home, pin: lazy(home.pin) })),
      from,
    })),
  };
}
