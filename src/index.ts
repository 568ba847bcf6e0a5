/** Countersign as a library: the gateway as Express middleware, or chain by chain. */
import { compose } from './compose.js';
import { CountersignError } from './core/errors.js';
import type { ChainKind } from './pipeline/index.js';
import type { ProviderId } from './policy/config.js';
import { isError, renderDiagnostic } from './policy/index.js';
import {
  Gateway,
  Metrics,
  type Log,
  type Middleware,
  type Processed,
  type RefusedService,
} from './server/index.js';

export { CountersignError } from './core/errors.js';
export type { Code } from './core/codes.js';
export type { ChainKind, Exchange, Outcome, TimingRecord } from './pipeline/index.js';
export type { Log, Middleware, Processed, RefusalReason, RefusedService } from './server/index.js';
export type { Evidence } from './wss/evidence.js';

export interface CreateGatewayOptions {
  /** The gateway file, or the same as an object. */
  readonly config: string | object;
  /** Instead of the provider that the configuration names. */
  readonly provider?: ProviderId;
  /** What paths are relative to, where the configuration is an object; the working directory, if not given. */
  readonly base?: string;
  /** Where the timing records and other log lines go; standard output, if not given. */
  readonly log?: Log;
}

/** A gateway inside an application: it opens no listeners of its own. */
export interface EmbeddedGateway {
  /**
   * Services that did not start, and why; the others run. An application that wants all or nothing closes the gateway
   * when this is not empty.
   */
  readonly refused: readonly RefusedService[];
  /** Handles the service paths of the configuration; passes every other request on. */
  middleware(): Middleware;
  /**
   * Runs one chain over one message.
   *
   * @param exchange of the request (`Processed.exchange`), where the response chain needs what it has established
   * @throws CountersignError with the reason for the operator; SERVICE_UNAVAILABLE where the service was refused
   */
  process(
    service: string,
    chain: ChainKind,
    bytes: Uint8Array,
    exchange?: Processed['exchange'],
  ): Promise<Processed>;
  /** Finishes what is under way, then closes connections, providers and stores. */
  close(): Promise<void>;
}

/**
 * Opens keys, compiles every chain and joins them to a gateway. A service that cannot be compiled is refused and takes
 * no other one down: it is in `refused`, its path answers 503, and the log says why.
 *
 * @throws CountersignError CONFIG_INVALID with every diagnostic, when the gateway's own configuration has errors, or a
 *   service's file does not even say its path: `middleware` would pass its messages on unchecked. SECRET_UNAVAILABLE
 */
export async function createGateway(options: CreateGatewayOptions): Promise<EmbeddedGateway> {
  const { config, provider, base, log } = options;
  const metrics = new Metrics();
  const composition = await compose({
    config,
    provider,
    base,
    longRunning: true,
    onException: metrics.countException,
  });
  try {
    const { parts, compiled } = composition;
    if (parts === undefined || parts.refused.some(({ path }) => path === undefined)) {
      const errors = compiled.diagnostics.filter(isError);
      throw new CountersignError('CONFIG_INVALID', errors.map((error) => renderDiagnostic(error)).join('\n'));
    }
    const gateway = new Gateway(parts, log === undefined ? { metrics } : { metrics, log });
    for (const { name, reasons } of parts.refused) {
      for (const { code, message } of reasons) {
        gateway.log.error({ service: name, code, reason: message }, 'service refused');
      }
    }
    return gateway;
  } catch (error) {
    await composition.close();
    throw error;
  }
}
