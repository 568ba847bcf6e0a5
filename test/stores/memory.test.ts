import { describe, expect, it } from '@jest/globals';
import { MemoryReplayStore } from '#src/stores/memory.js';

/** Two clocks that a test moves by hand. */
function clocks(): { wall: number; mono: number; now: () => number; micros: () => number } {
  const state = {
    wall: 1_800_000_000_000,
    mono: 5_000,
    now: () => state.wall,
    micros: () => state.mono * 1000,
  };
  return state;
}

const code = (action: () => unknown): string => {
  try {
    action();
  } catch (error) {
    return (error as { code: string }).code;
  }
  return 'accepted';
};

describe('memory replay store', () => {
  it('takes an id once, and another id too', () => {
    const time = clocks();
    const store = new MemoryReplayStore({ clock: time });
    expect(store.claim('a', time.wall + 420_000)).toBe('fresh');
    expect(store.claim('a', time.wall + 420_000)).toBe('seen');
    expect(store.claim('b', time.wall + 420_000)).toBe('fresh');
  });

  it('lets exactly one of a hundred simultaneous claims through (WSS-02)', async () => {
    const time = clocks();
    const store = new MemoryReplayStore({ clock: time });
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, async () => {
        await Promise.resolve();
        return store.claim('copy', time.wall + 1000);
      }),
    );
    expect(outcomes.filter((outcome) => outcome === 'fresh')).toHaveLength(1);
  });

  it('remembers until the time is over and forgets afterwards', () => {
    const time = clocks();
    const store = new MemoryReplayStore({ clock: time });
    const start = time.wall;
    store.claim('a', start + 420_000);
    time.wall += 419_999;
    time.mono += 419_999;
    expect(store.claim('a', start + 420_000)).toBe('seen');
    time.wall += 3000;
    time.mono += 3000;
    store.claim('other', time.wall + 1000);
    expect(store.size).toBe(1);
    expect(store.claim('a', time.wall + 1000)).toBe('fresh');
  });

  it('never pushes an unexpired entry out: full means refuse (WSS-05)', () => {
    const time = clocks();
    const store = new MemoryReplayStore({ clock: time, capacity: 1000 });
    for (let index = 0; index < 1000; index++) store.claim(`id-${index}`, time.wall + 60_000);
    expect(code(() => store.claim('one more', time.wall + 60_000))).toBe('REPLAY_STORE_FULL');
    expect(store.claim('id-0', time.wall + 60_000)).toBe('seen');
    time.wall += 62_000;
    time.mono += 62_000;
    expect(store.claim('one more', time.wall + 60_000)).toBe('fresh');
    expect(store.size).toBe(1);
  });

  it('keeps the window through steps of the wall clock, either way (WSS-10)', () => {
    const time = clocks();
    const store = new MemoryReplayStore({ clock: time });
    const until = time.wall + 420_000;
    store.claim('a', until);
    time.wall += 3_600_000; // an hour ahead for a minute
    time.mono += 60_000;
    store.claim('b', time.wall + 420_000);
    time.wall -= 3_600_000 - 60_000;
    expect(store.claim('a', until)).toBe('seen');
    time.wall -= 3_600_000; // an hour back: the message would be accepted again after that hour
    time.mono += 500_000;
    store.claim('c', time.wall + 420_000);
    expect(store.claim('a', until)).toBe('seen');
    time.wall += 3 * 3_600_000; // by now both clocks are past every claim made so far
    time.mono += 3_600_000;
    store.claim('d', time.wall + 420_000);
    store.claim('e', time.wall + 420_000);
    expect(store.claim('a', time.wall + 1)).toBe('fresh');
  });

  it('spreads the forgetting of many entries over later claims', () => {
    const time = clocks();
    const store = new MemoryReplayStore({ clock: time });
    for (let index = 0; index < 20_000; index++) store.claim(`id-${index}`, time.wall + 1000);
    time.wall += 10_000;
    time.mono += 10_000;
    store.claim('x-0', time.wall + 600_000);
    expect(store.size).toBeGreaterThan(10_000);
    for (let index = 1; index < 10; index++) store.claim(`x-${index}`, time.wall + 600_000);
    expect(store.size).toBe(10);
  });
});
