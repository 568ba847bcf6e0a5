import { describe, expect, it } from '@jest/globals';
import { lazy } from '#src/server/lazy.js';

describe('lazy', () => {
  it('loads once, for all that ask', async () => {
    let loads = 0;
    const get = lazy(() => Promise.resolve((loads += 1)));
    expect(await Promise.all([get(), get()])).toEqual([1, 1]);
    expect(await get()).toBe(1);
  });

  it('does not keep a failure', async () => {
    let loads = 0;
    const get = lazy(() => {
      loads += 1;
      return loads === 1 ? Promise.reject(new Error('not now')) : Promise.resolve(loads);
    });
    await expect(get()).rejects.toThrow('not now');
    expect(await get()).toBe(2);
    expect(await get()).toBe(2);
  });
});
