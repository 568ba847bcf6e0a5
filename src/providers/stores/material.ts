/** What a key file gives. Types only. */

/** One private key of a file, with the names that the file has for it. */
export interface StoredKey {
  /** PKCS#8 DER, not encrypted. Wiped by `openKey` once the provider has it. */
  readonly pkcs8: Uint8Array;
  readonly alias: string | undefined;
  /** PKCS#12 localKeyId, which its certificate repeats. */
  readonly id: Uint8Array | undefined;
}

export interface StoredCertificate {
  readonly der: Uint8Array;
  readonly alias: string | undefined;
  readonly id: Uint8Array | undefined;
}

/** Everything that a file holds, in its order. */
export interface KeyMaterial {
  readonly keys: readonly StoredKey[];
  readonly certificates: readonly StoredCertificate[];
}
