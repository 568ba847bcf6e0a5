/** Large buffers of a message come from the pool, and go back when the result is released. */
import { describe, expect, it } from '@jest/globals';
import { BufferPool } from '#src/core/buffers.js';
import { systemClock } from '#src/core/clock.js';
import { StepTimer } from '#src/core/timer.js';
import { newExchange, runChain, type ChainResult } from '#src/pipeline/index.js';
import { bench, check, process, protect } from '../support/chain.js';
import { outcome, soap } from '../support/toolkit.js';

const POISON = 0xdb;
const b = await bench();
const large = soap(`<o:order xmlns:o="urn:orders">${'pencil '.repeat(30_000)}</o:order>`);

const run = (list: typeof protect, message: Uint8Array, pool: BufferPool): Promise<ChainResult> =>
  runChain(b.chain(list), {
    bytes: message,
    exchange: newExchange('01TEST', 'orders'),
    timer: new StepTimer(systemClock),
    pool,
  });
const textOf = ({ slices }: ChainResult): string => Buffer.concat(slices).toString();

describe('a large message', () => {
  it('is protected in pooled memory, good until the release and not after', async () => {
    const pool = new BufferPool({ poison: POISON });
    const result = await run(protect, Buffer.from(large), pool);
    expect(pool.stats.leased).toBe(1);
    const secured = textOf(result);
    result.release();
    expect(pool.stats.leased).toBe(0);
    expect(textOf(result)).not.toBe(secured);
    const received = await process(b.chain([...check, { strip: { ids: true } }]), secured);
    expect(received.text).toBe(large);
  });

  it('is received in pooled memory, good until the release and not after', async () => {
    const pool = new BufferPool({ poison: POISON });
    const { text: secured } = await process(b.chain(protect), large);
    const result = await run([...check, { strip: { ids: true } }], Buffer.from(secured), pool);
    expect(pool.stats.leased).toBe(1);
    expect(textOf(result)).toBe(large);
    result.release();
    expect(pool.stats.leased).toBe(0);
    expect(textOf(result)).not.toBe(large);
  });

  it('that is refused leaves nothing out of the pool', async () => {
    const pool = new BufferPool({ poison: POISON });
    const { text: secured } = await process(b.chain(protect), large);
    const middle = secured.lastIndexOf('<xenc:CipherValue>') + 1000;
    const letter = secured[middle] === 'A' ? 'B' : 'A';
    const changed = secured.slice(0, middle) + letter + secured.slice(middle + 1);
    expect(await outcome(() => run(check, Buffer.from(changed), pool))).toBe('DECRYPT_FAILED');
    expect(pool.stats.leased).toBe(0);
    expect(await outcome(() => run(check, Buffer.from(secured), pool))).toBe('accepted');
  });
});
