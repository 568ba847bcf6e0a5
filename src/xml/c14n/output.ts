import type { ByteSink } from '../../core/contracts.js';
import type { Octets } from '../octets.js';
import * as octets from '../octets.js';

// V8 folds a module's own constants, but not imported ones (perf/README.md).
const { copyShort, octetsOf } = octets;

/** Octets per call of the sink: divisible by 3 and 16, and below what costs page faults (docs/adr). */
const chunkSize = 49152;
/** Runs from this length on go to the sink as they are. */
const direct = 4096;
/** Runs up to this length are copied here, which is cheaper than a call. */
const short = 128;

const spare: Octets[] = [];

/** Gathers octets into chunks for a sink. */
export class Output {
  readonly #sink: ByteSink;
  readonly #chunk: Octets = spare.pop() ?? octetsOf(Buffer.allocUnsafeSlow(chunkSize));
  readonly #bytes: Buffer = this.#chunk.bytes;
  readonly #view: DataView = this.#chunk.view;
  #length = 0;

  constructor(sink: ByteSink) {
    this.#sink = sink;
  }

  /** Writes the bytes `[start, end)` of `from`. */
  copy(from: Octets, start: number, end: number): void {
    const length = end - start;
    if (length >= direct) {
      this.#direct(from.bytes, start, end);
      return;
    }
    if (this.#length + length > chunkSize) this.flush();
    const to = this.#length;
    this.#length = to + length;
    if (length > short) from.bytes.copy(this.#bytes, to, start, end);
    else copyShort(from.view, start, this.#view, to, length);
  }

  byte(value: number): void {
    if (this.#length === chunkSize) this.flush();
    this.#bytes[this.#length++] = value;
  }

  /** Hands what is gathered to the sink. @param last nothing follows */
  flush(last = false): void {
    if (this.#length > 0) this.#sink.write(this.#bytes.subarray(0, this.#length), last);
    this.#length = 0;
  }

  /** Gives the chunk back without writing anything more. */
  release(): void {
    spare.push(this.#chunk);
  }

  #direct(bytes: Buffer, start: number, end: number): void {
    this.flush();
    for (let at = start; at < end; at += chunkSize) {
      this.#sink.write(bytes.subarray(at, Math.min(at + chunkSize, end)), false);
    }
  }
}
