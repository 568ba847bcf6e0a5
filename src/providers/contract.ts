/**
 * What a crypto provider is: operations on plain algorithm records and opaque key handles, in the style of the
 * Web Crypto API. Never a URI, an OpenSSL or a PKCS#11 name. Types only.
 *
 * Digest, symmetric and public-key work is synchronous; private-key work is asynchronous, because it may leave
 * the event loop (thread pool, token).
 */
import type { Digester, HashName, SignatureAlgorithm } from '../core/contracts.js';
import type { PartTimer } from '../core/timer.js';

export type { Digester, HashName, SignatureAlgorithm } from '../core/contracts.js';

/** Content encryption. `iv` is 12 bytes for GCM, 16 for AES-CBC, 8 for 3DES-CBC; the GCM tag is always 128 bits. */
export type CipherAlgorithm =
  | { readonly name: 'AES-GCM'; readonly iv: Uint8Array; readonly tagLength: 128 }
  | { readonly name: 'AES-CBC'; readonly iv: Uint8Array }
  | { readonly name: '3DES-CBC'; readonly iv: Uint8Array };

/** Key transport and key wrap. `label` absent means the empty label (XML Encryption 1.1 §5.5.2, OAEPparams). */
export type WrapAlgorithm =
  | {
      readonly name: 'RSA-OAEP';
      readonly hash: HashName;
      readonly mgfHash: HashName;
      readonly label?: Uint8Array;
    }
  | { readonly name: 'RSAES-PKCS1-v1_5' }
  | { readonly name: 'AES-KW' };

export type KeyKind = 'RSA' | 'EC' | 'Ed25519' | 'secret';
export type KeyUse = 'sign' | 'verify' | 'encrypt' | 'decrypt' | 'wrapKey' | 'unwrapKey';

/** Facts about a key that anyone may know. */
export interface KeyFacts {
  readonly kind: KeyKind;
  /** Modulus, field or key length in bits. */
  readonly bits: number;
  /** EC only: `P-256`, `P-384`, `P-521`. */
  readonly curve?: string;
}

/** An opaque key. Private bytes stay inside the provider that made it. */
export interface KeyHandle extends KeyFacts {
  readonly visibility: 'public' | 'private' | 'secret';
  /** Name of the provider that the handle belongs to; no other provider takes it. */
  readonly provider: string;
  readonly uses: readonly KeyUse[];
}

/**
 * A running cipher. Feed at most 48 KiB an `update` (see docs/adr); results are only good until the next call.
 * When decrypting, nothing that `update` gave may be used before `final` has returned.
 */
export interface Cipher {
  update(bytes: Uint8Array): Uint8Array;
  /**
   * Ends the work. Encrypting with GCM it returns what is left followed by the 16-byte tag; decrypting with GCM,
   * the tag must have been given to `createDecryptor`.
   *
   * @throws CountersignError DECRYPT_FAILED when the tag or the padding is wrong
   */
  final(): Uint8Array;
}

/** What `supports` is asked about. */
export type Operation =
  | { readonly use: 'sign' | 'verify'; readonly algorithm: SignatureAlgorithm }
  | { readonly use: 'encrypt' | 'decrypt'; readonly algorithm: Pick<CipherAlgorithm, 'name'> }
  | { readonly use: 'wrapKey' | 'unwrapKey'; readonly algorithm: WrapAlgorithm }
  | { readonly use: 'digest'; readonly hash: HashName };

/**
 * A crypto back end. It has public operations, private ones, or both. Any failure of the back end is one
 * `PROVIDER_FAILED`; all failures of `unwrapKey` and of decryption are one indistinguishable `DECRYPT_FAILED`.
 */
export interface CryptoProvider {
  /** The id by which a policy names it. */
  readonly name: string;
  /** Whether it can do `operation` (with a key of these facts, where one is concerned). */
  supports(operation: Operation, key?: KeyFacts): boolean;
  /** Loads modules, logs in. @throws CountersignError PROVIDER_UNAVAILABLE */
  open(): Promise<void>;
  close(): Promise<void>;
  readonly publicOperations?: PublicOperations;
  readonly privateOperations?: PrivateOperations;
}

