/** Configuration files as they are written, defaults filled in. Types only. */
import type { Limits } from '../../core/limits.js';

export type SecretShape = { env: string } | { file: string };

export type ClientShape = { bearer: SecretShape } | { address: string };

export interface HsmShape {
  module: string;
  token?: string | undefined;
  label?: string | undefined;
  uri?: string | undefined;
  pin: SecretShape;
}

export interface KeyShape {
  store?: 'p12' | 'pem' | undefined;
  file?: string | undefined;
  alias?: string | undefined;
  certificate?: string | undefined;
  key?: string | undefined;
  password?: SecretShape | undefined;
  hsm?: HsmShape | HsmShape[] | undefined;
  from?: string | undefined;
}

export interface TrustShape {
  anchors?: string[] | undefined;
  certificates?: string[] | undefined;
  crl?: string[] | undefined;
  subjects?: string[] | undefined;
  'any-subject': boolean;
}

export interface AlgorithmsShape {
  profile?: 'default' | 'legacy' | undefined;
  allow: string[];
}

export type LimitsShape = Partial<Record<keyof Limits, number | string | undefined>>;

export interface GatewayShape {
  listen: {
    host: string;
    port: number;
    tls?: { key: string; 'client-ca'?: string[] | undefined } | undefined;
    open: boolean;
  };
  clients: ClientShape[];
  open: boolean;
  admin: {
    host: string;
    port: number;
    bearer?: SecretShape | undefined;
    'trace-token'?: SecretShape | undefined;
  };
  provider: 'js' | 'openssl' | 'pkcs11';
  fallback: 'js' | 'openssl';
  keys: Record<string, KeyShape | KeyShape[]>;
  trust: Record<string, TrustShape>;
  namespaces: Record<string, string>;
  algorithms: AlgorithmsShape;
  limits: LimitsShape;
  replay: { store: 'memory' | 'lmdb' | 'redis' };
  services: string | Record<string, unknown>;
  documents?: unknown;
}

export interface ChainShape {
  header: { role: string; 'must-understand': boolean; existing: 'refuse' | 'merge' };
  'on-fault': 'require' | 'allow-unencrypted' | 'allow-unsigned' | 'allow-unsigned-with-detail';
  mode: 'enforce' | 'observe';
  steps?: unknown;
}

export interface UpstreamShape {
  url: string;
  tls?: { ca?: string[] | undefined; key?: string | undefined } | undefined;
  transport: 'undici' | 'legacy';
}

export interface ServiceShape {
  path: string;
  upstream: string | UpstreamShape;
  timeouts: { connect: string; response: string };
  wsdl?: string | undefined;
  attachments?: 'refuse' | 'pass' | undefined;
  namespaces: Record<string, string>;
  algorithms: AlgorithmsShape;
  limits: LimitsShape;
  /** Read by `chains.ts`. */
  request?: unknown;
  response?: unknown;
}
