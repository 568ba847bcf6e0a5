import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { countersign } from './support/run.js';

const folder = mkdtempSync(join(tmpdir(), 'countersign-steps-'));
afterAll(() => rmSync(folder, { recursive: true }));

const record = (index: number, more: object = {}): string =>
  JSON.stringify({
    msg: 'exchange',
    time: `2026-11-30T22:${String(index % 60).padStart(2, '0')}:00.000Z`,
    id: `id-${index}`,
    service: 'orders',
    chain: 'request',
    outcome: 'ok',
    provider: index % 2 === 0 ? 'openssl' : 'js',
    total_us: 100 + index,
    steps: [
      { step: 'parse', start_us: 0, us: 10 },
      { step: 'sign', start_us: 10, us: 80 + index },
    ],
    ...more,
  });

const log = (name: string, lines: readonly string[]): string => {
  const file = join(folder, name);
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
};

const file = log('a.log', [
  '{"msg":"listening"}',
  'not JSON at all "exchange"',
  record(0),
  record(1),
  record(2),
  record(3, { outcome: 'refused', code: 'REPLAYED' }),
  record(4, { chain: 'response', total_us: 50, steps: [] }),
]);

describe('steps', () => {
  it('prints a table for each service and chain', () => {
    const { code, out } = countersign(['steps', file]);
    expect(code).toBe(0);
    expect(out).toMatchInlineSnapshot(`
     "orders request  (3 exchanges)
     step     count  p50 µs  p95 µs  p99 µs  max µs    share  slowest 1 %
     parse        3      10      10      10      10    9.9 %        9.8 %
     sign         3      81      82      82      82   80.2 %       80.4 %
     (other)      3      10      10      10      10    9.9 %        9.8 %
     total        3     101     102     102     102  100.0 %      100.0 %

     orders response  (1 exchange)
     step     count  p50 µs  p95 µs  p99 µs  max µs    share  slowest 1 %
     (other)      1      50      50      50      50  100.0 %      100.0 %
     total        1      50      50      50      50  100.0 %      100.0 %
     "
    `);
  });

  it('shows the parts of steps when asked, below their step', () => {
    const parts = (scale: number): object => ({
      steps: [
        { step: 'sign', us: 80 * scale, parts: { c14n: 10 * scale, 'private-key': 60 * scale } },
        { step: 'send', us: 9, parts: { write: 9 } },
      ],
    });
    const [a, b] = [log('parts-a.log', [record(0, parts(1))]), log('parts-b.log', [record(0, parts(2))])];
    const { out } = countersign(['steps', a, '--parts']);
    expect(out.split('\n').map((line) => line.slice(0, 13).trimEnd())).toEqual([
      'orders reques',
      'step',
      'sign',
      '  c14n',
      '  private-key',
      'send',
      '  write',
      '(other)',
      'total',
      '',
    ]);
    const json: unknown = JSON.parse(countersign(['steps', '--compare', a, b, '--parts', '--json']).out);
    expect(json).toMatchObject({
      steps: expect.arrayContaining([
        expect.objectContaining({
          step: 'sign',
          part: 'private-key',
          a: expect.objectContaining({ p50: 60 }),
        }),
      ]),
    });
    expect(countersign(['steps', a]).out).not.toContain('c14n');
  });

  it('reads standard input', () => {
    const { out } = countersign(['steps', '-', '--json'], `${record(1)}\n`);
    expect(JSON.parse(out)).toMatchObject({ groups: [{ service: 'orders', exchanges: 1 }] });
  });

  const exchanges = (...args: string[]): unknown[] => {
    const parsed: unknown = JSON.parse(countersign(['steps', file, '--json', ...args]).out);
    if (typeof parsed !== 'object' || parsed === null || !('groups' in parsed)) throw new Error('no groups');
    if (!Array.isArray(parsed.groups)) throw new Error('no groups');
    return parsed.groups.map((group: unknown) =>
      typeof group === 'object' && group !== null && 'exchanges' in group ? group.exchanges : undefined,
    );
  };

  it('says when the exchanges of a log have other outcomes than the one asked for', () => {
    expect(countersign(['steps', file, '--outcome', 'fault']).out).toBe(
      'no exchanges; 5 of another outcome (--outcome all)\n',
    );
    expect(countersign(['steps', file, '--until', '2020-01-01']).out).toBe('no exchanges\n');
  });

  it('takes times and outcomes', () => {
    expect(exchanges()).toEqual([3, 1]);
    expect(exchanges('--outcome', 'all')).toEqual([4, 1]);
    expect(exchanges('--outcome', 'refused')).toEqual([1]);
    expect(exchanges('--since', '2026-11-30T22:02')).toEqual([1, 1]);
    expect(exchanges('--until', '2026-11-30T22:02Z')).toEqual([2]);
    expect(exchanges('--until', '2026-11-30')).toEqual([]);
    expect(exchanges('--by', 'provider')).toEqual([2, 1, 1]);
  });

  it('lists the slowest', () => {
    const { out } = countersign(['steps', file, '--slowest', '1']);
    expect(out).toContain('id-2  2026-11-30T22:02:00.000Z  orders   request       102  sign 82, parse 10');
  });

  it('compares two logs, and two values of a field', () => {
    const other = log('b.log', [record(0, { total_us: 200 })]);
    const { code, out } = countersign(['steps', '--compare', file, other]);
    expect(code).toBe(0);
    expect(out).toMatch(/orders {3}request {3}total +101 +200 +\+98\.0 %/);
    expect(countersign(['steps', file, '--by', 'provider', '--compare', 'openssl', 'js']).out).toMatch(
      /orders {3}request {3}sign +80 +81/,
    );
  });

  it.each([
    [['steps']],
    [['steps', join(folder, 'none.log')]],
    [['steps', file, '--outcome', 'good']],
    [['steps', file, '--by', 'day']],
    [['steps', file, '--since', 'yesterday']],
    [['steps', '--compare', file]],
    [['steps', file, '--slowest', '0']],
  ])('exits 2 for %j', (args) => {
    const { code, out, err } = countersign(args);
    expect(code).toBe(2);
    expect(out).toBe('');
    expect(err).not.toContain('    at ');
  });
});
