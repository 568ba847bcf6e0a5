/** Reads timing records (design/interface.md, Timing record) off log files, line by line. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { CountersignError } from '../../core/errors.js';
import { fileProblem } from '../../core/file-problem.js';

/** What of a record is needed. */
export interface Exchange {
  readonly id: string;
  readonly time: string;
  readonly service: string;
  readonly chain: string;
  readonly outcome: string;
  readonly provider: string;
  readonly operation: string;
  readonly peer: string;
  readonly total: number;
  readonly steps: readonly ExchangeStep[];
}

export interface ExchangeStep {
  readonly step: string;
  readonly us: number;
  /** The key that it used. */
  readonly key?: string;
  /** Microseconds of its parts. */
  readonly parts?: Readonly<Record<string, unknown>>;
}

export interface Selection {
  /** ISO times, or their beginnings; from `since` on, before `until`. */
  readonly since: string | undefined;
  readonly until: string | undefined;
}

/**
 * Calls `take` for each record of the log. Lines that are no timing records are passed over; a log has others too.
 *
 * @param file `-` for standard input
 * @throws CountersignError USAGE when the file cannot be read
 */
export async function readLog(
  file: string,
  selection: Selection,
  take: (exchange: Exchange) => void,
): Promise<void> {
  const input = file === '-' ? process.stdin : createReadStream(file);
  try {
    for await (const line of createInterface({ input, crlfDelay: Infinity })) {
      // most lines of other kinds are told without parsing them
      if (!line.includes('"exchange"')) continue;
      const exchange = toExchange(line);
      if (exchange !== undefined && selected(exchange, selection)) take(exchange);
    }
  } catch (cause) {
    throw new CountersignError('USAGE', `the log ${file} cannot be read: ${fileProblem(cause)}`, { cause });
  }
}

function selected({ time }: Exchange, { since, until }: Selection): boolean {
  return (since === undefined || time >= since) && (until === undefined || time < until);
}

function toExchange(line: string): Exchange | undefined {
  let record: unknown;
  try {
    record = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isMap(record) || record['msg'] !== 'exchange' || typeof record['total_us'] !== 'number')
    return undefined;
  const steps = Array.isArray(record['steps']) ? record['steps'].flatMap(toStep) : [];
  const text = (key: string): string => {
    const value = record[key];
    return typeof value === 'string' ? value : '(none)';
  };
  return {
    id: text('id'),
    time: text('time'),
    service: text('service'),
    chain: text('chain'),
    outcome: text('outcome'),
    provider: text('provider'),
    operation: text('operation'),
    peer: text('peer'),
    total: record['total_us'],
    steps,
  };
}

function toStep(value: unknown): ExchangeStep[] {
  if (!isMap(value)) return [];
  const { step, us, key, parts } = value;
  if (typeof step !== 'string' || typeof us !== 'number') return [];
  return [{ step, us, ...(typeof key === 'string' ? { key } : {}), ...(isMap(parts) ? { parts } : {}) }];
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
