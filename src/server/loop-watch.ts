import type { Clock } from '../core/clock.js';

/** Milliseconds between two looks at the loop while an exchange is under way. */
const INTERVAL = 10;
/** A timer may be this late without anything having stood in its way (Node counts whole milliseconds). */
const TOLERANCE_MICROS = 1_500;

/** What one exchange has seen of the event loop's delays. */
export interface LoopProbe {
  /** The largest delay so far, in microseconds. */
  max: number;
}

/**
 * Measures how long the event loop kept callbacks waiting: a timer finds long stalls, and callers add the delay of
 * their own turns (`sample`), which finds short ones. Nothing runs while no exchange is under way.
 */
export class LoopWatch {
  readonly #clock: Clock;
  readonly #probes = new Set<LoopProbe>();
  #timer: NodeJS.Timeout | undefined;
  #due = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  begin(): LoopProbe {
    const probe = { max: 0 };
    this.#probes.add(probe);
    if (this.#timer === undefined) this.#wait();
    return probe;
  }

  /** Lets the loop turn once, and counts how long that took. */
  turn(probe: LoopProbe): Promise<void> {
    const from = this.#clock.micros();
    return new Promise((resolve) => {
      setImmediate(() => {
        sample(probe, this.#clock.micros() - from);
        resolve();
      });
    });
  }

  /** The largest delay so far; a stall that is still going on is counted. */
  soFar(probe: LoopProbe): number {
    sample(probe, this.#clock.micros() - this.#due - TOLERANCE_MICROS);
    return probe.max;
  }

  end(probe: LoopProbe): void {
    this.#probes.delete(probe);
  }

  #wait(): void {
    this.#due = this.#clock.micros() + INTERVAL * 1000;
    this.#timer = setTimeout(() => {
      this.#look();
    }, INTERVAL);
    this.#timer.unref();
  }

  #look(): void {
    this.#timer = undefined;
    const late = this.#clock.micros() - this.#due - TOLERANCE_MICROS;
    if (late > 0) for (const probe of this.#probes) sample(probe, late);
    if (this.#probes.size > 0) this.#wait();
  }
}

function sample(probe: LoopProbe, delay: number): void {
  if (delay > probe.max) probe.max = delay;
}
