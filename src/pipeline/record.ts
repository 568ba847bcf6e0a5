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
  // Built member by member, in the order of the line: it is made twice for every exchange.
  const record: { -readonly [K in keyof TimingRecord]?: TimingRecord[K] } = {
    msg: 'exchange',
    time: isoTime(input.at),
    id: exchange.id,
    service: exchange.service,
    chain: input.chain,
    outcome: input.outcome,
  };
  if (input.code !== undefined) record.code = input.code;
  if (input.step !== undefined) record.step = input.step;
  record.provider = input.provider;
  if (facts.operation !== undefined) record.operation = facts.operation;
  if (facts.peer !== undefined) record.peer = facts.peer;
  record.bytes = input.bytes;
  record.total_us = timer.total();
  if (input.upstreamMicros !== undefined) record.upstream_us = whole(input.upstreamMicros);
  if (input.loopMicros !== undefined) record.loop_us = whole(input.loopMicros);
  if (input.cpuMicros !== undefined) record.cpu_us = whole(input.cpuMicros);
  record.steps = timer.steps(input.provider);
  return record as TimingRecord;
}

const whole = (micros: number): number => Math.max(0, Math.floor(micros));
