import type { HashName } from '../../core/contracts.js';
import type { AlgorithmStatus, SignatureDescriptor } from './descriptor.js';

/** A signature scheme whose algorithms differ by their hash alone. */
export interface HashedScheme {
  readonly clause: string;
  readonly key: 'RSA' | 'secret';
  readonly name: 'RSASSA-PKCS1-v1_5' | 'HMAC';
}

/** One algorithm of a scheme. */
export type HashedSignature = (
  id: string,
  hash: HashName,
  uri: string,
  status?: AlgorithmStatus,
) => SignatureDescriptor;

/** Makes the descriptors of a scheme. */
export const hashedSignature =
  ({ clause, key, name }: HashedScheme): HashedSignature =>
  (id, hash, uri, status = 'current') =>
    Object.freeze({
      kind: 'signature',
      id,
      uri,
      status,
      clause,
      key: Object.freeze({ kind: key }),
      algorithm: Object.freeze({ name, hash }),
    });
