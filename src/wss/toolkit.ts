/** Everything that varies, in one immutable record. Types only. */
import type { Clock } from '../core/clock.js';
import type { RandomSource } from '../core/contracts.js';
import type { Limits } from '../core/limits.js';
import type { Crypto } from '../providers/contract.js';
import type { AlgorithmTable } from './algorithms/table.js';
import type { AlgorithmConstraints } from './constraints.js';
import type { CertificateReader } from './tokens/certificates.js';
import type { TokenTable } from './tokens/module.js';

export interface Toolkit {
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly crypto: Crypto;
  readonly limits: Limits;
  readonly algorithms: AlgorithmTable;
  readonly constraints: AlgorithmConstraints;
  readonly tokens: TokenTable;
  /** Reads the certificates of messages, and remembers them. */
  readonly certificates: CertificateReader;
}
