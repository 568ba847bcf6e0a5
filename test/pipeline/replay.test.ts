import { beforeAll, describe, expect, it } from '@jest/globals';
import { MemoryReplayStore } from '#src/stores/memory.js';
import {
  bench,
  check,
  order,
  process,
  protect,
  testNow,
  type Bench,
  type StepText,
} from '../support/chain.js';
import { outcome, soap } from '../support/toolkit.js';

let b: Bench;
let secured: string;
beforeAll(async () => {
  b = await bench();
  secured = (await process(b.chain(protect), soap(order))).text;
});

const at = async (millis: number): Promise<Bench> => bench({ now: testNow + millis });

describe('replay', () => {
  it('refuses the same message twice, and lets its twin pass', async () => {
    const chain = b.chain(check);
    expect(await outcome(() => process(chain, secured))).toBe('accepted');
    expect(await outcome(() => process(chain, secured))).toBe('REPLAYED');
    const twin = (await process(b.chain(protect), soap(order))).text;
    expect(await outcome(() => process(chain, twin))).toBe('accepted');
  });

  it('is told before a private key is used', async () => {
    const chain = b.chain(check);
    await process(chain, secured);
    const error: unknown = await process(chain, secured).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'REPLAYED', details: { step: 'replay' } });
    expect(error).not.toHaveProperty('details.afterKey');
  });

  it('of a hundred copies at once, one is accepted', async () => {
    const chain = b.chain(check);
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, () => outcome(() => process(chain, secured))),
    );
    expect(outcomes.filter((each) => each === 'accepted')).toHaveLength(1);
    expect(outcomes.filter((each) => each === 'REPLAYED')).toHaveLength(99);
  });

  it('claims last: a message that was refused for another reason may come again', async () => {
    const store = new MemoryReplayStore({ clock: b.toolkit.clock });
    const strict = [...check, { require: { body: 'o:other' } }];
    expect(await outcome(() => process(b.chain(strict, { store }), secured))).toBe('BODY_UNEXPECTED');
    expect(store.size).toBe(0);
    const outbound: StepText = { encrypt: { to: 'server', parts: ['header/wsa:To'] } };
    expect(await outcome(() => process(b.chain([...check, outbound], { store }), secured))).toBe(
      'PART_MISSING',
    );
    expect(store.size).toBe(0);
    expect(await outcome(() => process(b.chain(check, { store }), secured))).toBe('accepted');
    expect(store.size).toBe(1);
  });

  it('another encoding of the same signature is the same message', async () => {
    const chain = b.chain(check);
    const wrapped = secured.replace(/(<ds:SignatureValue>.{20})/, '$1\n');
    expect(wrapped).not.toBe(secured);
    expect(await outcome(() => process(chain, secured))).toBe('accepted');
    expect(await outcome(() => process(chain, wrapped))).toBe('REPLAYED');
  });

  it('claims every signature that a verify took', async () => {
    const twice = [{ sign: { key: 'client', parts: ['body'] } }, { sign: { key: 'ec', parts: ['body'] } }];
    const list = [
      { verify: { trust: 'clients', parts: ['body'] } },
      { verify: { trust: 'ec', parts: ['body'] } },
      { replay: { keep: '24h' } },
    ];
    const store = new MemoryReplayStore({ clock: b.toolkit.clock });
    const message = (await process(b.chain(twice), soap(order))).text;
    expect(await outcome(() => process(b.chain(list, { store }), message))).toBe('accepted');
    expect(store.size).toBe(2);
  });

  it('a store in memory refuses what was created before it, with the skew for grace', async () => {
    const started = (millis: number): Promise<string> =>
      outcome(() => process(b.chain(check, { startedAt: testNow + millis }), secured));
    expect(await started(60_001)).toBe('REPLAY_BEFORE_START');
    expect(await started(60_000)).toBe('accepted');
  });

  it('a full store refuses', async () => {
    const store = new MemoryReplayStore({ clock: b.toolkit.clock, capacity: 1 });
    await process(b.chain(check, { store }), secured);
    const twin = (await process(b.chain(protect), soap(order))).text;
    expect(await outcome(() => process(b.chain(check, { store }), twin))).toBe('REPLAY_STORE_FULL');
  });
});

