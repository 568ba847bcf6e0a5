/** From the shapes of the files to the configuration that the gateway uses. Nothing can fail here. */
import { dirname, resolve } from 'node:path';
import { defaultLimits, type Limits } from '../core/limits.js';
import { parseDuration, parseSize } from '../core/units.js';
import type * as config from './config.js';
import { parseInstant } from './schema/common.js';
import type * as shapes from './schema/shapes.js';
import type { Source } from './source.js';

type Resolve = (path: string) => string;

/** Paths of a file are relative to the file. @param base the folder, for a configuration given as an object */
export function pathsOf(file: string, base: string | undefined): Resolve {
  const folder = base ?? dirname(file);
  return (path) => resolve(folder, path);
}

/** @param provider says otherwise than the file */
export function resolveGateway(
  shape: shapes.GatewayShape,
  source: Source,
  paths: Resolve,
  provider: config.ProviderId = shape.provider,
): config.GatewayConfig {
  const { listen, admin } = shape;
  return {
    file: source.file,
    listen: {
      host: listen.host,
      port: listen.port,
      tls:
        listen.tls === undefined
          ? undefined
          : { key: listen.tls.key, clientCa: (listen.tls['client-ca'] ?? []).map(paths) },
    },
    clients: shape.clients.map((rule) =>
      'bearer' in rule ? { bearer: resolveSecret(rule.bearer, paths) } : { address: rule.address },
    ),
    open: shape.open || listen.open,
    admin: {
      host: admin.host,
      port: admin.port,
      bearer: optionalSecret(admin.bearer, paths),
      traceToken: optionalSecret(admin['trace-token'], paths),
    },
    provider,
    fallback: shape.fallback,
    keys: new Map(
      Object.entries(shape.keys).map(([name, key]) => [name, resolveKey(name, key, source, paths)]),
    ),
    trust: new Map(
      Object.entries(shape.trust).map(([name, trust]) => [name, resolveTrust(name, trust, source, paths)]),
    ),
    namespaces: shape.namespaces,
    algorithms: { profile: shape.algorithms.profile ?? 'default', allow: shape.algorithms.allow },
    limits: resolveLimits(shape.limits, defaultLimits),
    replay: { store: 'memory' },
  };
}

function resolveKey(
  name: string,
  key: shapes.KeyShape | readonly shapes.KeyShape[],
  source: Source,
  paths: Resolve,
): config.KeyConfig {
  const entry = (shape: shapes.KeyShape, path: (string | number)[]): config.KeyEntryConfig => {
    const hsm = shape.hsm === undefined ? [] : Array.isArray(shape.hsm) ? shape.hsm : [shape.hsm];
    return {
      file: resolveFileHome(shape, paths),
      hsm: hsm.map((home) => ({
        module: paths(home.module),
        token: home.token,
        label: home.label,
        uri: home.uri,
        pin: resolveSecret(home.pin, paths),
      })),
      from: shape.from === undefined ? undefined : parseInstant(shape.from),
      at: source.keyPlace(path).at,
    };
  };
  const entries = isList(key)
    ? key.map((shape, index) => entry(shape, ['keys', name, index]))
    : [entry(key, ['keys', name])];
  return { name, entries, at: source.keyPlace(['keys', name]).at };
}

const isList = <T>(value: T | readonly T[]): value is readonly T[] => Array.isArray(value);

function resolveFileHome(shape: shapes.KeyShape, paths: Resolve): config.FileHome | undefined {
  const password = optionalSecret(shape.password, paths);
  if (shape.store === 'p12' && shape.file !== undefined) {
    return { store: 'p12', file: paths(shape.file), alias: shape.alias, password };
  }
  if (shape.store === 'pem' && shape.certificate !== undefined) {
    const key = shape.key === undefined ? undefined : paths(shape.key);
    return { store: 'pem', certificate: paths(shape.certificate), key, password };
  }
  return undefined;
}

function resolveTrust(
  name: string,
  trust: shapes.TrustShape,
  source: Source,
  paths: Resolve,
): config.TrustConfig {
  return {
    name,
    anchors: (trust.anchors ?? []).map(paths),
    certificates: (trust.certificates ?? []).map(paths),
    subjects: trust.subjects ?? [],
    anySubject: trust['any-subject'],
    at: source.keyPlace(['trust', name]).at,
  };
}

/** What a service file says on top of the gateway's. */
export function resolveService(
  name: string,
  shape: shapes.ServiceShape,
  gateway: config.GatewayConfig,
  file: { readonly source: Source; readonly paths: Resolve },
  chains: { readonly request: config.ChainConfig; readonly response: config.ChainConfig },
): config.ServiceConfig {
  const { paths, source } = file;
  const upstream: shapes.UpstreamShape =
    typeof shape.upstream === 'string' ? { url: shape.upstream, transport: 'undici' } : shape.upstream;
  const secured = chains.request.steps.length + chains.response.steps.length > 0;
  return {
    name,
    file: source.file,
    path: shape.path,
    upstream: {
      url: upstream.url,
      tls:
        upstream.tls === undefined
          ? undefined
          : { ca: (upstream.tls.ca ?? []).map(paths), key: upstream.tls.key },
      transport: upstream.transport,
    },
    timeouts: {
      connect: parseDuration(shape.timeouts.connect),
      response: parseDuration(shape.timeouts.response),
    },
    wsdl: shape.wsdl === undefined ? undefined : paths(shape.wsdl),
    attachments: shape.attachments ?? (secured ? 'refuse' : 'pass'),
    namespaces: { ...gateway.namespaces, ...shape.namespaces },
    algorithms: {
      profile: shape.algorithms.profile ?? gateway.algorithms.profile,
      allow: [...gateway.algorithms.allow, ...shape.algorithms.allow],
    },
    limits: resolveLimits(shape.limits, gateway.limits),
    request: chains.request,
    response: chains.response,
  };
}

function resolveLimits(shape: shapes.LimitsShape, base: Limits): Limits {
  const own = Object.entries(shape).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, typeof value === 'number' ? value : parseSize(value)] as const],
  );
  return Object.freeze({ ...base, ...Object.fromEntries(own) });
}

const optionalSecret = (secret: shapes.SecretShape | undefined, paths: Resolve): config.Secret | undefined =>
  secret === undefined ? undefined : resolveSecret(secret, paths);

const resolveSecret = (secret: shapes.SecretShape, paths: Resolve): config.Secret =>
  'env' in secret ? { env: secret.env } : { file: paths(secret.file) };
