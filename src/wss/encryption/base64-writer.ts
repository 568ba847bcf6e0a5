import { PIECE, writeBase64 } from '../../core/bytes.js';

/** Writes bytes that come in pieces of any length as one base64 text, without a string of more than 64 KB. */
export class Base64Writer {
  readonly #target: Uint8Array;
  readonly #stage: Uint8Array;
  #staged = 0;
  #at: number;

  /**
   * @param target where the text goes, from `at` on
   * @param length bytes that will come at most
   */
  constructor(target: Uint8Array, at: number, length: number) {
    this.#target = target;
    this.#at = at;
    this.#stage = Buffer.allocUnsafe(Math.min(length, PIECE));
  }

  write(bytes: Uint8Array): void {
    for (let start = 0; start < bytes.length;) {
      const count = Math.min(bytes.length - start, this.#stage.length - this.#staged);
      this.#stage.set(bytes.subarray(start, start + count), this.#staged);
      this.#staged += count;
      start += count;
      if (this.#staged === PIECE) this.#flush();
    }
  }

  /** @returns the offset after the text */
  end(): number {
    this.#flush();
    return this.#at;
  }

  #flush(): void {
    this.#at = writeBase64(this.#stage.subarray(0, this.#staged), this.#target, this.#at);
    this.#staged = 0;
  }
}
