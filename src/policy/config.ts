/**
 * A configuration as the gateway uses it: defaults filled in, paths absolute, durations in milliseconds, sizes in
 * bytes. Made by `loadConfig`; frozen by agreement. Types only.
 */
import type { Limits } from '../core/limits.js';

/** A place in a configuration file. Lines and columns count from 1. */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Where a secret is to be found; its value is read once, when it is needed (`readSecret`). */
export type Secret = { readonly env: string } | { readonly file: string };

/** Who may call. */
export type ClientRule = { readonly bearer: Secret } | { readonly address: string };

export interface ListenConfig {
  readonly host: string;
  readonly port: number;
  /** https with this key; with `clientCa` (PEM files) the caller's certificate is required. */
  readonly tls: { readonly key: string; readonly clientCa: readonly string[] } | undefined;
}

export interface AdminConfig {
  readonly host: string;
  readonly port: number;
  readonly bearer: Secret | undefined;
  readonly traceToken: Secret | undefined;
}

/** A key in files. */
export type FileHome =
  | {
      readonly store: 'p12';
      readonly file: string;
      readonly alias: string | undefined;
      readonly password: Secret | undefined;
    }
  | {
      readonly store: 'pem';
      /** The certificate, followed by its issuers if it has any. */
      readonly certificate: string;
      /** Absent for a partner's certificate. */
      readonly key: string | undefined;
      readonly password: Secret | undefined;
    };

/** A key on a token; `uri` (RFC 7512) or `token` and `label`. */
export interface HsmHome {
  readonly module: string;
  readonly token: string | undefined;
  readonly label: string | undefined;
  readonly uri: string | undefined;
  readonly pin: Secret;
}

/** One entry of a key: a file home, one or more HSM homes of the same key, or both. */
export interface KeyEntryConfig {
  readonly file: FileHome | undefined;
  readonly hsm: readonly HsmHome[];
  /** Rollover: milliseconds since the epoch from which the entry is used. */
  readonly from: number | undefined;
  readonly at: Position;
}

export interface KeyConfig {
  readonly name: string;
  readonly entries: readonly KeyEntryConfig[];
  readonly at: Position;
}

export interface TrustConfig {
  readonly name: string;
  /** PEM files of CA certificates. */
  readonly anchors: readonly string[];
  /** PEM files of pinned certificates. */
  readonly certificates: readonly string[];
  readonly subjects: readonly string[];
  readonly anySubject: boolean;
  readonly at: Position;
}

/** The profile, and the exceptions from it as they are written: `rsa-sha1 for verify until 2027-06-30`. */
export interface AlgorithmsConfig {
  readonly profile: 'default' | 'legacy';
  readonly allow: readonly string[];
}

export type ProviderId = 'js' | 'openssl' | 'pkcs11';

export interface GatewayConfig {
  /** The gateway file; `(object)` for a configuration given as an object. */
  readonly file: string;
  readonly listen: ListenConfig;
  readonly clients: readonly ClientRule[];
  /** Open to everybody, said so by the policy. */
  readonly open: boolean;
  readonly admin: AdminConfig;
  readonly provider: ProviderId;
  readonly fallback: 'js' | 'openssl';
  readonly keys: ReadonlyMap<string, KeyConfig>;
  readonly trust: ReadonlyMap<string, TrustConfig>;
  readonly namespaces: Readonly<Record<string, string>>;
  readonly algorithms: AlgorithmsConfig;
  readonly limits: Limits;
  readonly replay: { readonly store: 'memory' };
}

export interface UpstreamConfig {
  readonly url: string;
  readonly tls: { readonly ca: readonly string[]; readonly key: string | undefined } | undefined;
  readonly transport: 'undici' | 'legacy';
}

/** One step of a chain; `options` is the output of the step module's own schema. */
export interface StepConfig {
  readonly name: string;
  readonly options: unknown;
  readonly at: Position;
  /** Where the options stand in the file. */
  readonly path: readonly (string | number)[];
}

export type OnFault = 'require' | 'allow-unencrypted' | 'allow-unsigned' | 'allow-unsigned-with-detail';

export interface ChainConfig {
  readonly kind: 'request' | 'response';
  readonly header: {
    readonly role: string;
    readonly mustUnderstand: boolean;
    readonly existing: 'refuse' | 'merge';
  };
  readonly onFault: OnFault;
  readonly mode: 'enforce' | 'observe';
  /** Empty: the messages of this direction pass as they are. */
  readonly steps: readonly StepConfig[];
  readonly at: Position;
  /** Where the list of steps stands in its file: `['request']`, or `['request', 'steps']`. */
  readonly path: readonly (string | number)[];
}

export interface ServiceConfig {
  readonly name: string;
  readonly file: string;
  readonly path: string;
  readonly upstream: UpstreamConfig;
  /** Milliseconds. */
  readonly timeouts: { readonly connect: number; readonly response: number };
  /** A WSDL file to serve instead of the upstream's. */
  readonly wsdl: string | undefined;
  readonly attachments: 'refuse' | 'pass';
  /** The gateway's and the service's own. */
  readonly namespaces: Readonly<Record<string, string>>;
  readonly algorithms: AlgorithmsConfig;
  readonly limits: Limits;
  readonly request: ChainConfig;
  readonly response: ChainConfig;
}
