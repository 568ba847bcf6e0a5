/**
 * Big buffers, used again. glibc maps and unmaps every allocation over 128 KB, and the page faults cost more than the
 * work done in them (perf/README.md); so they are kept.
 */

/** A buffer that belongs to one owner until it is released. */
export interface Lease {
  readonly bytes: Buffer;
  /** Gives the bytes back; later calls do nothing. The owner must not touch `bytes` afterwards. */
  release(): void;
}

const SMALLEST = 128 * 1024;

/** Keeps released buffers in classes of powers of two. */
export class BufferPool {
  readonly #free = new Map<number, Buffer[]>();
  readonly #limit: number;
  #kept = 0;

  /** @param limit bytes that the pool keeps at most while nobody uses them */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** A buffer of at least `length` bytes, with whatever it held before. */
  take(length: number): Lease {
    if (length <= SMALLEST) return { bytes: Buffer.allocUnsafe(length), release() {} };
    const size = 2 ** Math.ceil(Math.log2(length));
    const kept = this.#free.get(size)?.pop();
    if (kept !== undefined) this.#kept -= size;
    const bytes = kept ?? Buffer.allocUnsafeSlow(size);
    let owned = true;
    return {
      bytes,
      release: () => {
        if (owned) this.#give(bytes);
        owned = false;
      },
    };
  }

  /** Bytes that are kept and not in use. */
  get kept(): number {
    return this.#kept;
  }

  #give(bytes: Buffer): void {
    if (this.#kept + bytes.length > this.#limit) return;
    this.#kept += bytes.length;
    const known = this.#free.get(bytes.length);
    if (known === undefined) this.#free.set(bytes.length, [bytes]);
    else known.push(bytes);
  }
}
