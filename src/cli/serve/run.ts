import cluster from 'node:cluster';
import { CountersignError } from '../../core/errors.js';
import type { ProviderId } from '../../policy/config.js';
import { announce, open, stopOnSignals, type StartPlan } from './open.js';

export interface ServeOptions {
  readonly config: string;
  readonly provider?: string;
  readonly workers: string;
}

const providers: ReadonlySet<string> = new Set<ProviderId>(['js', 'openssl', 'pkcs11']);
const isProvider = (id: string | undefined): id is ProviderId => id !== undefined && providers.has(id);

/**
 * Runs the gateway until SIGTERM or SIGINT.
 *
 * @throws CountersignError USAGE; CONFIG_INVALID when the configuration does not let it start
 */
export async function serve(options: ServeOptions): Promise<void> {
  const workers = Number(options.workers);
  if (!Number.isInteger(workers) || workers < 1 || workers > 256) {
    throw new CountersignError('USAGE', `--workers ${options.workers} is not a number from 1 to 256`);
  }
  if (options.provider !== undefined && !isProvider(options.provider)) {
    throw new CountersignError('USAGE', `--provider ${options.provider} is none of js, openssl, pkcs11`);
  }
  const plan: StartPlan = {
    config: options.config,
    provider: isProvider(options.provider) ? options.provider : undefined,
    workers,
  };
  if (workers > 1) {
    const { runWorker, superviseWorkers } = await import('./workers.js');
    if (cluster.isPrimary) await superviseWorkers(plan);
    else await runWorker(plan);
    return;
  }
  const gateway = await open(plan);
  try {
    announce(gateway, await gateway.listen());
  } catch (error) {
    await gateway.close();
    throw error;
  }
  stopOnSignals(gateway.log, () => void gateway.close());
}