/** Work that needs no private key. Synchronous; digest and ciphers are incremental. */
export interface PublicOperations {
  /** A public key from its SubjectPublicKeyInfo (DER). @throws CountersignError CERTIFICATE_MALFORMED */
  importPublicKey(spki: Uint8Array): KeyHandle;
  /** A secret key. The bytes are copied; the caller may wipe its own. */
  importSecretKey(bytes: Uint8Array): KeyHandle;

  digest(hash: HashName, bytes: Uint8Array): Uint8Array;
  createDigest(hash: HashName): Digester;

  /** An HMAC. */
  mac(hash: HashName, key: KeyHandle, data: Uint8Array): Uint8Array;

  /**
   * False for any signature that does not verify, however malformed, and for a key of another kind than the
   * algorithm's. HMACs are compared in constant time and whole: a truncated one is false.
   *
   * @throws CountersignError PROVIDER_FAILED for a handle that is not the provider's
   */
  verify(algorithm: SignatureAlgorithm, key: KeyHandle, signature: Uint8Array, data: Uint8Array): boolean;

  createEncryptor(algorithm: CipherAlgorithm, key: KeyHandle): Cipher;
  /**
   * `tag` is the 16-byte GCM tag; absent for CBC. CBC padding is XML Encryption's (1.1 §5.2): only the last byte counts.
   *
   * @throws CountersignError DECRYPT_FAILED when the tag is not 16 bytes or the key does not fit
   */
  createDecryptor(algorithm: CipherAlgorithm, key: KeyHandle, tag?: Uint8Array): Cipher;

  /**
   * Wraps the bytes of a fresh content key for a recipient (RSA) or under a secret key (AES-KW).
   *
   * @throws CountersignError PROVIDER_FAILED when the recipient's key is too short for it
   */
  wrapKey(algorithm: WrapAlgorithm, key: KeyHandle, keyBytes: Uint8Array): Uint8Array;
  /** Unwraps with a secret key (AES-KW). @throws CountersignError DECRYPT_FAILED */
  unwrapSecret(algorithm: WrapAlgorithm, key: KeyHandle, wrapped: Uint8Array): Uint8Array;
}

/** Work with private keys. Asynchronous. */
export interface PrivateOperations {
  /** How many operations run at a time: width of the thread pool, or of the session pool. */
  readonly width: number;
  /** A private key from PKCS#8 (DER, not encrypted). Providers whose keys live on a token do not have it. */
  importPrivateKey?(pkcs8: Uint8Array): Promise<KeyHandle>;
  /** @throws CountersignError PROVIDER_FAILED, OPERATION_UNSUPPORTED */
  sign(algorithm: SignatureAlgorithm, key: KeyHandle, data: Uint8Array): Promise<Uint8Array>;
  /**
   * Unwraps a content key of `bits` bits; a key of any other length fails like a wrong padding does. With
   * RSAES-PKCS1-v1_5 a wrong padding gives a random key of that length (implicit rejection), so that the failure
   * shows only when the content fails to decrypt. The caller imports the bytes and wipes them.
   *
   * @throws CountersignError DECRYPT_FAILED
   */
  unwrapKey(algorithm: WrapAlgorithm, key: KeyHandle, wrapped: Uint8Array, bits: number): Promise<Uint8Array>;
}

/**
 * What everything above the providers works with: public work on the provider that the policy names, private work
 * where the key lives, behind a queue as wide as that provider's `width`. Made by `router.ts`.
 */
export interface Crypto extends PublicOperations {
  /** Id of the provider that does public work. */
  readonly provider: string;
  /** Reports `wait` and `private-key` to `timer`. @throws as `PrivateOperations.sign` */
  sign(
    algorithm: SignatureAlgorithm,
    key: KeyHandle,
    data: Uint8Array,
    timer: PartTimer,
  ): Promise<Uint8Array>;
  /** Reports `wait` and `private-key`, and imports the result for public work. @throws CountersignError DECRYPT_FAILED */
  unwrapKey(
    algorithm: WrapAlgorithm,
    key: KeyHandle,
    wrapped: Uint8Array,
    bits: number,
    timer: PartTimer,
  ): Promise<KeyHandle>;
  supports(operation: Operation, key?: KeyFacts): boolean;
}
