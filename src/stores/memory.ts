import type { Clock } from '../core/clock.js';
import { CountersignError } from '../core/errors.js';
import type { ReplayStore } from '../wss/replay.js';

export interface MemoryStoreOptions {
  readonly clock: Clock;
  /** How many claims are remembered at once; 10^6 if not given. */
  readonly capacity?: number;
}

interface Bucket {
  readonly ids: string[];
  /** The latest wall-clock time at which one of the ids may be forgotten. */
  until: number;
}

const CAPACITY = 1_000_000;
/** Width of a bucket in milliseconds: the most that an entry outlives its time. */
const WIDTH = 1000;
/** Entries that one claim removes at most, so that the first claim after a pause is not slow. */
const SWEEP = 4096;

/**
 * Replay store in the memory of one process.
 *
 * An entry is forgotten when the monotonic clock *and* the wall clock say that its time is over: a wall clock that
 * jumps ahead and back does not open the window again. Entries wait in buckets by the second of their expiry, so
 * forgetting costs nothing per entry but its removal. When the store is full of unexpired entries it refuses: an
 * entry pushed out by others would let an attacker replay after a flood.
 */
export class MemoryReplayStore implements ReplayStore {
  readonly #clock: Clock;
  readonly #capacity: number;
  readonly #ids = new Set<string>();
  readonly #buckets = new Map<number, Bucket>();
  /** The first bucket that has not been emptied. */
  #oldest: number;

  constructor(options: MemoryStoreOptions) {
    this.#clock = options.clock;
    this.#capacity = options.capacity ?? CAPACITY;
    this.#oldest = this.#second();
  }

  /** Entries in memory, those whose time is over but that were not removed yet included. */
  get size(): number {
    return this.#ids.size;
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  claim(id: string, until: number): 'fresh' | 'seen' {
    this.#sweep(SWEEP);
    if (this.#ids.has(id)) return 'seen';
    if (this.#ids.size >= this.#capacity) this.#sweep(this.#capacity);
    if (this.#ids.size >= this.#capacity) {
      throw new CountersignError('REPLAY_STORE_FULL', 'the replay store is full of claims that still count', {
        details: { capacity: this.#capacity },
      });
    }
    this.#ids.add(id);
    const remaining = Math.max(0, until - this.#clock.now());
    const second = Math.ceil((this.#clock.micros() / 1000 + remaining) / WIDTH);
    this.#bucket(Math.max(second, this.#oldest), until).ids.push(id);
    return 'fresh';
  }

  #second(): number {
    return Math.floor(this.#clock.micros() / 1000 / WIDTH);
  }

  #bucket(second: number, until: number): Bucket {
    const known = this.#buckets.get(second);
    if (known !== undefined) {
      known.until = Math.max(known.until, until);
      return known;
    }
    const bucket = { ids: [], until };
    this.#buckets.set(second, bucket);
    return bucket;
  }

  /** Removes entries whose time is over, `limit` at most. */
  #sweep(limit: number): void {
    const current = this.#second();
    let left = limit;
    while (this.#oldest < current && left > 0) {
      const bucket = this.#buckets.get(this.#oldest);
      if (bucket !== undefined) {
        if (this.#clock.now() <= bucket.until) this.#postpone(bucket, current + 1);
        else left -= this.#remove(bucket, left);
        if (bucket.ids.length > 0) return;
        this.#buckets.delete(this.#oldest);
      } else if (this.#buckets.size === 0) {
        this.#oldest = current;
        return;
      }
      this.#oldest++;
    }
  }

  #remove(bucket: Bucket, limit: number): number {
    const removed = bucket.ids.splice(Math.max(0, bucket.ids.length - limit));
    for (const id of removed) this.#ids.delete(id);
    return removed.length;
  }

  /** The wall clock went back since the claim: the message could be accepted again, so its entry stays. */
  #postpone(bucket: Bucket, second: number): void {
    const later = this.#bucket(second, bucket.until);
    for (const id of bucket.ids) later.ids.push(id);
    bucket.ids.length = 0;
  }
}
