import type { CountersignError } from '../core/errors.js';
import {
  operatorLine,
  refusalFields,
  type Exchange,
  type Refusal,
  type TimingRecord,
} from '../pipeline/index.js';
import type { Journal } from './handler-context.js';
import type { Log } from './log.js';
import type { Metrics } from './metrics.js';
import { recordLine } from './record-line.js';

/** Peers choose some of the fields: no line grows without bounds (research/security.md LOG-01). */
const LONGEST = 2_000;

export interface JournalPlan {
  readonly log: Log;
  readonly metrics: Metrics;
  /** Takes the operator's line of a refused message: standard error. */
  readonly stderr: (line: string) => void;
}

/** Tells the operator: log, standard error, metrics. */
export function openJournal({ log, metrics, stderr }: JournalPlan): Journal {
  return {
    record(record: TimingRecord, exchange: Exchange): void {
      metrics.record(record, exchange[record.chain]);
      log.line(recordLine(record));
    },
    refused(error: CountersignError, where: Refusal): void {
      metrics.refused.at(where.service, where.chain, error.code).value += 1;
      const fields = bounded(refusalFields(error, where));
      if (error.code === 'INTERNAL') log.error({ ...fields, stack: stackOf(error) }, 'refused');
      else log.warn(fields, 'refused');
      stderr(operatorLine(error, where).slice(0, LONGEST));
    },
    unsigned(error: CountersignError, where: Refusal): void {
      metrics.unsigned.at(where.service, error.code).value += 1;
      log.error(bounded(refusalFields(error, where)), 'fault sent unsigned');
      stderr(
        operatorLine(error, where)
          .replace(/^refused/, 'unsigned')
          .slice(0, LONGEST),
      );
    },
    observed(error: CountersignError, where: Refusal): void {
      metrics.observed.at(where.service, where.chain, error.code).value += 1;
      log.warn(bounded(refusalFields(error, where)), 'observed');
    },
  };
}

function bounded(fields: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'string' && value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value,
    ]),
  );
}

function stackOf(error: CountersignError): string {
  const { cause } = error;
  const origin = typeof cause === 'object' && cause !== null && 'stack' in cause ? cause.stack : error.stack;
  return String(origin);
}
