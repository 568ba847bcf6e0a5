/** Percentiles and shares of steps. Values are kept exactly, four bytes each; no dates, no strings per exchange. */
import type { Exchange } from './read.js';

export const other = '(other)';

/** A growing list of whole numbers below 2³². */
class Numbers {
  #values: Uint32Array = new Uint32Array(64);
  length = 0;

  push(value: number): void {
    if (this.length === this.#values.length) {
      const larger = new Uint32Array(this.length * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.length++] = Math.min(0xffff_ffff, Math.max(0, Math.round(value)));
  }

  get(index: number): number {
    return this.#values[index] ?? 0;
  }

  sorted(): Uint32Array {
    return this.#values.slice(0, this.length).sort();
  }

  sum(): number {
    let sum = 0;
    for (let index = 0; index < this.length; index++) sum += this.get(index);
    return sum;
  }
}

/** One line of the table. Microseconds; shares from 0 to 1. */
export interface StepStatistics {
  readonly step: string;
  /** A part of the step; the step as a whole has none. */
  readonly part?: string;
  readonly count: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
  /** Of the time of all exchanges of the group. */
  readonly share: number;
  /** Of the time of the slowest 1 % of them. */
  readonly slowest: number;
}

export interface GroupStatistics {
  readonly service: string;
  readonly chain: string;
  /** The value of `--by`. */
  readonly by: string | undefined;
  readonly exchanges: number;
  /** The steps in the order in which they run, `(other)`, then the whole as `total`. */
  readonly steps: readonly StepStatistics[];
}

class Samples {
  readonly index: Numbers = new Numbers();
  readonly us: Numbers = new Numbers();
  readonly parts: Map<string, Samples> = new Map<string, Samples>();
}

/** The exchanges of one service and chain. */
class Group {
  readonly #totals = new Numbers();
  readonly #steps = new Map<string, Samples>();
  readonly #withParts: boolean;

  constructor(withParts: boolean) {
    this.#withParts = withParts;
  }

  add({ total, steps }: Exchange): void {
    const index = this.#totals.length;
    this.#totals.push(total);
    let rest = total;
    for (const { step, us, parts = {} } of steps) {
      const taken = take(this.#steps, step, index, us);
      rest -= us;
      if (!this.#withParts) continue;
      for (const [part, micros] of Object.entries(parts)) {
        if (typeof micros === 'number') take(taken.parts, part, index, micros);
      }
    }
    take(this.#steps, other, index, Math.max(0, rest));
  }

  get exchanges(): number {
    return this.#totals.length;
  }

  statistics(): StepStatistics[] {
    const totals = this.#totals.sorted();
    const threshold = percentile(totals, 99);
    const all = this.#totals.sum();
    const slow = totals.filter((total) => total >= threshold).reduce((sum, total) => sum + total, 0);
    const row = (step: string, { index, us }: Samples): StepStatistics => {
      const sorted = us.sorted();
      let within = 0;
      for (let at = 0; at < us.length; at++) {
        if (this.#totals.get(index.get(at)) >= threshold) within += us.get(at);
      }
      return { ...summary(step, sorted), share: ratio(us.sum(), all), slowest: ratio(within, slow) };
    };
    const names = [...this.#steps.keys()].filter((step) => step !== other);
    const rows = [...names, other].flatMap((step) => {
      const samples = this.#steps.get(step);
      if (samples === undefined) return [];
      const parts = [...samples.parts].map(([part, each]) => {
        const { step: name, ...figures } = row(step, each);
        return { step: name, part, ...figures };
      });
      return [row(step, samples), ...parts];
    });
    return [...rows, { ...summary('total', totals), share: ratio(all, all), slowest: ratio(slow, slow) }];
  }
}

function take(steps: Map<string, Samples>, name: string, index: number, us: number): Samples {
  let samples = steps.get(name);
  if (samples === undefined) {
    samples = new Samples();
    steps.set(name, samples);
  }
  samples.index.push(index);
  samples.us.push(us);
  return samples;
}

const ratio = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);

function summary(step: string, sorted: Uint32Array): Omit<StepStatistics, 'share' | 'slowest'> {
  return {
    step,
    count: sorted.length,
    p50: percentile(sorted, 50),
    p95: percentile(sorted, 95),
    p99: percentile(sorted, 99),
    max: sorted[sorted.length - 1] ?? 0,
  };
}

/** By nearest rank: the least value that so many per cent of the values do not exceed. */
export function percentile(sorted: ArrayLike<number>, percent: number): number {
  const rank = Math.max(1, Math.ceil((percent / 100) * sorted.length));
  return sorted[rank - 1] ?? 0;
}

export type GroupBy = 'peer' | 'operation' | 'provider';

/** Collects exchanges by service and chain, and by one of their fields. */
export class StepReport {
  readonly #by: GroupBy | undefined;
  readonly #slowest: number;
  readonly #withParts: boolean;
  readonly #groups = new Map<
    string,
    { service: string; chain: string; by: string | undefined; group: Group }
  >();
  #slow: Exchange[] = [];

  /**
   * @param slowest how many of the slowest exchanges are kept
   * @param withParts whether the parts of steps are told too
   */
  constructor(by: GroupBy | undefined, slowest = 0, withParts = false) {
    this.#by = by;
    this.#slowest = slowest;
    this.#withParts = withParts;
  }

  add(exchange: Exchange): void {
    const by = this.#by === undefined ? undefined : exchange[this.#by];
    const { service, chain } = exchange;
    const key = JSON.stringify([service, chain, by]);
    let entry = this.#groups.get(key);
    if (entry === undefined) {
      entry = { service, chain, by, group: new Group(this.#withParts) };
      this.#groups.set(key, entry);
    }
    entry.group.add(exchange);
    if (this.#slowest > 0) this.#keepSlow(exchange);
  }

  #keepSlow(exchange: Exchange): void {
    this.#slow.push(exchange);
    if (this.#slow.length >= this.#slowest * 2 + 64) this.#slow = this.slowest();
  }

  /** The slowest exchanges, the slowest first. */
  slowest(): Exchange[] {
    return [...this.#slow].sort((a, b) => b.total - a.total).slice(0, this.#slowest);
  }

  groups(): GroupStatistics[] {
    return [...this.#groups.values()]
      .map(({ group, ...rest }) => ({ ...rest, exchanges: group.exchanges, steps: group.statistics() }))
      .sort(
        (a, b) =>
          compareText(a.service, b.service) || compareText(a.chain, b.chain) || b.exchanges - a.exchanges,
      );
  }
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
