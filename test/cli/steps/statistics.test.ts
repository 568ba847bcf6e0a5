import { describe, expect, it } from '@jest/globals';
import type { Exchange } from '#src/cli/steps/read.js';
import { percentile, StepReport } from '#src/cli/steps/statistics.js';

const exchange = (total: number, steps: Record<string, number>, rest: Partial<Exchange> = {}): Exchange => ({
  id: String(total),
  time: '2026-11-30T00:00:00.000Z',
  service: 'orders',
  chain: 'request',
  outcome: 'ok',
  provider: 'openssl',
  operation: 'o:order',
  peer: 'CN=a',
  total,
  steps: Object.entries(steps).map(([step, us]) => ({ step, us })),
  ...rest,
});

describe('percentiles', () => {
  it('are by nearest rank', () => {
    const values = [15, 20, 35, 40, 50];
    expect([5, 30, 40, 50, 100].map((percent) => percentile(values, percent))).toEqual([15, 20, 20, 35, 50]);
    expect(percentile([], 50)).toBe(0);
    expect(percentile([7], 99)).toBe(7);
  });
});

describe('a report', () => {
  it('has a row for each step, for the rest and for the whole', () => {
    const report = new StepReport(undefined);
    // 198 fast exchanges, and two slow ones in which verify takes all the time
    for (let index = 0; index < 198; index++) report.add(exchange(100, { parse: 20, verify: 70 }));
    report.add(exchange(1000, { parse: 20, verify: 970 }));
    report.add(exchange(2000, { parse: 20, verify: 1970 }));
    const [group] = report.groups();
    expect(group?.exchanges).toBe(200);
    expect(group?.steps.map(({ step }) => step)).toEqual(['parse', 'verify', '(other)', 'total']);
    expect(group?.steps[1]).toMatchObject({ count: 200, p50: 70, p95: 70, p99: 70, max: 1970 });
    expect(group?.steps[3]).toMatchObject({ p50: 100, max: 2000, share: 1, slowest: 1 });
    const all = 198 * 100 + 3000;
    expect(group?.steps[0]?.share).toBeCloseTo((200 * 20) / all);
  });

  it('looks at the slowest 1 % apart', () => {
    const report = new StepReport(undefined);
    for (let index = 0; index < 990; index++) report.add(exchange(100, { parse: 90 }));
    for (let index = 0; index < 10; index++) report.add(exchange(1000 + index, { parse: 10, sign: 900 }));
    const rows = report.groups()[0]?.steps ?? [];
    const share = (step: string): number => rows.find((row) => row.step === step)?.slowest ?? -1;
    expect(share('sign')).toBeGreaterThan(0.07);
    expect(rows.reduce((sum, { step, share: part }) => sum + (step === 'total' ? 0 : part), 0)).toBeCloseTo(
      1,
    );
    expect(rows.reduce((sum, { step, slowest }) => sum + (step === 'total' ? 0 : slowest), 0)).toBeCloseTo(1);
    expect(rows.find(({ step }) => step === 'sign')?.count).toBe(10);
  });

  it('keeps services, chains and the field asked for apart', () => {
    const report = new StepReport('provider');
    report.add(exchange(1, {}));
    report.add(exchange(1, {}, { provider: 'js' }));
    report.add(exchange(1, {}, { chain: 'response' }));
    report.add(exchange(1, {}, { service: 'a' }));
    expect(report.groups().map(({ service, chain, by }) => [service, chain, by])).toEqual([
      ['a', 'request', 'openssl'],
      ['orders', 'request', 'openssl'],
      ['orders', 'request', 'js'],
      ['orders', 'response', 'openssl'],
    ]);
  });

  it('lists the slowest', () => {
    const report = new StepReport(undefined, 2);
    for (let index = 0; index < 500; index++) report.add(exchange((index * 7919) % 500, {}));
    expect(report.slowest().map(({ total }) => total)).toEqual([499, 498]);
  });
});
