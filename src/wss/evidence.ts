/**
 * Facts that inbound work establishes. Policy is asserted on these and on nothing else; the list is append-only,
 * and an empty list proves nothing. Elements are named by identity, never by id string or position. Types only.
 */
import type { Certificate } from '../pki/types.js';
import type { NodeId } from '../xml/index.js';

/** A Signature whose value, certificate and every reference digest were checked. */
export interface SignedFact {
  readonly kind: 'signed';
  /** Name of the verify step that took the Signature. */
  readonly step: string;
  readonly signature: NodeId;
  /** The referenced elements. Everything inside one of them is covered too. */
  readonly elements: readonly NodeId[];
  readonly certificate: Certificate;
  /** SHA-256 over canonical SignedInfo and signer, hexadecimal: what `replay` claims. */
  readonly replayId: string;
  /** Policy ids of the algorithms used, for log and counters. */
  readonly algorithms: readonly string[];
  /** Version of the document that the digests were taken of; see `DecryptedFact.version`. */
  readonly version: number;
}

/** Ciphertext that was decrypted and grafted into the document. */
export interface DecryptedFact {
  readonly kind: 'decrypted';
  readonly step: string;
  /**
   * `content`: all children of `target` were encrypted, nothing stood beside them. `part-of-content`: some were, other
   * elements or text stood beside them in the clear. `element`: `target` itself was.
   */
  readonly mode: 'content' | 'part-of-content' | 'element';
  readonly target: NodeId;
  /** The EncryptedData that stood there. */
  readonly encryptedData: NodeId;
  /** What the plaintext took the place of: the EncryptedData, or the EncryptedHeader around it. */
  readonly replaced: NodeId;
  /** Whether the cipher itself authenticates (GCM). */
  readonly authenticated: boolean;
  readonly algorithms: readonly string[];
  /** Version after the graft: a SignedFact with a smaller version signed the ciphertext, with a larger or equal one the plaintext. */
  readonly version: number;
}

/** A Timestamp that was read. Times in milliseconds since the epoch. */
export interface TimestampFact {
  readonly kind: 'timestamp';
  readonly element: NodeId;
  readonly created: number;
  readonly expires: number | undefined;
}

export type Evidence = SignedFact | DecryptedFact | TimestampFact;
