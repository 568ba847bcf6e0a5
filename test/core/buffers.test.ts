import { describe, expect, it } from '@jest/globals';
import { BufferPool } from '#src/core/buffers.js';
import { createRandom } from '#src/core/random.js';

describe('BufferPool', () => {
  it('hands a released buffer out again, to one owner at a time', () => {
    const pool = new BufferPool(1024 * 1024);
    const first = pool.take(200_000);
    const second = pool.take(200_000);
    expect(second.bytes).not.toBe(first.bytes);
    first.release();
    first.release();
    expect(pool.kept).toBe(262_144);
    expect(pool.take(150_000).bytes).toBe(first.bytes);
    expect(pool.take(150_000).bytes).not.toBe(first.bytes);
  });

  it('keeps no more than its limit', () => {
    const pool = new BufferPool(300_000);
    const leases = [pool.take(200_000), pool.take(200_000)];
    for (const lease of leases) lease.release();
    expect(pool.kept).toBe(262_144);
  });
});

describe('createRandom', () => {
  it('never hands out the same bytes twice, across refills and for long ones', () => {
    const random = createRandom();
    const seen = new Set<string>();
    for (let count = 0; count < 3000; count++) seen.add(Buffer.from(random.bytes(16)).toString('hex'));
    expect(seen.size).toBe(3000);
    expect(random.bytes(5000)).toHaveLength(5000);
    expect(random.bytes(0)).toHaveLength(0);
  });
});
