const KiB = 1024;
const MiB = 1024 * KiB;

/** Below this, allocation is cheaper than keeping; above, fresh memory costs a page fault every 4 KiB. */
const SMALLEST = 64 * KiB;
const LARGEST = 32 * MiB;
const RETAINED = 48 * MiB;

/**
 * Bytes with one owner. The owner calls `release` once nothing can read the bytes any more: after the last write
 * that uses them has ended, or after the sockets that had them are destroyed.
 */
export interface Lease {
  readonly bytes: Buffer;
  /** Gives the memory back; a second call does nothing. */
  release(): void;
}

/**
 * Keeps large buffers between exchanges. What is never released is simply collected: in doubt, an owner lets a
 * lease go without releasing it.
 */
export class BufferPool {
  readonly #free = new Map<number, Buffer[]>();
  readonly #poison: number | undefined;
  #retained = 0;
  #leased = 0;

  /** @param poison a byte that released memory is filled with: tests find bytes that were used too late */
  constructor(options: { readonly poison?: number } = {}) {
    this.#poison = options.poison;
  }

  /** Bytes that are kept for later, and leases of pooled memory that are out. */
  get stats(): { readonly retained: number; readonly leased: number } {
    return { retained: this.#retained, leased: this.#leased };
  }

  /** At least `size` bytes, of any content; `bytes` is exactly as long as asked. */
  lease(size: number): Lease {
    if (size < SMALLEST || size > LARGEST) return unpooled(Buffer.allocUnsafe(size));
    const capacity = 2 ** Math.ceil(Math.log2(size));
    const kept = this.#free.get(capacity)?.pop();
    if (kept !== undefined) this.#retained -= capacity;
    this.#leased += 1;
    return this.#pooled(kept ?? Buffer.allocUnsafeSlow(capacity), size);
  }

  #pooled(memory: Buffer, size: number): Lease {
    let owned = true;
    return {
      bytes: memory.subarray(0, size),
      release: () => {
        if (!owned) return;
        owned = false;
        this.#leased -= 1;
        if (this.#poison !== undefined) memory.fill(this.#poison);
        this.#keep(memory);
      },
    };
  }

  #keep(memory: Buffer): void {
    if (this.#retained + memory.length > RETAINED) return;
    this.#retained += memory.length;
    const list = this.#free.get(memory.length);
    if (list === undefined) this.#free.set(memory.length, [memory]);
    else list.push(memory);
  }
}

/** A lease of memory that belongs to no pool. */
export function unpooled(bytes: Buffer): Lease {
  return { bytes, release() {} };
}

/**
 * The large buffers that one message needs besides its own bytes: its ciphertext, its plaintext. Without a pool, and
 * below the size that is worth keeping, the memory is simply allocated.
 */
export class Scratch {
  readonly #pool: BufferPool | undefined;
  readonly #leases: Lease[] = [];

  constructor(pool: BufferPool | undefined) {
    this.#pool = pool;
  }

  /** `size` bytes of any content, good until `release`. */
  take(size: number): Buffer {
    if (this.#pool === undefined || size < SMALLEST) return Buffer.allocUnsafe(size);
    const lease = this.#pool.lease(size);
    this.#leases.push(lease);
    return lease.bytes;
  }

  /** Gives everything back: nothing may read it any more. */
  release(): void {
    for (const lease of this.#leases) lease.release();
    this.#leases.length = 0;
  }
}
