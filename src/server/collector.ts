import type { BufferPool, Lease } from '../core/buffers.js';
import { unpooled } from '../core/buffers.js';

/** What must have come before memory is taken for all that was announced: announcing costs a peer nothing. */
const EARNEST = 16 * 1024;

/**
 * Gathers one HTTP body. A body that comes in one piece is used as it came; a larger one goes into one pooled
 * buffer: when its length is known, as soon as a part of it is there, else when it has ended.
 */
export class BodyCollector {
  readonly #pool: BufferPool;
  readonly #limit: number;
  readonly #expected: number | undefined;
  #chunks: Buffer[] = [];
  #target: Lease | undefined;
  #length = 0;

  /**
   * @param limit the most bytes
   * @param expected the Content-Length, if there is one; must not be larger than `limit`
   */
  constructor(pool: BufferPool, limit: number, expected: number | undefined) {
    this.#pool = pool;
    this.#limit = limit;
    this.#expected = expected;
  }

  get length(): number {
    return this.#length;
  }

  /** Takes the next piece. @returns false when the body is larger than the limit or than it said */
  push(chunk: Buffer): boolean {
    const length = this.#length + chunk.length;
    if (length > (this.#expected ?? this.#limit)) return false;
    if (this.#target !== undefined) chunk.copy(this.#target.bytes, this.#length);
    else {
      this.#chunks.push(chunk);
      if (this.#expected !== undefined && isEarnest(length, this.#expected)) this.#gather(this.#expected);
    }
    this.#length = length;
    return true;
  }

  /** The pieces so far move into the buffer for all of them. */
  #gather(expected: number): void {
    const target = this.#pool.lease(expected);
    let at = 0;
    for (const piece of this.#chunks) {
      piece.copy(target.bytes, at);
      at += piece.length;
    }
    this.#chunks = [];
    this.#target = target;
  }

  /** The whole body; call once, at its end. Undefined when it is shorter than it said. */
  finish(): Lease | undefined {
    if (this.#expected !== undefined && this.#length !== this.#expected) return undefined;
    if (this.#target !== undefined) return this.#target;
    const [only] = this.#chunks;
    if (only !== undefined && this.#chunks.length === 1) return unpooled(only);
    return concat(this.#chunks, this.#length, this.#pool);
  }

  /** Gives up: what was gathered is no longer needed. */
  drop(): void {
    this.#target?.release();
    this.#chunks = [];
  }
}

/** A sixteenth of it, but not all of it: a whole body in one piece is used as it came. */
const isEarnest = (length: number, expected: number): boolean =>
  length < expected && length >= EARNEST && length * 16 >= expected;

/** Copies pieces into one buffer of the pool. */
export function concat(pieces: readonly Uint8Array[], length: number, pool: BufferPool): Lease {
  const lease = pool.lease(length);
  let at = 0;
  for (const piece of pieces) {
    lease.bytes.set(piece, at);
    at += piece.length;
  }
  return lease;
}
