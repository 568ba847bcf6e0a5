/** The few shapes that layers share. Types only. */

/** Hash functions by their Web Crypto names, and those that Web Crypto does not have. */
export type HashName =
  'SHA-1' | 'SHA-224' | 'SHA-256' | 'SHA-384' | 'SHA-512' | 'SHA3-224' | 'SHA3-256' | 'SHA3-384' | 'SHA3-512';

/** A running hash. */
export interface Digester {
  update(bytes: Uint8Array): void;
  /** Ends the hash; the digester cannot be used again. */
  digest(): Uint8Array;
}

/** Takes canonical octets as they are made. */
export interface ByteSink {
  /**
   * @param bytes only good during the call
   * @param last nothing follows; not always known, so that the end of canonicalisation counts
   */
  write(bytes: Uint8Array, last: boolean): void;
}

/** Hashes `bytes` at once. */
export type DigestFunction = (hash: HashName, bytes: Uint8Array) => Uint8Array;

/** What a signature over a certificate is checked with; `pki` gets it as an argument and imports no crypto. */
export type VerifyFunction = (
  algorithm: SignatureAlgorithm,
  spki: Uint8Array,
  signature: Uint8Array,
  data: Uint8Array,
) => boolean;

/** Signature algorithm records, in the style of the Web Crypto API. */
export type SignatureAlgorithm =
  | { readonly name: 'RSASSA-PKCS1-v1_5'; readonly hash: HashName }
  | {
      readonly name: 'RSA-PSS';
      readonly hash: HashName;
      readonly mgfHash: HashName;
      readonly saltLength: number;
    }
  | { readonly name: 'ECDSA'; readonly hash: HashName; readonly format: 'p1363' | 'der' }
  | { readonly name: 'Ed25519' }
  | { readonly name: 'HMAC'; readonly hash: HashName };

/** Where random bytes come from. */
export interface RandomSource {
  /** Fresh random bytes, never handed out twice. */
  bytes(length: number): Uint8Array;
}
