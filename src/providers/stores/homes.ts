/** Where keys live, as the policy says it. Types only. A secret is a function: it is called only if its home is opened. */
import type { KeyHandle } from '../contract.js';

export type SecretValue = () => string;

/** A key in files. */
export type FileHomeInput =
  | {
      readonly store: 'p12';
      readonly file: string;
      /** friendlyName of the entry; undefined: the only key of the store. */
      readonly alias: string | undefined;
      readonly password: SecretValue | undefined;
    }
  | {
      readonly store: 'pem';
      /** The certificate, its issuers after it. */
      readonly certificate: string;
      /** Undefined: a partner's certificate, or a key whose private half is on a token. */
      readonly key: string | undefined;
      readonly password: SecretValue | undefined;
    };

/** A key on a token: `token` and `label`, or `uri` (RFC 7512). */
export interface HsmHomeInput {
  readonly module: string;
  readonly token: string | undefined;
  readonly label: string | undefined;
  readonly uri: string | undefined;
  readonly pin: SecretValue;
}

export interface KeyEntryDeclaration {
  readonly file: FileHomeInput | undefined;
  /** Several hold the same key and share the load. */
  readonly hsm: readonly HsmHomeInput[];
  /** Rollover: milliseconds since the epoch. */
  readonly from: number | undefined;
}

export interface KeyDeclaration {
  readonly name: string;
  readonly entries: readonly KeyEntryDeclaration[];
}

/** A key that was found on a token. */
export interface TokenKey {
  readonly privateKey: KeyHandle;
  /** DER of the certificates next to the key; may be empty. */
  readonly certificates: readonly Uint8Array[];
  /** SubjectPublicKeyInfo of the key where the token tells it. */
  readonly spki: Uint8Array | undefined;
}

/** The side of a token provider that finds keys. */
export interface TokenOpener {
  /** @throws CountersignError PROVIDER_UNAVAILABLE, KEY_ALIAS_MISSING, KEY_MISMATCH, KEY_PASSWORD_WRONG */
  openKey(homes: readonly HsmHomeInput[]): Promise<TokenKey>;
}
