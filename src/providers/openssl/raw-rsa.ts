import { constants, privateDecrypt, publicEncrypt, type KeyObject } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { CountersignError } from '../../core/errors.js';
import type { RawAnswer, RawQuestion } from './raw-worker.js';

/** Above this the operation takes longer (Node 20: 1.8 ms at 3072 bits) than the event loop should wait. */
const DIRECT_BITS = 2048;

/** x^e mod n. @throws when `block` is not as long as the modulus or not below it */
export function rawPublic(key: KeyObject, block: Uint8Array): Uint8Array {
  return publicEncrypt({ key, padding: constants.RSA_NO_PADDING }, block);
}

interface Job {
  readonly key: KeyObject;
  readonly block: Uint8Array;
  readonly resolve: (block: Uint8Array | undefined) => void;
  readonly reject: (error: Error) => void;
}

interface Slot {
  readonly worker: Worker;
  readonly jobs: Map<number, Job>;
}

/**
 * Bare RSA private operations (x^d mod n). OpenSSL blinds them; what is made of the result is the caller's care.
 *
 * `privateDecrypt` is synchronous and Web Crypto has no raw RSA, so this is the one private operation that Node's
 * own thread pool cannot do. One alone with a short key runs at once: handing it over would cost it a fifth more.
 * As soon as several wait, worker threads share them (docs/adr/0013).
 */
export class RawRsa {
  readonly #width: number;
  readonly #waiting: Job[] = [];
  readonly #slots: Slot[] = [];
  #scheduled = false;
  #next = 0;

  /** @param width how many worker threads there may be */
  constructor(width: number) {
    this.#width = width;
  }

  /**
   * @returns undefined when OpenSSL refuses `block` (too long, not below the modulus)
   * @throws CountersignError PROVIDER_FAILED when a worker thread dies
   */
  run(key: KeyObject, block: Uint8Array): Promise<Uint8Array | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ key, block, resolve, reject });
      if (this.#scheduled) return;
      this.#scheduled = true;
      setImmediate(() => this.#drain());
    });
  }

  /** Ends the worker threads. Work that they have not done fails. */
  async close(): Promise<void> {
    await Promise.all(this.#slots.map(({ worker }) => worker.terminate()));
  }

  #drain(): void {
    this.#scheduled = false;
    const jobs = this.#waiting.splice(0);
    const [only] = jobs;
    if (jobs.length === 1 && only !== undefined && this.#idle() && direct(only.key)) {
      runHere(only);
      return;
    }
    for (const job of jobs) this.#handOver(job);
  }

  #idle(): boolean {
    return this.#slots.every(({ jobs }) => jobs.size === 0);
  }

  #handOver(job: Job): void {
    let slot = this.#slots.reduce<Slot | undefined>(
      (best, candidate) => (best === undefined || candidate.jobs.size < best.jobs.size ? candidate : best),
      undefined,
    );
    if (slot === undefined || (slot.jobs.size > 0 && this.#slots.length < this.#width)) slot = this.#start();
    const question: RawQuestion = { id: this.#next++, key: job.key, block: job.block };
    slot.jobs.set(question.id, job);
    slot.worker.postMessage(question);
    slot.worker.ref();
  }

  #start(): Slot {
    const worker = new Worker(new URL('./raw-worker.js', import.meta.url), { env: {}, execArgv: [] });
    const slot: Slot = { worker, jobs: new Map() };
    worker.unref();
    worker.on('message', (answer: RawAnswer) => {
      const job = slot.jobs.get(answer.id);
      slot.jobs.delete(answer.id);
      if (slot.jobs.size === 0) worker.unref();
      job?.resolve(answer.block);
    });
    const gone = (cause?: unknown): void => {
      const at = this.#slots.indexOf(slot);
      if (at >= 0) this.#slots.splice(at, 1);
      for (const job of slot.jobs.values()) {
        job.reject(new CountersignError('PROVIDER_FAILED', 'a worker thread for RSA died', { cause }));
      }
      slot.jobs.clear();
    };
    worker.on('error', gone);
    worker.on('exit', () => gone());
    this.#slots.push(slot);
    return slot;
  }
}

function direct(key: KeyObject): boolean {
  return (key.asymmetricKeyDetails?.modulusLength ?? Infinity) <= DIRECT_BITS;
}

function runHere(job: Job): void {
  let block: Uint8Array | undefined;
  try {
    block = privateDecrypt({ key: job.key, padding: constants.RSA_NO_PADDING }, job.block);
  } catch {
    // OpenSSL's reason stays here: all failures are one.
  }
  job.resolve(block);
}
