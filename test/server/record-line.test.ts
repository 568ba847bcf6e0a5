import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { TimingRecord } from '#src/pipeline/index.js';
import { recordLine } from '#src/server/record-line.js';

const micros = fc.nat();
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined });

const step = fc.record({
  step: fc.string({ unit: 'binary' }),
  start_us: micros,
  us: micros,
  key: maybe(fc.string()),
  provider: maybe(fc.constantFrom('openssl', 'js', 'pkcs11')),
  parts: maybe(fc.record({ wait: micros, write: micros })),
});

const record = fc.record({
  msg: fc.constant('exchange'),
  time: fc.constant('2026-11-30T22:47:02.123Z'),
  id: fc.constant('01J00000000000000000000000'),
  service: fc.string(),
  chain: fc.constantFrom('request', 'response'),
  outcome: fc.constantFrom('ok', 'refused', 'fault', 'error'),
  code: maybe(fc.constant('PART_NOT_SIGNED')),
  step: maybe(fc.string()),
  provider: fc.constant('openssl'),
  operation: maybe(fc.string({ unit: 'binary' })),
  peer: maybe(fc.string({ unit: 'grapheme' })),
  bytes: fc.record({ in: micros, out: micros }),
  total_us: micros,
  upstream_us: maybe(micros),
  loop_us: maybe(micros),
  cpu_us: maybe(micros),
  steps: fc.array(step, { maxLength: 4 }),
});

describe('recordLine', () => {
  it('is what JSON.stringify gives, in one line', () => {
    fc.assert(
      fc.property(record, (value) => {
        const line = recordLine(value as TimingRecord);
        expect(line).not.toContain('\n');
        expect(JSON.parse(line)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});
