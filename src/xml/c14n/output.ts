import type { ByteSink } from '../../core/contracts.js';

/** Octets per call of the sink: divisible by 3 and 16, and below what costs page faults (docs/adr). */
const chunkSize = 49152;
/** Runs from this length on go to the sink as they are. */
const direct = 4096;
/** Runs up to this length are copied byte by byte, which is cheaper than a call. */
const short = 128;

const spare: Buffer[] = [];

/** Gathers octets into chunks for a sink. */
export class Output {
  readonly #sink: ByteSink;
  #chunk: Buffer = spare.pop() ?? Buffer.allocUnsafeSlow(chunkSize);
  #length = 0;

  constructor(sink: ByteSink) {
    this.#sink = sink;
  }

  /** Writes `bytes[start, end)`. */
  copy(bytes: Buffer, start: number, end: number): void {
    const length = end - start;
    if (length >= direct) {
      this.#direct(bytes, start, end);
      return;
    }
    if (this.#length + length > chunkSize) this.flush();
    if (length <= short) {
      const chunk = this.#chunk;
      let to = this.#length;
      for (let at = start; at < end; at++) chunk[to++] = bytes[at] as number;
      this.#length = to;
    } else {
      bytes.copy(this.#chunk, this.#length, start, end);
      this.#length += length;
    }
  }

  byte(value: number): void {
    if (this.#length === chunkSize) this.flush();
    this.#chunk[this.#length++] = value;
  }

  /** Hands what is gathered to the sink. */
  flush(): void {
    if (this.#length > 0) this.#sink.write(this.#chunk.subarray(0, this.#length));
    this.#length = 0;
  }

  /** Flushes and gives the chunk back. */
  end(): void {
    this.flush();
    this.release();
  }

  /** Gives the chunk back without writing anything more. */
  release(): void {
    spare.push(this.#chunk);
  }

  #direct(bytes: Buffer, start: number, end: number): void {
    this.flush();
    for (let at = start; at < end; at += chunkSize) {
      this.#sink.write(bytes.subarray(at, Math.min(at + chunkSize, end)));
    }
  }
}