describe('check-timestamp', () => {
  const list = check.slice(0, 3);

  it.each<[string, number, string]>([
    ['now', 0, 'accepted'],
    ['just before it expires', 299_999, 'accepted'],
    ['when it expires', 300_000, 'TIMESTAMP_EXPIRED'],
    ['a minute early', -60_000, 'accepted'],
    ['more than a minute early', -60_001, 'TIMESTAMP_FUTURE'],
  ])('judges by the clock: %s', async (_, millis, expected) => {
    const then = await at(millis);
    expect(await outcome(() => process(then.chain(list), secured))).toBe(expected);
  });

  it('max-age counts whatever Expires says', async () => {
    const long = (await process(b.chain([{ timestamp: { ttl: '24h' } }, ...protect.slice(1)]), soap(order)))
      .text;
    const later = await at(301_000);
    expect(await outcome(() => process(later.chain(list), long))).toBe('TIMESTAMP_EXPIRED');
    const patient: StepText = { 'check-timestamp': { 'max-age': '1h' } };
    expect(await outcome(() => process(later.chain([...check.slice(0, 2), patient]), long))).toBe('accepted');
  });

  it('asks for a Timestamp that is there, signed, and the only one', async () => {
    const unsigned = [{ timestamp: {} }, { sign: { key: 'client', parts: ['body'] } }];
    const message = (await process(b.chain(unsigned), soap(order))).text;
    const verify = (parts: string[]): StepText => ({ verify: { trust: 'clients', parts } });
    const run = (steps: StepText[], text = message): Promise<string> =>
      outcome(() => process(b.chain(steps), text));
    expect(await run([verify(['timestamp?', 'body']), 'check-timestamp'])).toBe('PART_NOT_SIGNED');
    expect(await run([verify(['body']), { 'check-timestamp': { signed: false } }])).toBe('accepted');
    const none = message.replace(/<wsu:Timestamp.*<\/wsu:Timestamp>/s, '');
    expect(await run([verify(['body']), { 'check-timestamp': { signed: false } }], none)).toBe(
      'TIMESTAMP_MISSING',
    );
    expect(
      await run([verify(['body']), { 'check-timestamp': { signed: false, optional: true } }], none),
    ).toBe('accepted');
    const [one = ''] = /<wsu:Timestamp.*<\/wsu:Timestamp>/s.exec(message) ?? [];
    const two = message.replace(one, one + one.replace(/wsu:Id="[^"]*"/, ''));
    expect(await run([verify(['body']), { 'check-timestamp': { signed: false } }], two)).toBe(
      'TIMESTAMP_DUPLICATE',
    );
  });

  it('a Timestamp that only an optional, absent signature would cover does not pass', async () => {
    const bare = (await process(b.chain(['timestamp']), soap(order))).text;
    const list = [{ verify: { trust: 'clients', parts: ['timestamp'], optional: true } }, 'check-timestamp'];
    expect(await outcome(() => process(b.chain(list), bare))).toBe('PART_NOT_SIGNED');
  });
});

describe('mode: observe', () => {
  it('forwards the original, and records what it would have refused', async () => {
    const observe = b.chain(check, { mode: 'observe' });
    const good = await process(observe, secured);
    expect(good.text).toBe(secured);
    expect(good.observed).toBeUndefined();
    const bad = await process(observe, soap(order));
    expect(bad.text).toBe(soap(order));
    expect(bad.observed).toMatchObject({
      code: 'HEADER_MISSING',
      details: { step: 'decrypt', place: 'orders.yaml:1:parts.0' },
    });
    const rubbish = await process(observe, 'not XML at all');
    expect(rubbish.text).toBe('not XML at all');
    expect(rubbish.observed?.code).toBe('XML_NOT_WELL_FORMED');
  });
});
