import { describe, expect, it } from '@jest/globals';
import type { Clock } from '#src/core/clock.js';
import { StepTimer } from '#src/core/timer.js';

/** A timer whose clock stands where it is put. */
function at(): { timer: StepTimer; clock: { us: number } } {
  const clock = { us: 0 };
  const source: Clock = { now: () => 0, micros: () => clock.us };
  return { timer: new StepTimer(source), clock };
}

describe('work whose step is only supposed', () => {
  it('is that of the step that label names, from its beginning, with parts and key', () => {
    const { timer, clock } = at();
    timer.enter('a');
    clock.us = 10;
    timer.suppose('a');
    timer.part('token');
    clock.us = 15;
    timer.part('cipher');
    timer.label({ step: 'b', key: 'k' });
    clock.us = 22;
    timer.enter('c');
    clock.us = 30;
    timer.finish();
    expect(timer.steps()).toEqual([
      { step: 'a', start_us: 0, us: 10 },
      { step: 'b', start_us: 10, us: 12, key: 'k', parts: { token: 5, cipher: 7 } },
      { step: 'c', start_us: 22, us: 8 },
    ]);
    expect(timer.total()).toBe(30);
  });

  it('adds to what the step has, and is the supposed one where nothing is said', () => {
    const { timer, clock } = at();
    for (const step of [undefined, 'b', 'b', undefined]) {
      timer.suppose('a');
      timer.part('token');
      clock.us += 3;
      if (step !== undefined) timer.label({ step });
      clock.us += 1;
      timer.leave();
    }
    timer.finish();
    expect(timer.steps()).toEqual([
      { step: 'a', start_us: 0, us: 8, parts: { token: 8 } },
      { step: 'b', start_us: 4, us: 8, parts: { token: 8 } },
    ]);
  });

  it('goes over to another step where label names one later', () => {
    const { timer, clock } = at();
    timer.suppose('a');
    clock.us = 2;
    timer.label({ step: 'a', key: 'first' });
    clock.us = 5;
    timer.label({ step: 'b', key: 'second' });
    clock.us = 9;
    timer.finish();
    expect(timer.steps()).toEqual([
      { step: 'a', start_us: 0, us: 5, key: 'first' },
      { step: 'b', start_us: 5, us: 4, key: 'second' },
    ]);
  });
});
