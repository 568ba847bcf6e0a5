import type { StepRecord } from '../core/timer.js';
import type { TimingRecord } from '../pipeline/index.js';

/**
 * One record with the medians of several runs of the same work. Medians of parts do not add up to the median of their
 * sum, so the steps are laid out anew: none overlaps another, and the total is never less than their sum.
 */
export function medianRecord(records: readonly TimingRecord[]): TimingRecord {
  const last = records.at(-1);
  if (last === undefined) throw new Error('there is no record');
  if (records.length === 1) return last;
  const steps: StepRecord[] = [];
  let end = 0;
  for (const { step } of last.steps) {
    const all = records.flatMap((record) => record.steps.filter((other) => other.step === step));
    const start_us = Math.max(end, median(all.map((one) => one.start_us)));
    const us = median(all.map((one) => one.us));
    end = start_us + us;
    steps.push({ ...all[all.length - 1], step, start_us, us, ...parts(all) });
  }
  const cpu = records.flatMap(({ cpu_us }) => (cpu_us === undefined ? [] : [cpu_us]));
  return {
    ...last,
    total_us: Math.max(end, median(records.map(({ total_us }) => total_us))),
    ...(cpu.length === 0 ? {} : { cpu_us: median(cpu) }),
    steps,
  };
}

function parts(all: readonly StepRecord[]): Pick<StepRecord, 'parts'> {
  const values = new Map<string, number[]>();
  for (const [index, one] of all.entries()) {
    for (const [name, us] of Object.entries(one.parts ?? {})) {
      const known = values.get(name) ?? all.map(() => 0);
      known[index] = us;
      values.set(name, known);
    }
  }
  if (values.size === 0) return {};
  return { parts: Object.fromEntries([...values].map(([name, times]) => [name, median(times)])) };
}

/** The lower one of the two in the middle: whole numbers stay whole. */
function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}
