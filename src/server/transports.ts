import type { BufferPool } from '../core/buffers.js';
import type { Clock } from '../core/clock.js';
import type { UpstreamConfig } from '../policy/config.js';
import type { TlsIdentity, UpstreamPlan, UpstreamTransport } from './upstream/contract.js';
import { legacyTransport } from './upstream/legacy.js';
import { undiciTransport } from './upstream/undici.js';

export interface TransportsPlan {
  readonly clock: Clock;
  readonly pool: BufferPool;
  /** PEM files, read when the service is opened. */
  readonly readPem: (file: string) => Buffer;
  /** A key for client authentication, by its name in the policy. */
  readonly identity: (key: string) => TlsIdentity;
}

/** What a service says about its upstream. */
export interface UpstreamWish {
  readonly upstream: UpstreamConfig;
  readonly timeouts: { readonly connect: number; readonly response: number };
}

/** The connections to all upstreams; services that say the same about one origin share its connections. */
export class Transports {
  readonly #plan: TransportsPlan;
  readonly #open = new Map<string, UpstreamTransport>();

  constructor(plan: TransportsPlan) {
    this.#plan = plan;
  }

  /**
   * Reads what the service needs, and makes its transport when that is asked for.
   *
   * @throws Error when a certificate or key cannot be read
   */
  prepare({ upstream, timeouts }: UpstreamWish): () => UpstreamTransport {
    const url = new URL(upstream.url);
    const plan: UpstreamPlan = {
      url,
      ca: (upstream.tls?.ca ?? []).map(this.#plan.readPem),
      identity: upstream.tls?.key === undefined ? undefined : this.#plan.identity(upstream.tls.key),
      connectTimeout: timeouts.connect,
      responseTimeout: timeouts.response,
    };
    const key = JSON.stringify([url.origin, upstream.transport, upstream.tls, timeouts]);
    return () => this.#transport(key, plan, upstream.transport);
  }

  #transport(key: string, plan: UpstreamPlan, kind: 'undici' | 'legacy'): UpstreamTransport {
    let transport = this.#open.get(key);
    if (transport === undefined) {
      const context = { plan, clock: this.#plan.clock, pool: this.#plan.pool };
      transport = kind === 'legacy' ? legacyTransport(context) : undiciTransport(context);
      this.#open.set(key, transport);
    }
    return transport;
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#open.values(), (transport) => transport.close()));
    this.#open.clear();
  }
}
