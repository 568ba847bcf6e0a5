import type { StepRecord } from '../core/timer.js';
import type { ChainKind, MessageFacts, Outcome, TimingRecord } from '../pipeline/index.js';
import type { ExceptionUse } from '../wss/index.js';
import { counter, histogram, type Count, type Distribution, type Series } from './series.js';

const MICROS = 1e-6;

/** The distributions of one step under one provider, looked up once. */
interface StepSeries {
  readonly whole: Distribution;
  readonly parts: Map<string, Distribution>;
}

/** Those of one direction of one service. */
interface ChainSeries {
  readonly steps: Map<string, StepSeries>;
  readonly outcomes: Map<Outcome, Distribution>;
}

/** What one process has counted, in the order of its series. */
export interface MetricsSnapshot {
  readonly distributions: readonly (readonly {
    readonly labels: readonly string[];
    readonly counts: readonly number[];
    readonly sum: number;
    readonly count: number;
  }[])[];
  readonly counts: readonly (readonly { readonly labels: readonly string[]; readonly value: number }[])[];
}

/** What the gateway counts. Gathered in plain numbers; `exposition.ts` writes them out when they are asked for. */
export class Metrics {
  readonly step: Series<Distribution> = histogram(
    'countersign_step_seconds',
    'Time in one step of a chain.',
    ['service', 'chain', 'step', 'provider'],
  );
  readonly part: Series<Distribution> = histogram('countersign_part_seconds', 'Time in one part of a step.', [
    'service',
    'chain',
    'step',
    'provider',
    'part',
  ]);
  readonly exchange: Series<Distribution> = histogram(
    'countersign_exchange_seconds',
    'Time of one direction of an exchange.',
    ['service', 'chain', 'outcome'],
  );
  readonly refused: Series<Count> = counter(
    'countersign_refused_total',
    'Messages refused or failed, by reason.',
    ['service', 'chain', 'code'],
  );
  readonly observed: Series<Count> = counter(
    'countersign_observed_total',
    'Messages that would have been refused (mode: observe).',
    ['service', 'chain', 'code'],
  );
  readonly unsigned: Series<Count> = counter(
    'countersign_unsigned_faults_total',
    'Faults of the gateway that went out unsigned, because signing them failed.',
    ['service', 'code'],
  );
  readonly exceptions: Series<Count> = counter(
    'countersign_algorithm_exceptions_total',
    'Uses of algorithms and keys that the policy allows by exception.',
    ['service', 'algorithm', 'use'],
  );
  readonly accepted: Series<Count> = counter(
    'countersign_accepted_total',
    'Things accepted by an exception or leniency of the policy: algorithms, faults, tokens.',
    ['service', 'chain', 'what'],
  );
  /** Counts a use of what the policy allows by exception. */
  readonly countException = (service: string, { id, use }: ExceptionUse): void => {
    this.exceptions.at(service, id, use).value += 1;
  };

  readonly #chains = new Map<string, Map<ChainKind, ChainSeries>>();

  record(record: TimingRecord, facts: MessageFacts): void {
    const chain = this.#chain(record.service, record.chain);
    for (const step of record.steps) this.#step(record, chain, step);
    let outcome = chain.outcomes.get(record.outcome);
    if (outcome === undefined) {
      outcome = this.exchange.at(record.service, record.chain, record.outcome);
      chain.outcomes.set(record.outcome, outcome);
    }
    outcome.observe(record.total_us * MICROS);
    for (const [what, times] of facts.counts) {
      this.accepted.at(record.service, record.chain, what).value += times;
    }
  }

  /** The numbers as plain values, for another process. */
  snapshot(): MetricsSnapshot {
    return {
      distributions: this.distributions.map((series) =>
        Array.from(series.entries(), ({ labels, value: { counts, sum, count } }) => ({
          labels,
          counts,
          sum,
          count,
        })),
      ),
      counts: this.counts.map((series) =>
        Array.from(series.entries(), ({ labels, value }) => ({ labels, value: value.value })),
      ),
    };
  }

  /** Becomes the sum of what other processes have counted. */
  load(snapshots: readonly MetricsSnapshot[]): void {
    for (const series of [...this.distributions, ...this.counts]) series.clear();
    for (const { distributions, counts } of snapshots) {
      distributions.forEach((lines, i) => {
        for (const { labels, ...line } of lines) this.distributions[i]?.at(...labels).add(line);
      });
      counts.forEach((lines, i) => {
        for (const { labels, value } of lines) {
          const count = this.counts[i]?.at(...labels);
          if (count !== undefined) count.value += value;
        }
      });
    }
  }

  /** All histograms, in the order of a snapshot. */
  get distributions(): readonly Series<Distribution>[] {
    return [this.exchange, this.step, this.part];
  }

  /** All counters, in the order of a snapshot. */
  get counts(): readonly Series<Count>[] {
    return [this.refused, this.observed, this.unsigned, this.accepted, this.exceptions];
  }

  #step(record: TimingRecord, chain: ChainSeries, step: StepRecord): void {
    const provider = step.provider ?? record.provider;
    const key = provider === record.provider ? step.step : `${step.step}\n${provider}`;
    let series = chain.steps.get(key);
    if (series === undefined) {
      const whole = this.step.at(record.service, record.chain, step.step, provider);
      series = { whole, parts: new Map() };
      chain.steps.set(key, series);
    }
    series.whole.observe(step.us * MICROS);
    if (step.parts === undefined) return;
    for (const part in step.parts) {
      const micros = step.parts[part as keyof typeof step.parts] ?? 0;
      let distribution = series.parts.get(part);
      if (distribution === undefined) {
        distribution = this.part.at(record.service, record.chain, step.step, provider, part);
        series.parts.set(part, distribution);
      }
      distribution.observe(micros * MICROS);
    }
  }

  #chain(service: string, kind: ChainKind): ChainSeries {
    let chains = this.#chains.get(service);
    if (chains === undefined) {
      chains = new Map();
      this.#chains.set(service, chains);
    }
    let chain = chains.get(kind);
    if (chain === undefined) {
      chain = { steps: new Map(), outcomes: new Map() };
      chains.set(kind, chain);
    }
    return chain;
  }
}
