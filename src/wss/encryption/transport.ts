import { CountersignError } from '../../core/errors.js';
import type { AlgorithmTable } from '../algorithms/table.js';
import type { Transport } from './encrypted-key.js';

/** Key transport as a policy names it. */
export interface TransportOptions {
  readonly keyTransport: string;
  /** Policy id of the OAEP digest; the transport's own default if not given. */
  readonly digest?: string | undefined;
  /** Policy id of the mask hash: `sha256` for mgf1-sha256; `sha256` if not given. */
  readonly mgf?: string | undefined;
}

/**
 * The transport of a policy.
 *
 * @throws CountersignError POLICY_INVALID with `at` (the option), ALGORITHM_UNKNOWN
 */
export function makeTransport(options: TransportOptions, table: AlgorithmTable): Transport {
  const descriptor = table.byId(options.keyTransport, 'key-transport');
  const refuse = (at: 'digest' | 'mgf', why: string): CountersignError =>
    new CountersignError('POLICY_INVALID', `${at} means nothing with ${descriptor.id}: ${why}`, {
      details: { at },
    });
  if (descriptor.name === 'RSAES-PKCS1-v1_5') {
    if (options.digest !== undefined) throw refuse('digest', 'it has no hash');
    if (options.mgf !== undefined) throw refuse('mgf', 'it has no mask');
    return { descriptor, digest: undefined, mgf: undefined, label: undefined };
  }
  if (descriptor.mgf === 'sha1' && options.mgf !== undefined) throw refuse('mgf', 'its mask is always SHA-1');
  const digest = table.byId(options.digest ?? descriptor.defaultDigest ?? 'sha256', 'digest');
  const mask = descriptor.mgf === 'sha1' ? 'sha1' : (options.mgf ?? 'sha256');
  return { descriptor, digest, mgf: table.byId(`mgf1-${mask}`, 'mgf'), label: undefined };
}
