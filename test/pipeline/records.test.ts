/** Timing records of whole chains (design/interface.md, Timing record). */
import { describe, expect, it } from '@jest/globals';
import { CountersignError } from '#src/core/errors.js';
import type { StepRecord } from '#src/core/timer.js';
import {
  operatorLine,
  refusalFields,
  timingRecord,
  type RecordInput,
  type TimingRecord,
} from '#src/pipeline/index.js';
import { bench, check, order, process, protect, testNow, type Ran } from '../support/chain.js';
import { soap } from '../support/toolkit.js';

const b = await bench();

const input = (ran: Ran): RecordInput => ({
  chain: 'request',
  outcome: 'ok',
  provider: 'openssl',
  bytes: { in: 1, out: ran.length },
  at: testNow,
});

const recordOf = (ran: Ran): TimingRecord => timingRecord(ran.exchange, ran.timer, input(ran));

const sum = (values: Iterable<number>): number => [...values].reduce((total, value) => total + value, 0);

/** Every rule that a reader of the log may rely on. */
function broken({ steps, total_us }: TimingRecord): string[] {
  const problems: string[] = [];
  const whole = (value: number): boolean => Number.isInteger(value) && value >= 0;
  const check = (holds: boolean, problem: string): void => {
    if (!holds) problems.push(problem);
  };
  check(whole(total_us), 'total is a whole number');
  check(sum(steps.map(({ us }) => us)) <= total_us, 'the sum of the steps is at most the total');
  const names = steps.map(({ step }) => step);
  check(new Set(names).size === names.length, 'each step stands once');
  let before: StepRecord | undefined;
  for (const step of steps) {
    check(whole(step.us) && whole(step.start_us), `${step.step} is in whole microseconds`);
    check(step.start_us + step.us <= total_us + 1, `${step.step} ends before the record does`);
    check(before === undefined || before.start_us <= step.start_us, 'steps are in order of their first span');
    check(sum(Object.values(step.parts ?? {})) <= step.us, `the parts of ${step.step} are at most the step`);
    before = step;
  }
  return problems;
}

it("names a step's provider where it is not the record's, and only there", async () => {
  const ran = await process(b.chain(protect), soap(order));
  const under = (provider: string): (string | undefined)[] =>
    timingRecord(ran.exchange, ran.timer, { ...input(ran), provider })
      .steps.filter(({ step }) => step === 'encrypt')
      .map((step) => step.provider);
  expect(under('openssl')).toEqual([undefined]);
  expect(under('pkcs11')).toEqual(['openssl']);
});

