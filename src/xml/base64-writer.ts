import type { Scratch } from '../core/buffers.js';
import { base64Length, PIECE, writeBase64 } from '../core/bytes.js';

/** Rooms for octets that wait to be text; they hold nothing between writers. */
const stages: Uint8Array[] = [];

/**
 * Makes text out of octets that come in pieces of any length, without a string of more than 64 KB. What it makes is
 * base64 whatever comes, so that a document takes it without looking (`XmlDocument.fill`).
 */
export class Base64Writer {
  readonly #target: Buffer;
  readonly #stage: Uint8Array;
  #staged = 0;
  #at = 0;
  #ended = false;

  /**
   * @param length octets that will come at most
   * @param scratch where the text goes, if not into memory of its own
   */
  constructor(length: number, scratch?: Scratch) {
    const size = base64Length(length);
    this.#target = scratch === undefined ? Buffer.allocUnsafe(size) : scratch.take(size);
    this.#stage = stages.pop() ?? Buffer.allocUnsafeSlow(PIECE);
  }

  write(octets: Uint8Array): void {
    // The stage is another writer's by then.
    if (this.#ended) throw new Error('nothing can be written after the end');
    for (let start = 0; start < octets.length;) {
      const count = Math.min(octets.length - start, this.#stage.length - this.#staged);
      this.#stage.set(octets.subarray(start, start + count), this.#staged);
      this.#staged += count;
      start += count;
      // Only whole groups of three can be followed by more.
      if (this.#staged === PIECE) this.#flush();
    }
  }

  /** The text; nothing can be written any more. */
  end(): Buffer {
    if (!this.#ended) {
      this.#flush();
      stages.push(this.#stage);
      this.#ended = true;
    }
    return this.#target.subarray(0, this.#at);
  }

  #flush(): void {
    this.#at = writeBase64(this.#stage.subarray(0, this.#staged), this.#target, this.#at);
    this.#staged = 0;
  }
}
