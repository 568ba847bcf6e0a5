import { isoTime } from '../core/clock.js';
import type { StepRecord, StepTimer } from '../core/timer.js';
import type { Exchange } from './context.js';
import type { ChainKind } from './handler.js';

export type Outcome = 'ok' | 'refused' | 'fault' | 'error';

/** One line of the timing log (design/interface.md, Timing record). Times in whole microseconds. */
export interface TimingRecord {
  readonly msg: 'exchange';
  /** ISO 8601, UTC. */
  readonly time: string;
  readonly id: string;
  readonly service: string;
  readonly chain: ChainKind;
  readonly outcome: Outcome;
  readonly code?: string;
  /** The step that failed. */
  readonly step?: string;
  readonly provider: string;
  readonly operation?: string;
  readonly peer?: string;
  readonly bytes: { readonly in: number; readonly out: number };
  readonly total_us: number;
  /** Response records: from the last byte sent upstream to the first byte received. */
  readonly upstream_us?: number;
  readonly loop_us?: number;
  /** Process CPU; only in `process --timings` and benches. */
  readonly cpu_us?: number;
  readonly steps: readonly StepRecord[];
}

/** What the record is made of beside the timer and the exchange. */
export interface RecordInput {
  readonly chain: ChainKind;
  readonly outcome: Outcome;
  readonly code?: string | undefined;
  readonly step?: string | undefined;
  readonly provider: string;
  readonly bytes: { readonly in: number; readonly out: number };
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly upstreamMicros?: number | undefined;
  readonly loopMicros?: number | undefined;
  readonly cpuMicros?: number | undefined;
}

/** Makes the record of one direction of an exchange; ends the timer if that was not done before. */
export function timingRecord(exchange: Exchange, timer: StepTimer, input: RecordInput): TimingRecord {
  timer.finish();
  const facts = exchange[input.chain];
  return {
    msg: 'exchange',
    time: isoTime(input.at),
    id: exchange.id,
    service: exchange.service,
    chain: input.chain,
    outcome: input.outcome,
    ...optional('code', input.code),
    ...optional('step', input.step),
    provider: input.provider,
    ...optional('operation', facts.operation),
    ...optional('peer', facts.peer),
    bytes: input.bytes,
    total_us: timer.total(),
    ...optional('upstream_us', whole(input.upstreamMicros)),
    ...optional('loop_us', whole(input.loopMicros)),
    ...optional('cpu_us', whole(input.cpuMicros)),
    steps: timer.steps(),
  };
}

function optional<K extends string, V>(key: K, value: V | undefined): Partial<Record<K, V>> {
  if (value === undefined) return {};
  const entry: Partial<Record<K, V>> = {};
  entry[key] = value;
  return entry;
}

const whole = (micros: number | undefined): number | undefined =>
  micros === undefined ? undefined : Math.max(0, Math.floor(micros));
