import { CountersignError } from '../../core/errors.js';
import { print, printJson } from '../output.js';
import { readLog, type Exchange } from './read.js';
import { compare, showComparison, showGroups, showSlowest } from './show.js';
import { StepReport, type GroupBy, type GroupStatistics } from './statistics.js';

export interface StepsOptions {
  readonly by?: GroupBy;
  readonly since?: string;
  readonly until?: string;
  readonly outcome: string;
  readonly slowest?: number;
  readonly parts?: true;
  readonly compare?: readonly string[];
  readonly json?: true;
}

const outcomes = ['ok', 'refused', 'fault', 'error', 'all'];

/** @throws CountersignError USAGE */
export async function stepsCommand(logs: readonly string[], options: StepsOptions): Promise<void> {
  if (!outcomes.includes(options.outcome)) throw usage(`--outcome is one of ${outcomes.join(', ')}`);
  if (options.compare !== undefined) {
    await compareCommand(logs, options, options.compare);
    return;
  }
  if (logs.length === 0) throw usage('name a log file, or - for standard input');
  const { report, others } = await collect(logs, options);
  const groups = report.groups();
  const slowest = report.slowest();
  if (options.json === true) {
    printJson(options.slowest === undefined ? { groups } : { groups, slowest });
    return;
  }
  print(showGroups(groups, others));
  if (slowest.length > 0) print(`\n${showSlowest(slowest)}`);
}

async function compareCommand(
  logs: readonly string[],
  options: StepsOptions,
  sides: readonly string[],
): Promise<void> {
  // `steps a.log --compare b.log c.log d.log` gives more than two: commander takes all that follow
  const [a, b, ...more] = sides;
  if (a === undefined || b === undefined || more.length > 0)
    throw usage('--compare takes two: logs, or values of --by');
  let groups: readonly [GroupStatistics[], GroupStatistics[]];
  if (options.by === undefined) {
    if (logs.length > 0) throw usage('--compare names both logs; with --by it names two of its values');
    groups = [(await collect([a], options)).report.groups(), (await collect([b], options)).report.groups()];
  } else {
    if (logs.length === 0) throw usage('name the log whose values --compare compares');
    const all = (await collect(logs, options)).report.groups();
    groups = [all.filter(({ by }) => by === a), all.filter(({ by }) => by === b)];
  }
  const rows = compare(...groups);
  if (options.json === true) printJson({ a, b, steps: rows });
  else print(showComparison(rows, [a, b]));
}

/** @returns the report of the outcome that was asked for, and how many exchanges had another */
async function collect(
  logs: readonly string[],
  { by, slowest, parts, since, until, outcome }: StepsOptions,
): Promise<{ report: StepReport; others: number }> {
  const report = new StepReport(by, slowest, parts);
  let others = 0;
  const take = (exchange: Exchange): void => {
    if (outcome === 'all' || exchange.outcome === outcome) report.add(exchange);
    else others++;
  };
  for (const log of logs) await readLog(log, { since, until }, take);
  return { report, others };
}

const usage = (message: string): CountersignError => new CountersignError('USAGE', message);
