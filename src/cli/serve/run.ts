import { compose } from '../../compose.js';
import { CountersignError } from '../../core/errors.js';
import type { ProviderId } from '../../policy/config.js';
import { renderDiagnostic } from '../../policy/index.js';
import { Gateway, Metrics, type Addresses } from '../../server/index.js';

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
  const gateway = await start(
    options.config,
    isProvider(options.provider) ? options.provider : undefined,
    workers,
  );
  stopOnSignals(gateway);
}

async function start(config: string, provider: ProviderId | undefined, workers: number): Promise<Gateway> {
  const metrics = new Metrics();
  const composition = await compose({
    config,
    provider,
    workers,
    longRunning: true,
    onException: (service, { id, use }) => {
      metrics.exceptions.at(service, id, use).value += 1;
    },
  });
  const { parts } = composition;
  for (const diagnostic of composition.compiled.diagnostics) {
    process.stderr.write(`${renderDiagnostic(diagnostic)}\n`);
  }
  if (parts === undefined) {
    await composition.close();
    throw new CountersignError('CONFIG_INVALID', `${config} does not let the gateway start`);
  }
  const gateway = new Gateway(parts, { metrics });
  announce(gateway, await gateway.listen());
  return gateway;
}

function announce(gateway: Gateway, { data, admin }: Addresses): void {
  const { services } = gateway.readiness();
  const named = (state: string): string[] => Object.keys(services).filter((name) => services[name] === state);
  const refused = named('refused');
  gateway.log.info(
    {
      data: { host: data.address, port: data.port },
      admin: { host: admin.address, port: admin.port },
      services: named('ready'),
      refused,
    },
    'listening',
  );
  const note = refused.length === 0 ? '' : `, refused: ${refused.join(', ')}`;
  process.stderr.write(
    `countersign: listening on ${gateway.scheme}://${at(data)} (services: ${named('ready').join(', ') || 'none'}${note}), admin http://${at(admin)}\n`,
  );
}

const at = ({ address, family, port }: Addresses['data']): string =>
  family === 'IPv6' ? `[${address}]:${port}` : `${address}:${port}`;

/** Drains on the first signal; the process then ends by itself, so that profilers and coverage see a normal exit. */
function stopOnSignals(gateway: Gateway): void {
  const stop = (signal: NodeJS.Signals): void => {
    gateway.log.info({ signal }, 'draining');
    process.off('SIGTERM', stop);
    process.off('SIGINT', stop);
    process.off('SIGHUP', ignore);
    void gateway.close();
  };
  const ignore = (): void => {
    gateway.log.warn({}, 'SIGHUP is ignored: restart the gateway to read its configuration again');
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  process.on('SIGHUP', ignore);
}
