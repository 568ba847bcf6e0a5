import { compose } from '../../compose.js';
import { CountersignError } from '../../core/errors.js';
import type { ProviderId } from '../../policy/config.js';
import { isError, renderDiagnostic } from '../../policy/index.js';
import { Gateway, Metrics, type Addresses, type Log } from '../../server/index.js';
import { exitOfCode, exitOfErrors, shown } from '../output.js';

/** What a process of the gateway is started with. */
export interface StartPlan {
  readonly config: string;
  readonly provider: ProviderId | undefined;
  readonly workers: number;
}

/**
 * Compiles the configuration and makes the gateway; it does not listen yet.
 *
 * @param quiet the errors of the configuration were shown by another process
 * @throws CountersignError the code of an error of the configuration
 */
export async function open(plan: StartPlan, quiet = false): Promise<Gateway> {
  const metrics = new Metrics();
  const composition = await compose({
    ...plan,
    longRunning: true,
    listens: true,
    onException: metrics.countException,
  });
  const { parts } = composition;
  for (const diagnostic of quiet ? [] : composition.compiled.diagnostics) {
    process.stderr.write(`${renderDiagnostic(diagnostic, shown)}\n`);
  }
  if (parts === undefined) {
    await composition.close();
    // the exit code is that of check: 3 where the files are right and a key or a token is not there
    const errors = composition.compiled.diagnostics.filter(isError);
    const exit = exitOfErrors(errors);
    const code = errors.find((error) => exitOfCode(error.code) === exit)?.code ?? 'CONFIG_INVALID';
    throw new CountersignError(code, `${plan.config} does not let the gateway start`);
  }
  return new Gateway(parts, { metrics });
}

/** Says that the gateway listens, to people and to the log. */
export function announce(gateway: Gateway, { data, admin }: Addresses): void {
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
export function stopOnSignals(log: Log, close: () => void): void {
  const stop = (signal: NodeJS.Signals): void => {
    log.info({ signal }, 'draining');
    process.off('SIGTERM', stop);
    process.off('SIGINT', stop);
    close();
  };
  const ignore = (): void => {
    log.warn({}, 'SIGHUP is ignored: restart the gateway to read its configuration again');
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  process.on('SIGHUP', ignore);
}
