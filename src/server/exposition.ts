import { collectDefaultMetrics, Registry } from 'prom-client';
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

/** Milliseconds in which Node's monitor of the event loop, which looks every ten, has something to tell. */
const FIRST_LOOKS = 50;

/**
 * Everything `/metrics` shows. Loaded at the first scrape: nothing of it is needed before, and the monitor of the event
 * loop wakes an idle process a hundred times a second.
 */
export function exposition(metrics: Metrics, readings: readonly Reading[]): Exposition {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  // Before its first look the monitor says that the shortest delay was 292 years, and that the mean is no number.
  const ready = new Promise((resolve) => setTimeout(resolve, FIRST_LOOKS));
  return {
    contentType: registry.contentType,
    async text() {
      await ready;
      const own = [
        ...metrics.distributions.map((series) => block(series, 'histogram', histogramLines(series))),
        ...metrics.counts.map((series) => block(series, 'counter', counterLines(series))),
        ...readings.map((reading) => block(reading, 'gauge', gaugeLines(reading))),
      ];
      return `${own.join('\n')}\n${await registry.metrics()}`;
    },
  };
}

interface About {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
}

/** A metric in the text format 0.0.4 of Prometheus. */
function block(
  { name, help }: About,
  type: 'counter' | 'gauge' | 'histogram',
  lines: readonly string[],
): string {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n');
}

function line(
  name: string,
  labels: readonly (readonly [name: string, value: string])[],
  value: number,
): string {
  const pairs = labels.map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}{${pairs.join(',')}} ${value}`;
}

const escaped = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');

const paired = (names: readonly string[], values: readonly string[]): (readonly [string, string])[] =>
  names.map((name, i) => [name, values[i] ?? '']);

function counterLines(series: Series<Count>): string[] {
  return Array.from(series.entries(), ({ labels, value }) =>
    line(series.name, paired(series.labels, labels), value.value),
  );
}

function gaugeLines({ name, labels: names, read }: Reading): string[] {
  return Array.from(read(), ({ labels, value }) => line(name, paired(names, labels), value));
}

function histogramLines(series: Series<Distribution>): string[] {
  const lines: string[] = [];
  for (const { labels, value } of series.entries()) {
    const own = paired(series.labels, labels);
    let below = 0;
    value.counts.forEach((count, i) => {
      below += count;
      lines.push(line(`${series.name}_bucket`, [...own, ['le', String(buckets[i] ?? '+Inf')]], below));
    });
    lines.push(line(`${series.name}_sum`, own, value.sum), line(`${series.name}_count`, own, value.count));
  }
  return lines;
}
