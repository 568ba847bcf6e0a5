import type { StepRecord } from '../../core/timer.js';

/** The fields of a timing record (design/interface.md) that the demonstration prints. */
export interface TimingLine {
  readonly msg: string;
  readonly id: string;
  readonly chain: 'request' | 'response';
  readonly outcome: string;
  readonly total_us: number;
  readonly upstream_us?: number;
  readonly steps: readonly StepRecord[];
}

/** The exchange records among log lines. */
export function timingLines(lines: readonly string[]): TimingLine[] {
  return lines
    .filter((line) => line.startsWith('{') && line.includes('"msg":"exchange"'))
    .map((line) => JSON.parse(line) as TimingLine);
}

export interface Column {
  readonly title: string;
  readonly records: readonly TimingLine[];
}

/** Rows in the order in which people read them: those of WSS4J's own timings first, then the gateway's. */
const order = [
  'receive',
  'parse',
  'header',
  'timestamp',
  'sign',
  'encrypt',
  'decrypt',
  'verify',
  'check-timestamp',
  'replay',
  'render',
  'send',
];

/** Medians in microseconds: one row for each step and, indented, for each of its parts. */
export function timingTable(columns: readonly Column[]): string {
  const rows: [string, ...string[]][] = [['', ...columns.map((column) => column.title)]];
  rows.push(['total', ...columns.map((column) => cell(column.records.map((record) => record.total_us)))]);
  for (const step of stepNames(columns)) {
    rows.push([step, ...columns.map((column) => cell(values(column, step)))]);
    for (const part of partNames(columns, step)) {
      rows.push([`  ${part}`, ...columns.map((column) => cell(values(column, step, part)))]);
    }
  }
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0))) ?? [];
  const lines = rows.map((row) =>
    row
      .map((text, at) => (at === 0 ? text.padEnd(widths[at] ?? 0) : text.padStart(widths[at] ?? 0)))
      .join('   ')
      .trimEnd(),
  );
  lines.splice(1, 0, widths.map((width) => '─'.repeat(width)).join('───'));
  return lines.join('\n');
}

function values(column: Column, step: string, part?: string): number[] {
  const found: number[] = [];
  for (const record of column.records) {
    const entry = record.steps.find((each) => each.step === step);
    if (entry === undefined) continue;
    const parts: Readonly<Record<string, number | undefined>> = entry.parts ?? {};
    const value = part === undefined ? entry.us : parts[part];
    if (value !== undefined) found.push(value);
  }
  return found;
}

function stepNames(columns: readonly Column[]): string[] {
  const seen = new Set<string>();
  for (const column of columns)
    for (const record of column.records) for (const each of record.steps) seen.add(each.step);
  const place = (name: string): number => (order.includes(name) ? order.indexOf(name) : order.length - 2.5);
  return [...seen].sort((a, b) => place(a) - place(b));
}

function partNames(columns: readonly Column[], step: string): string[] {
  const seen = new Set<string>();
  for (const column of columns) {
    for (const record of column.records) {
      for (const each of record.steps)
        if (each.step === step) for (const part of Object.keys(each.parts ?? {})) seen.add(part);
    }
  }
  return [...seen];
}

function cell(numbers: readonly number[]): string {
  if (numbers.length === 0) return '·';
  const sorted = [...numbers].sort((a, b) => a - b);
  return String(sorted[Math.floor(sorted.length / 2)]);
}
