import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { systemClock } from '../../core/clock.js';
import type { Code } from '../../core/codes.js';
import { CountersignError, isCountersignError } from '../../core/errors.js';
import type { Gateway, MetricsSnapshot } from '../../server/index.js';
import { announce, open, stopOnSignals, type StartPlan } from './open.js';

/** How long a worker may take to tell its numbers; a busy one is left out of that scrape. */
const ANSWER_DEADLINE = 2_000;
/** A worker that ends sooner than this has not started. */
const TOO_SOON = 5_000;
const MOST_FAILURES = 5;

type FromWorker =
  | { readonly kind: 'listening'; readonly address: AddressInfo }
  | { readonly kind: 'failed'; readonly code: Code; readonly message: string }
  | { readonly kind: 'metrics'; readonly snapshot: MetricsSnapshot };

const isFromWorker = (message: unknown): message is FromWorker =>
  typeof message === 'object' && message !== null && 'kind' in message;

/** One of several processes that share the data listener. It answers to the primary, not to signals of a terminal. */
export async function runWorker(plan: StartPlan): Promise<void> {
  const gateway = await open(plan, true);
  process.on('SIGINT', () => {});
  process.on('SIGHUP', () => {});
  process.once('SIGTERM', () => {
    process.on('SIGTERM', () => {});
    void gateway.close().then(() => cluster.worker?.disconnect());
  });
  process.on('message', (question: unknown) => {
    if (question === 'metrics') tell({ kind: 'metrics', snapshot: gateway.metrics.snapshot() });
  });
  try {
    tell({ kind: 'listening', address: await gateway.listenData() });
  } catch (error) {
    // The primary says it, once for all workers.
    const { code, message } = asCountersignError(error);
    tell({ kind: 'failed', code, message });
    await gateway.close();
    cluster.worker?.disconnect();
  }
}

function asCountersignError(error: unknown): CountersignError {
  if (isCountersignError(error)) return error;
  return new CountersignError('INTERNAL', 'the worker failed before it listened', { cause: error });
}

function tell(message: FromWorker): void {
  process.send?.(message);
}

/**
 * Starts the workers and keeps their number; the primary has the admin listener and adds up what they count.
 *
 * @throws CountersignError CONFIG_INVALID, LISTEN_FAILED
 */
export async function superviseWorkers(plan: StartPlan): Promise<void> {
  const gateway = await open(plan);
  const crew = new Crew(plan.workers, gateway);
  const stop = async (): Promise<void> => {
    await crew.stop();
    await gateway.close();
  };
  try {
    const data = await crew.start();
    const admin = await gateway.listenAdmin(async () => {
      gateway.metrics.load(await crew.snapshots());
    });
    announce(gateway, { data, admin });
  } catch (error) {
    await stop();
    throw error;
  }
  stopOnSignals(gateway.log, () => void stop());
}

class Crew {
  readonly #size: number;
  readonly #gateway: Gateway;
  #started = false;
  #stopping = false;
  #failures = 0;

  constructor(size: number, gateway: Gateway) {
    this.#size = size;
    this.#gateway = gateway;
  }

  /** Resolves when every worker listens. */
  async start(): Promise<AddressInfo> {
    const addresses = await Promise.all(Array.from({ length: this.#size }, () => this.#fork()));
    const [first] = addresses;
    if (first === undefined) throw new CountersignError('INTERNAL', 'no worker was started');
    this.#started = true;
    return first;
  }

  /** What the workers have counted so far. */
  async snapshots(): Promise<MetricsSnapshot[]> {
    const answers = await Promise.all(workers().map((worker) => ask(worker)));
    return answers.filter((answer) => answer !== undefined);
  }

  /** Ends the workers; each finishes what it has under way. */
  async stop(): Promise<void> {
    this.#stopping = true;
    const ended = workers().map((worker) => once(worker, 'exit'));
    for (const worker of workers()) worker.process.kill('SIGTERM');
    await Promise.all(ended);
  }

  #fork(): Promise<AddressInfo> {
    const worker = cluster.fork();
    const begun = systemClock.now();
    return new Promise((resolve, reject) => {
      let failed = false;
      worker.on('message', (message: unknown) => {
        if (!isFromWorker(message)) return;
        if (message.kind === 'listening') resolve(message.address);
        if (message.kind === 'failed') {
          failed = true;
          reject(new CountersignError(message.code, message.message));
        }
      });
      worker.once('exit', (code) => {
        reject(new CountersignError('CONFIG_INVALID', `a worker ended with ${code} before it listened`));
        if (this.#started || !failed) this.#replace(code, systemClock.now() - begun);
      });
    });
  }

  #replace(code: number, lived: number): void {
    if (this.#stopping) return;
    this.#failures = lived < TOO_SOON ? this.#failures + 1 : 0;
    this.#gateway.log.error({ code, lived_ms: lived }, 'a worker ended');
    if (this.#failures < MOST_FAILURES) {
      this.#fork().catch(() => {});
      return;
    }
    this.#gateway.log.error({}, 'workers do not start: giving up');
    process.exitCode = 1;
    void this.stop().then(() => this.#gateway.close());
  }
}

const workers = (): Worker[] => Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);

function ask(worker: Worker): Promise<MetricsSnapshot | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      settle(undefined);
    }, ANSWER_DEADLINE);
    const settle = (snapshot: MetricsSnapshot | undefined): void => {
      clearTimeout(timer);
      worker.off('message', listen);
      resolve(snapshot);
    };
    const listen = (message: unknown): void => {
      if (isFromWorker(message) && message.kind === 'metrics') settle(message.snapshot);
    };
    worker.on('message', listen);
    // A worker that has just ended has no channel; without a callback that would be an error of the whole process.
    worker.send('metrics', (error: Error | null) => {
      if (error !== null) settle(undefined);
    });
  });
}
