/**
 * `npm run perf -- NAME [--short] [--json FILE]`: one bench, or `all`. Prints a row for each measured pair and fails when a
 * ratio exceeds its budget (perf/budgets.json). Absolute times are for people; only ratios taken in one run gate.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { printRows, report, useShortRoom } from './harness.mjs';

const benches = ['parse', 'c14n', 'scenario3', 'gateway', 'start'];

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      short: { type: 'boolean', default: false },
      json: { type: 'string' },
      classic: { type: 'boolean', default: false },
      provider: { type: 'string' },
    },
  });
  const names = positionals[0] === 'all' ? benches : positionals;
  if (names.length === 0 || names.some((name) => !benches.includes(name))) {
    console.error(
      `usage: npm run perf -- NAME [--short] [--json FILE]; NAME is all or one of ${benches.join(', ')}`,
    );
    return 2;
  }
  if (values.short) useShortRoom();
  const reports = [];
  for (const name of names) {
    const { bench } = await import(`./${name}.mjs`);
    reports.push(report(name, await bench(values)));
    printRows(reports.at(-1));
  }
  if (values.json !== undefined)
    writeFileSync(values.json, `${JSON.stringify(reports.length === 1 ? reports[0] : reports, null, 2)}\n`);
  const rows = reports.flatMap((each) => each.rows).filter((row) => row.budget !== undefined);
  const failed = rows.filter((row) => !row.ok);
  console.log(`${rows.length - failed.length} passed, ${failed.length} failed`);
  return failed.length === 0 ? 0 : 1;
}

process.exitCode = await main();
