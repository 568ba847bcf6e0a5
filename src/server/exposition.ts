import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Metrics } from './metrics.js';
import { buckets, type Count, type Distribution, type Series } from './series.js';

/** A number that is looked up when it is asked for. */
export interface Reading {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly read: () => Iterable<{ readonly labels: readonly string[]; readonly value: number }>;
}

export interface Exposition {
  readonly contentType: string;
  text(): Promise<string>;
}

type Labels = Partial<Record<string, string | number>>;
interface Line {
  value: number;
  labels: Labels;
  metricName?: string;
}

/** What prom-client asks a metric for, answered from numbers that were gathered elsewhere. */
class Exposed extends Gauge {
  readonly #type: 'counter' | 'gauge' | 'histogram';
  readonly #about: { readonly name: string; readonly help: string };
  readonly #lines: () => Line[];

  constructor(
    about: { readonly name: string; readonly help: string },
    type: 'counter' | 'gauge' | 'histogram',
    lines: () => Line[],
  ) {
    super({ name: about.name, help: about.help, registers: [] });
    this.#type = type;
    this.#about = about;
    this.#lines = lines;
  }

  override get(): ReturnType<Gauge['get']> {
    // The typings know MetricType as an enum whose members are these names.
    const { name, help } = this.#about;
    const object = { name, help, type: this.#type, aggregator: 'sum', values: this.#lines() };
    return Promise.resolve(asMetricObject(object));
  }
}

type MetricObject = Awaited<ReturnType<Gauge['get']>>;

function asMetricObject(
  object: { readonly type: string; readonly aggregator: string } & object,
): MetricObject {
  return object as unknown as MetricObject;
}

/** Everything `/metrics` shows. Loaded at the first scrape: nothing of it is needed before. */
export function exposition(metrics: Metrics, readings: readonly Reading[]): Exposition {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const series of [metrics.exchange, metrics.step, metrics.part]) {
    registry.registerMetric(new Exposed(series, 'histogram', () => histogramLines(series)));
  }
  for (const series of [metrics.refused, metrics.observed, metrics.accepted, metrics.exceptions]) {
    registry.registerMetric(new Exposed(series, 'counter', () => counterLines(series)));
  }
  for (const reading of readings) {
    registry.registerMetric(new Exposed(reading, 'gauge', () => gaugeLines(reading)));
  }
  return { contentType: registry.contentType, text: () => registry.metrics() };
}

function labelled(names: readonly string[], values: readonly string[]): Labels {
  return Object.fromEntries(names.map((name, i) => [name, values[i] ?? '']));
}

function counterLines(series: Series<Count>): Line[] {
  return Array.from(series.entries(), ({ labels, value }) => ({
    labels: labelled(series.labels, labels),
    value: value.value,
  }));
}

function gaugeLines(reading: Reading): Line[] {
  return Array.from(reading.read(), ({ labels, value }) => ({
    labels: labelled(reading.labels, labels),
    value,
  }));
}

function histogramLines(series: Series<Distribution>): Line[] {
  const lines: Line[] = [];
  for (const { labels, value } of series.entries()) {
    const own = labelled(series.labels, labels);
    let below = 0;
    value.counts.forEach((count, i) => {
      below += count;
      lines.push({
        labels: { ...own, le: buckets[i] === undefined ? '+Inf' : String(buckets[i]) },
        value: below,
        metricName: `${series.name}_bucket`,
      });
    });
    lines.push({ labels: own, value: value.sum, metricName: `${series.name}_sum` });
    lines.push({ labels: own, value: value.count, metricName: `${series.name}_count` });
  }
  return lines;
}
