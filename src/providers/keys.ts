/** Keys as the layers above see them. Types only. */
import type { Certificate } from '../pki/types.js';
import type { KeyHandle } from './contract.js';

/** One opened key: certificate, chain and handles. */
export interface KeyEntry {
  readonly certificate: Certificate;
  /** The issuers that the store holds, nearest first; the leaf is not among them. */
  readonly chain: readonly Certificate[];
  readonly publicKey: KeyHandle;
  /** Absent where the policy gives only a certificate (a partner to encrypt to). */
  readonly privateKey: KeyHandle | undefined;
  /** Milliseconds since the epoch from which the entry is used (rollover); undefined = from always. */
  readonly from: number | undefined;
}

/** A key of the policy: one entry, or several in rollover. */
export interface KeyRing {
  readonly name: string;
  readonly entries: readonly KeyEntry[];
}
