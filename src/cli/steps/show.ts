/** Prints the step statistics. */
import { table, type Column } from '../output.js';
import type { Exchange } from './read.js';
import type { GroupStatistics, StepStatistics } from './statistics.js';

const right = (title: string): Column => ({ title, align: 'right' });

const columns: readonly Column[] = [
  { title: 'step' },
  right('count'),
  right('p50 µs'),
  right('p95 µs'),
  right('p99 µs'),
  right('max µs'),
  right('share'),
  right('slowest 1 %'),
];

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

/** Parts are set in below their step. */
const nameOf = ({ step, part }: StepStatistics): string => (part === undefined ? step : `  ${part}`);

const cells = (row: StepStatistics): string[] => [
  nameOf(row),
  String(row.count),
  String(row.p50),
  String(row.p95),
  String(row.p99),
  String(row.max),
  percent(row.share),
  percent(row.slowest),
];

const title = ({ service, chain, by, exchanges }: GroupStatistics): string =>
  `${service} ${chain}${by === undefined ? '' : ` ${by}`}  (${exchanges} ${exchanges === 1 ? 'exchange' : 'exchanges'})`;

/** @param others exchanges of outcomes that were not asked for: who sees nothing learns why */
export function showGroups(groups: readonly GroupStatistics[], others: number): string {
  if (groups.length === 0) {
    return others === 0 ? 'no exchanges' : `no exchanges; ${others} of another outcome (--outcome all)`;
  }
  return groups.map((group) => `${title(group)}\n${table(columns, group.steps.map(cells))}`).join('\n\n');
}

export function showSlowest(exchanges: readonly Exchange[]): string {
  const rows = exchanges.map(({ id, time, service, chain, total, steps }) => {
    const largest = [...steps].sort((a, b) => b.us - a.us).slice(0, 3);
    const where = largest.map(({ step, us }) => `${step} ${us}`).join(', ');
    return [id, time, service, chain, String(total), where];
  });
  const heads: Column[] = [
    { title: 'id' },
    { title: 'time' },
    { title: 'service' },
    { title: 'chain' },
    right('total µs'),
    { title: 'most of it in' },
  ];
  return `slowest\n${table(heads, rows)}`;
}

/** One step on both sides. */
export interface Comparison {
  readonly service: string;
  readonly chain: string;
  readonly step: string;
  readonly part?: string;
  readonly a: StepStatistics | undefined;
  readonly b: StepStatistics | undefined;
}

const keyOf = ({ step, part }: StepStatistics): string => JSON.stringify([step, part]);

/** Steps of both sides, in the order of the first. */
export function compare(a: readonly GroupStatistics[], b: readonly GroupStatistics[]): Comparison[] {
  const keys = new Map<string, { service: string; chain: string }>();
  for (const { service, chain } of [...a, ...b]) keys.set(`${service} ${chain}`, { service, chain });
  return [...keys.values()].flatMap(({ service, chain }) => {
    const find = (side: readonly GroupStatistics[]): readonly StepStatistics[] =>
      side.find((group) => group.service === service && group.chain === chain)?.steps ?? [];
    const [left, right_] = [find(a), find(b)];
    const named = new Map([...left, ...right_].map((row) => [keyOf(row), row]));
    const isLast = ({ step }: StepStatistics): boolean => step === '(other)' || step === 'total';
    const rows = [...named.values()];
    return [...rows.filter((row) => !isLast(row)), ...rows.filter(isLast)].map((row) => ({
      service,
      chain,
      step: row.step,
      ...(row.part === undefined ? {} : { part: row.part }),
      a: left.find((each) => keyOf(each) === keyOf(row)),
      b: right_.find((each) => keyOf(each) === keyOf(row)),
    }));
  });
}

export function showComparison(rows: readonly Comparison[], names: readonly [string, string]): string {
  const number = (value: number | undefined): string => (value === undefined ? '–' : String(value));
  const change = (before: number | undefined, after: number | undefined): string => {
    if (before === undefined || after === undefined || before === 0) return '–';
    const by = ((after - before) / before) * 100;
    return `${by > 0 ? '+' : ''}${by.toFixed(1)} %`;
  };
  const heads = [
    { title: 'service' },
    { title: 'chain' },
    { title: 'step' },
    right('p50 A'),
    right('p50 B'),
    right('change'),
    right('p99 A'),
    right('p99 B'),
    right('change'),
  ];
  const lines = rows.map(({ service, chain, step, part, a, b }) => [
    service,
    chain,
    part === undefined ? step : `  ${part}`,
    number(a?.p50),
    number(b?.p50),
    change(a?.p50, b?.p50),
    number(a?.p99),
    number(b?.p99),
    change(a?.p99, b?.p99),
  ]);
  return `A: ${names[0]}\nB: ${names[1]}\n${table(heads, lines)}`;
}
