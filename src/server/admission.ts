import { CountersignError } from '../core/errors.js';
import type { Bounds } from './bounds.js';

/**
 * Counts the messages that are being worked on. What is too much is refused while that is cheap, so that those that were
 * let in are answered in time (research/security.md HTT-15). Bodies that are still coming do not count: slow callers
 * would take the places of the others.
 */
export class Admission {
  readonly #most: Pick<Bounds, 'exchanges' | 'bytes'>;
  #exchanges = 0;
  #bytes = 0;

  constructor(most: Pick<Bounds, 'exchanges' | 'bytes'>) {
    this.#most = most;
  }

  /**
   * Asks before a body is read.
   *
   * @throws CountersignError SERVICE_OVERLOADED
   */
  check(): void {
    if (this.#exchanges >= this.#most.exchanges) throw overloaded(`${this.#exchanges} exchanges`);
  }

  /**
   * Takes a place for a message that has come.
   *
   * @param bytes of its body
   * @returns gives the place back; call once
   * @throws CountersignError SERVICE_OVERLOADED
   */
  enter(bytes: number): () => void {
    this.check();
    // One message alone is always borne: its own limit has been checked.
    if (this.#exchanges > 0 && this.#bytes + bytes > this.#most.bytes) {
      throw overloaded(`${this.#bytes} bytes of messages`);
    }
    this.#exchanges += 1;
    this.#bytes += bytes;
    return () => {
      this.#exchanges -= 1;
      this.#bytes -= bytes;
    };
  }
}

const overloaded = (found: string): CountersignError =>
  new CountersignError('SERVICE_OVERLOADED', 'too much is being worked on already', {
    details: { found: `${found} under way` },
  });
