/** Upper bounds of the histograms, in seconds: from 50 µs to 10 s (design/interface.md). */
export const buckets: readonly number[] = Object.freeze([
  0.00005, 0.0001, 0.0002, 0.0003, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10,
]);

/** One line of a series: what was counted under a set of label values. */
export class Distribution {
  /** Observations per bucket, not cumulative; the last is above every bound. */
  readonly counts: number[] = new Array<number>(buckets.length + 1).fill(0);
  sum = 0;
  count = 0;

  observe(seconds: number): void {
    let bucket = 0;
    while (bucket < buckets.length && seconds > (buckets[bucket] ?? 0)) bucket += 1;
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    this.sum += seconds;
    this.count += 1;
  }

  /** Takes in what was observed elsewhere. */
  add(other: { readonly counts: readonly number[]; readonly sum: number; readonly count: number }): void {
    other.counts.forEach((count, i) => {
      this.counts[i] = (this.counts[i] ?? 0) + count;
    });
    this.sum += other.sum;
    this.count += other.count;
  }
}

/** A number that only grows. */
export class Count {
  value = 0;
}

/** A metric: values by label. Label values come from the configuration and closed tables, so that there are few. */
export class Series<T> {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly #create: () => T;
  readonly #values = new Map<string, { readonly labels: readonly string[]; readonly value: T }>();

  constructor(
    metric: { readonly name: string; readonly help: string; readonly labels: readonly string[] },
    create: () => T,
  ) {
    this.name = metric.name;
    this.help = metric.help;
    this.labels = metric.labels;
    this.#create = create;
  }

  /** The value under these labels, in the order of `labels`; callers on the hot path keep it. */
  at(...labels: readonly string[]): T {
    const key = labels.join('\n');
    let entry = this.#values.get(key);
    if (entry === undefined) {
      entry = { labels, value: this.#create() };
      this.#values.set(key, entry);
    }
    return entry.value;
  }

  /** Forgets every value. */
  clear(): void {
    this.#values.clear();
  }

  entries(): Iterable<{ readonly labels: readonly string[]; readonly value: T }> {
    return this.#values.values();
  }
}

export const histogram = (name: string, help: string, labels: readonly string[]): Series<Distribution> =>
  new Series({ name, help, labels }, () => new Distribution());

export const counter = (name: string, help: string, labels: readonly string[]): Series<Count> =>
  new Series({ name, help, labels }, () => new Count());
