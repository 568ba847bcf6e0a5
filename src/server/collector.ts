import type { BufferPool, Lease } from './buffers.js';
import { unpooled } from './buffers.js';

/**
 * Gathers one HTTP body. A body that comes in one piece is used as it came; a larger one goes into one pooled
 * buffer, at once when its length is known, else when it has ended.
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
    if (this.#expected !== undefined && chunk.length < this.#expected) {
      this.#target ??= this.#pool.lease(this.#expected);
      chunk.copy(this.#target.bytes, this.#length);
    } else {
      this.#chunks.push(chunk);
    }
    this.#length = length;
    return true;
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
