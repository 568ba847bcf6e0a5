/** Measuring: process CPU time, alternatives interleaved round by round, medians, ratios in the same run. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';

const budgets = JSON.parse(readFileSync(join(import.meta.dirname, 'budgets.json'), 'utf8'));

/** How far a ratio may miss its budget: 1, or more in the short form that CI runs beside other work. */
let room = 1;

/** Uses the room that perf/budgets.json gives the short form. */
export function useShortRoom() {
  room = budgets.short.room;
}

/** Process CPU microseconds, threads included. */
export function cpuMicros() {
  const { user, system } = process.cpuUsage();
  return user + system;
}

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * Times alternatives in turn.
 *
 * @param alternatives { name: async (iterations) => number | void }: does the work `iterations` times; a number it
 *   returns is the CPU it cost in microseconds, of another process; otherwise this process is measured
 * @param options { rounds, iterations: number | { name: number }, warmup? }
 * @returns { cpu: { name: median CPU microseconds of one iteration }, ratio(one, other): median of the rounds' ratios,
 *   overRounds(figure): the same of any figure made of one round's { name: CPU microseconds } }. On a shared machine the speed
 *   changes from second to second: what ran side by side is compared, so rounds are short
 */
export async function interleave(alternatives, { rounds, iterations, warmup = 2 }) {
  const names = Object.keys(alternatives);
  const count = (name) => (typeof iterations === 'number' ? iterations : iterations[name]);
  const times = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = -warmup; round < rounds; round++) {
    const order = round % 2 === 0 ? names : [...names].reverse();
    for (const name of order) {
      const n = count(name);
      const before = cpuMicros();
      const told = await alternatives[name](n);
      const spent = typeof told === 'number' ? told : cpuMicros() - before;
      if (round >= 0) times[name].push(spent / n);
    }
  }
  const round = (index) => Object.fromEntries(names.map((name) => [name, times[name][index]]));
  const overRounds = (figure) => median(Array.from({ length: rounds }, (_, index) => figure(round(index))));
  return {
    cpu: Object.fromEntries(names.map((name) => [name, median(times[name])])),
    ratio: (one, other) => overRounds((each) => each[one] / each[other]),
    overRounds,
  };
}

/**
 * One row of a result.
 *
 * @param bench name of the bench, for the budget
 * @param name the case, as in perf/budgets.json
 * @param ours CPU microseconds of the product
 * @param against { name, cpu, ratio? } what it is compared with; `ratio` where more is known than the two figures tell
 * @param more further fields; `reachable` is how many times less than the other the bare cryptography takes, `floor` the
 *   case of the budget over that: a product that keeps the one takes `reachable` ÷ `floor` times less than the other, and
 *   a budget `{ least }` asks for no more (without AVX512-IFMA OpenSSL's RSA is hardly quicker than Java's)
 */
export function row(bench, name, ours, against, { reachable, floor, ...more } = {}) {
  const ratio = against.ratio ?? ours / against.cpu;
  const budget = budgets[bench]?.[name];
  const limit = typeof budget === 'number' ? { most: budget } : budget;
  const bound = reachable === undefined ? Infinity : reachable / (budgets[bench]?.[floor] ?? 1);
  const least = limit?.least === undefined ? 0 : Math.min(limit.least, bound);
  const ok =
    limit === undefined ? undefined : ratio <= (limit.most ?? Infinity) * room && 1 / ratio >= least / room;
  return {
    case: name,
    cpu_us: round(ours),
    against: against.name,
    against_cpu_us: round(against.cpu),
    ratio: Number(ratio.toFixed(3)),
    ...(budget === undefined ? {} : { budget, ok }),
    ...(reachable === undefined ? {} : { reachable: Number(reachable.toFixed(2)) }),
    ...more,
  };
}

const round = (micros) => Number(micros.toFixed(micros < 100 ? 1 : 0));

/** The whole result: where and what, then the rows. */
export function report(bench, rows) {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
    encoding: 'utf8',
    cwd: import.meta.dirname,
  }).trim();
  return {
    bench,
    date: new Date().toISOString(),
    commit,
    node: process.version,
    openssl: process.versions.openssl,
    machine: `${cpus().length} × ${cpus()[0].model}`,
    rows,
  };
}

/** Prints a result for people. A budget `{ least }` is how many times less CPU than the other we must use. */
export function printRows(result) {
  console.log(
    `\n${result.bench}: ${result.node}, OpenSSL ${result.openssl}, ${result.machine}, ${result.commit}`,
  );
  const width = Math.max(...result.rows.map((each) => each.case.length), 4);
  const other = Math.max(...result.rows.map((each) => each.against.length), 7);
  for (const each of result.rows) {
    const budget = shownBudget(each);
    const verdict = each.ok === undefined ? ' ' : each.ok ? '✓' : '✗';
    console.log(
      `${verdict} ${each.case.padEnd(width)}  ${String(each.cpu_us).padStart(9)} µs   ${each.against.padEnd(other)} ${String(each.against_cpu_us).padStart(9)} µs   ratio ${each.ratio.toFixed(2).padStart(6)}  (${(1 / each.ratio).toFixed(2)}×)  ${budget}`,
    );
    if (each.rps !== undefined) console.log(shownLatency(each));
  }
}

/** Of benches over HTTP: what was reached, and how a fixed rate was borne. */
function shownLatency(each) {
  const { most_rps: most, rps, p50_ms: p50, p99_ms: p99, loop_p99_ms: loop, loop_max_ms: longest } = each;
  return `      at most ${most} rps; at ${rps} rps p50 ${p50} ms, p99 ${p99} ms, event loop p99 ${loop} ms, longest ${longest} ms`;
}

function shownBudget({ budget, reachable }) {
  if (budget === undefined) return '';
  if (typeof budget === 'number') return `≤ ${budget}`;
  const bound = reachable === undefined ? '' : `, bare crypto reaches ${reachable}×`;
  return `≥ ${budget.least}×${bound}`;
}
