import { base64Length, PIECE, writeBase64 } from '../core/bytes.js';

/**
 * Makes text out of octets that come in pieces of any length, without a string of more than 64 KB. What it makes is
 * base64 whatever comes, so that a document takes it without looking (`XmlDocument.fill`).
 */
export class Base64Writer {
  readonly #target: Buffer;
  readonly #stage: Uint8Array;
  #staged = 0;
  #at = 0;

  /** @param length octets that will come at most */
  constructor(length: number) {
    this.#target = Buffer.allocUnsafe(base64Length(length));
    this.#stage = Buffer.allocUnsafe(Math.min(length, PIECE));
  }

  write(octets: Uint8Array): void {
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
    this.#flush();
    return this.#target.subarray(0, this.#at);
  }

  #flush(): void {
    this.#at = writeBase64(this.#stage.subarray(0, this.#staged), this.#target, this.#at);
    this.#staged = 0;
  }
}
