import cluster from 'node:cluster';
import { providerOption } from '../provider-option.js';
import { announce, open, stopOnSignals, type StartPlan } from './open.js';

export interface ServeOptions {
  readonly config: string;
  readonly provider?: string;
  readonly workers: number;
}

/**
 * Runs the gateway until SIGTERM or SIGINT.
 *
 * @throws CountersignError USAGE; CONFIG_INVALID when the configuration does not let it start; LISTEN_FAILED
 */
export async function serve(options: ServeOptions): Promise<void> {
  const { workers } = options;
  const plan: StartPlan = {
    config: options.config,
    provider: providerOption(options.provider),
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
