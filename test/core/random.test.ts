import { describe, expect, it } from '@jest/globals';
import { createRandom } from '#src/core/random.js';

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