describe('timing records', () => {
  it('hold their invariants, thousands of them', async () => {
    const outbound = b.chain([
      ...protect.slice(0, 2),
      { sign: { key: 'ec', parts: ['body'] } },
      ...protect.slice(2),
    ]);
    const inbound = [...check, { verify: { trust: 'ec', parts: ['body'] } }];
    let records = 0;
    for (let round = 0; round < 40; round++) {
      const batch = await Promise.all(
        Array.from({ length: 25 }, async () => {
          const sent = await process(outbound, soap(order));
          const received = await process(b.chain(inbound), sent.text);
          return [recordOf(sent), recordOf(received)];
        }),
      );
      for (const record of batch.flat()) {
        records++;
        expect(broken(record)).toEqual([]);
      }
    }
    expect(records).toBe(2000);
  }, 120_000);

  it('charge a child of the Security header to the step that takes it, not to the first of its kind', async () => {
    const both = b.chain([...protect, { encrypt: { to: 'other', parts: ['signature'] } }]);
    const [, , ...rest] = check;
    const inbound = b.chain([
      { decrypt: { key: 'other', parts: ['signature/theirs'] } },
      { decrypt: { key: 'server', parts: ['body/content'] } },
      { decrypt: { key: 'client', parts: [] } },
      { verify: { trust: 'ec', parts: ['body'], optional: true } },
      { verify: { trust: 'clients', parts: ['timestamp', 'body'], name: 'theirs' } },
      ...rest,
    ]);
    const record = recordOf(await process(inbound, (await process(both, soap(order))).text));
    expect(broken(record)).toEqual([]);
    const step = (label: string): unknown => record.steps.find((one) => one.step === label);
    const keyWork = { 'private-key': expect.anything(), cipher: expect.anything(), graft: expect.anything() };
    expect(step('decrypt')).toMatchObject({ key: 'other', parts: keyWork });
    expect(step('decrypt#2')).toMatchObject({ key: 'server', parts: keyWork });
    expect(step('decrypt#3')).toEqual({
      step: 'decrypt#3',
      start_us: expect.anything(),
      us: expect.anything(),
    });
    expect(step('theirs')).toMatchObject({
      parts: { 'signed-info': expect.anything(), 'public-key': expect.anything() },
    });
    expect(step('verify')).toEqual({ step: 'verify', start_us: expect.anything(), us: expect.anything() });
  });

  it('name the built-in steps and those of the policy, with keys and parts', async () => {
    const sent = await process(b.chain(protect), soap(order));
    const record = recordOf(sent);
    expect(record.steps.map(({ step }) => step)).toEqual([
      'parse',
      'header',
      'timestamp',
      'sign',
      'encrypt',
      'render',
    ]);
    const [, , , sign, encrypt] = record.steps;
    expect(sign).toMatchObject({
      key: 'client',
      parts: {
        c14n: expect.anything(),
        digest: expect.anything(),
        'private-key': expect.anything(),
        write: expect.anything(),
      },
    });
    expect(encrypt).toMatchObject({
      key: 'server',
      parts: { 'key-wrap': expect.anything(), cipher: expect.anything(), write: expect.anything() },
    });
    const checked = recordOf(await process(b.chain(check), sent.text));
    expect(checked.steps.map(({ step }) => step)).toEqual([
      'parse',
      'header',
      'check-timestamp',
      'verify',
      'replay',
      'decrypt',
      'render',
    ]);
    expect(checked).toMatchObject({
      msg: 'exchange',
      operation: 'o:order',
      service: 'orders',
      time: '2026-11-30T12:00:00.000Z',
    });
    expect(JSON.parse(JSON.stringify(checked))).toEqual(checked);
  });
});

describe("the operator's line", () => {
  const where = { id: '01J', service: 'orders', chain: 'request' } as const;

  it('is as the design shows it', () => {
    const error = new CountersignError('PART_NOT_SIGNED', 'header/wsa:To is not covered', {
      details: {
        step: 'verify',
        found: 'Covered: body, timestamp',
        remedy: 'The sender must sign it, or remove it from',
        place: 'services/orders.yaml:9:37',
      },
    });
    expect(operatorLine(error, where)).toBe(
      'refused 01J orders request verify PART_NOT_SIGNED: header/wsa:To is not covered. Covered: body, timestamp. ' +
        'The sender must sign it, or remove it from services/orders.yaml:9:37',
    );
    expect(refusalFields(error, where)).toEqual({
      ...where,
      step: 'verify',
      code: 'PART_NOT_SIGNED',
      reason: 'header/wsa:To is not covered',
      found: 'Covered: body, timestamp',
      actor: 'sender',
      remedy: 'The sender must sign it, or remove it from',
      place: 'services/orders.yaml:9:37',
    });
  });

  it('always says who can act', () => {
    expect(operatorLine(new CountersignError('DIGEST_MISMATCH', 'the digest of body differs'), where)).toBe(
      'refused 01J orders request receive DIGEST_MISMATCH: the digest of body differs. The sender must put it right.',
    );
    const full = new CountersignError('REPLAY_STORE_FULL', 'full', {
      details: { step: 'replay', place: 'a.yaml:1:2' },
    });
    expect(operatorLine(full, where)).toMatch(
      /full\. The operator of the gateway must put it right; the policy is at a\.yaml:1:2$/,
    );
  });

  it('lets no control character of the message through', () => {
    const line = operatorLine(
      new CountersignError('XML_LIMIT', 'name a\nrefused 02 \u001b[31m\u202e'),
      where,
    );
    for (const control of ['\n', '\u001b', '\u202e']) expect(line).not.toContain(control);
    expect(line).toContain('\\u{a}');
  });
});
