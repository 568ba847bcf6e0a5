/** What every exchange needs. Types only. */
import type { BufferPool } from '../core/buffers.js';
import type { Clock } from '../core/clock.js';
import type { CountersignError } from '../core/errors.js';
import type { Exchange, Refusal, TimingRecord } from '../pipeline/index.js';
import type { Admission } from './admission.js';
import type { Bounds } from './bounds.js';
import type { ClientGuard } from './clients.js';
import type { LoopWatch } from './loop-watch.js';
import type { Media } from './media.js';
import type { TokenCheck } from './tokens.js';

/** Takes what the operator is told. */
export interface Journal {
  /** One direction of an exchange is over. */
  record(record: TimingRecord, exchange: Exchange): void;
  /** A message was refused, or could not be handled. */
  refused(error: CountersignError, where: Refusal): void;
  /** A fault of the gateway's own went out unsigned, because signing it failed. */
  unsigned(error: CountersignError, where: Refusal): void;
  /** `mode: observe`: what would have been refused. */
  observed(error: CountersignError, where: Refusal): void;
}

export interface HandlerContext {
  readonly clock: Clock;
  readonly newId: () => string;
  readonly pool: BufferPool;
  readonly bounds: Bounds;
  readonly admission: Admission;
  readonly guard: ClientGuard;
  /** Whether a caller may see timings; undefined: nobody. */
  readonly trace: TokenCheck | undefined;
  readonly journal: Journal;
  readonly loop: LoopWatch;
  readonly readMedia: (contentType: string | undefined) => Media;
  /** Id of the provider, for the records. */
  readonly provider: string;
  /** True while the gateway is shutting down: answers end their connections. */
  draining: boolean;
}
