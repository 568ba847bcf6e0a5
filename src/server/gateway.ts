import { readFileSync } from 'node:fs';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BufferPool } from '../core/buffers.js';
import { concat } from '../core/bytes.js';
import type { Clock } from '../core/clock.js';
import type { DigestFunction, RandomSource } from '../core/contracts.js';
import { CountersignError } from '../core/errors.js';
import { StepTimer } from '../core/timer.js';
import {
  newExchange,
  timingRecord,
  type ChainKind,
  type ChainResult,
  type Exchange,
  type TimingRecord,
} from '../pipeline/index.js';
import type { GatewayConfig } from '../policy/config.js';
import { readSecret } from '../policy/index.js';
import type { KeyRing } from '../providers/keys.js';
import type { Evidence } from '../wss/evidence.js';
import { adminListener, type Readiness } from './admin.js';
import { Admission } from './admission.js';
import { defaultBounds, type Bounds } from './bounds.js';
import { clientGuard } from './clients.js';
import { dataListener, type DataListener, type ListenerTls } from './data-listener.js';
import type { Exposition } from './exposition.js';
import { asError } from './failures.js';
import type { HandlerContext } from './handler-context.js';
import { idSource } from './ids.js';
import { openJournal } from './journal.js';
import { lazy } from './lazy.js';
import { openLog, type Log } from './log.js';
import { LoopWatch } from './loop-watch.js';
import { mediaReader } from './media.js';
import { MessageHandler } from './message-handler.js';
import { Metrics } from './metrics.js';
import { exceptionReadings, exceptionsOf, expiryReadings } from './readings.js';
import { PLAIN } from './replies.js';
import { Routes, type RefusedService } from './routes.js';
import { makeService, type CompiledChains, type Service } from './service.js';
import { tokenCheck } from './tokens.js';
import { Transports } from './transports.js';
import type { TlsIdentity } from './upstream/contract.js';

const DRAIN_DEADLINE = 30_000;

/** A compiled configuration: what the gateway is made of. */
export interface GatewayParts {
  readonly config: GatewayConfig;
  readonly services: readonly CompiledChains[];
  /** Services whose policy has errors. */
  readonly refused: readonly RefusedService[];
  readonly keys: ReadonlyMap<string, KeyRing>;
  /** A key's certificate and private key from its files, for TLS. */
  readonly tlsKey: (name: string) => TlsIdentity;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly digest: DigestFunction;
  /** Closes providers and stores. */
  readonly close: () => Promise<void>;
}

export interface GatewayOptions {
  /** Standard output, if not given. */
  readonly log?: Log;
  /** Takes the operator's line of a refused message; standard error, if not given. */
  readonly stderr?: (line: string) => void;
  readonly pool?: BufferPool;
  /** What differs from the usual: for tests, which cannot wait so long. */
  readonly bounds?: Partial<Bounds>;
  /** What is counted; given where something is counted before the gateway is there. */
  readonly metrics?: Metrics;
}

/** Where the listeners are. */
export interface Addresses {
  readonly data: AddressInfo;
  readonly admin: AddressInfo;
}

export type Middleware = (
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/** What one chain made of one message. */
export interface Processed {
  readonly bytes: Uint8Array;
  readonly evidence: readonly Evidence[];
  readonly timings: TimingRecord;
  /** What a response chain needs to know of its request. */
  readonly exchange: Exchange;
}

/** A running gateway. */
export class Gateway {
  readonly log: Log;
  readonly metrics: Metrics;
  readonly #parts: GatewayParts;
  readonly #context: HandlerContext;
  readonly #transports: Transports;
  readonly #handler: MessageHandler;
  readonly #routes: Routes;
  readonly #services = new Map<string, Service>();
  readonly #refused: RefusedService[];
  #data: DataListener | undefined;
  #admin: Server | undefined;
  readonly #app = lazy(async (): Promise<RequestListener> => {
    const { dataApp } = await import('./app.js');
    return dataApp(this.#context);
  });
  #exposition: Exposition | undefined;

  /** @throws CountersignError when a secret of the listeners cannot be read */
  constructor(parts: GatewayParts, options: GatewayOptions = {}) {
    const { clock, config, random, digest } = parts;
    this.#parts = parts;
    this.log = options.log ?? openLog(clock);
    this.metrics = options.metrics ?? new Metrics();
    const pool = options.pool ?? new BufferPool();
    const bounds = { ...defaultBounds, ...options.bounds };
    const { traceToken } = config.admin;
    this.#context = {
      clock,
      newId: idSource(clock, random),
      pool,
      bounds,
      admission: new Admission(bounds),
      guard: guardOf(config, digest),
      trace: traceToken === undefined ? undefined : tokenCheck(readSecret(traceToken), digest),
      journal: openJournal({ log: this.log, metrics: this.metrics, stderr: options.stderr ?? toStderr }),
      loop: new LoopWatch(clock),
      readMedia: mediaReader(),
      provider: config.provider,
      draining: false,
    };
    this.#transports = new Transports({
      clock,
      pool,
      readPem: (file) => readFileSync(file),
      identity: parts.tlsKey,
    });
    this.#handler = new MessageHandler(this.#context, async (service, request, response) => {
      const { describeService } = await import('./description.js');
      await describeService({ context: this.#context, service, request, response });
    });
    this.#routes = new Routes(this.#context, this.#handler);
    this.#refused = [...parts.refused];
    for (const compiled of parts.services) this.#open(compiled);
    for (const refused of this.#refused) this.#routes.addRefused(refused);
  }

  /**
   * Opens both listeners. Where one cannot be opened, the caller closes the gateway, which closes the other.
   *
   * @throws CountersignError LISTEN_FAILED
   */
  async listen(): Promise<Addresses> {
    const data = await this.listenData();
    return { data, admin: await this.listenAdmin() };
  }

  /** Opens the listener for callers. */
  async listenData(): Promise<AddressInfo> {
    this.#data = dataListener({
      context: this.#context,
      routes: this.#routes,
      handler: this.#handler,
      app: this.#app,
      tls: this.#tls(),
    });
    await listenOn(this.#data.server, this.#parts.config.listen);
    return addressOf(this.#data.server);
  }

  /**
   * Opens the listener for operators.
   *
   * @param beforeScrape brings `metrics` up to date, where other processes do the counting
   */
  async listenAdmin(beforeScrape: () => Promise<void> = () => Promise.resolve()): Promise<AddressInfo> {
    const { config, digest, keys, clock, services } = this.#parts;
    const { bearer, host } = config.admin;
    this.#admin = adminListener({
      bearer: bearer === undefined ? undefined : tokenCheck(readSecret(bearer), digest),
      bounds: this.#context.bounds,
      hosts: bearer === undefined ? loopbackNames(host) : undefined,
      readiness: () => this.readiness(),
      metrics: async () => {
        const { exposition } = await import('./exposition.js');
        await beforeScrape();
        return (this.#exposition ??= exposition(this.metrics, [
          ...expiryReadings(keys, clock),
          ...exceptionReadings(services, clock),
        ]));
      },
      app: (_request, response) => {
        const text = 'There is nothing at this path.\n';
        response.writeHead(404, { 'Content-Type': PLAIN, 'Content-Length': text.length }).end(text);
      },
    });
    await listenOn(this.#admin, config.admin);
    return addressOf(this.#admin);
  }

  /** Services that did not start. The others run (design/policy.md, Fail closed). */
  get refused(): readonly RefusedService[] {
    return this.#refused;
  }

  get scheme(): 'http' | 'https' {
    return this.#parts.config.listen.tls === undefined ? 'http' : 'https';
  }

  readiness(): Readiness {
    const { draining } = this.#context;
    const services: Record<string, 'ready' | 'refused'> = {};
    for (const name of this.#services.keys()) services[name] = 'ready';
    for (const { name } of this.#refused) services[name] = 'refused';
    const some = this.#services.size > 0 || this.#refused.length === 0;
    return {
      ready: some && !draining,
      status: draining ? 'draining' : some ? 'ready' : 'starting',
      services,
    };
  }

  /** The message handler for an Express app, or any other that calls `next` for what is not its own. */
  middleware(): Middleware {
    return (request, response, next) => {
      if (!this.#routes.handle(request, response)) next();
    };
  }

  /**
   * Runs one chain over one message, outside of HTTP.
   *
   * @param exchange of the request, where a response chain needs what its request has established
   * @throws CountersignError
   */
  async process(
    service: string,
    chain: ChainKind,
    bytes: Uint8Array,
    exchange: Exchange = newExchange(this.#context.newId(), service),
  ): Promise<Processed> {
    const found = this.#services.get(service);
    if (found === undefined) throw this.#notServed(service);
    const { clock, provider, pool } = this.#context;
    const timer = new StepTimer(clock);
    const run = found[chain];
    const result: ChainResult | undefined = await run?.({ bytes, exchange, timer, pool });
    // A copy: what the caller gets is the caller's.
    const out = result === undefined ? bytes : concat(...result.slices);
    result?.release();
    const timings = timingRecord(exchange, timer, {
      chain,
      outcome: result?.fault === true ? 'fault' : 'ok',
      provider,
      bytes: { in: bytes.length, out: out.length },
      at: clock.now(),
    });
    return { bytes: out, evidence: result?.evidence ?? [], timings, exchange };
  }

  /** Not ready any more; what is under way is finished, up to the deadline; then everything is closed. */
  async close(deadline: number = DRAIN_DEADLINE): Promise<void> {
    this.#context.draining = true;
    const closed = this.#data === undefined ? Promise.resolve() : closeServer(this.#data.server);
    const timer = setTimeout(() => {
      this.#data?.cutOff();
    }, deadline);
    await Promise.all([this.#handler.idle(), closed]);
    clearTimeout(timer);
    await this.#transports.close();
    if (this.#admin !== undefined) {
      const admin = closeServer(this.#admin);
      this.#admin.closeAllConnections();
      await admin;
    }
    await this.#parts.close();
    this.log.end();
  }

  #open(compiled: CompiledChains): void {
    const { name, path } = compiled.config;
    const exceptions = exceptionsOf(compiled).map(({ id, use }) => `${id} for ${use}`);
    if (exceptions.length > 0)
      this.log.warn({ service: name, exceptions }, 'algorithms allowed by exception');
    try {
      const service = makeService(compiled, this.#transports.prepare(compiled.config));
      this.#services.set(name, service);
      this.#routes.add(service);
    } catch (thrown) {
      const error = asError(thrown);
      this.log.error({ service: name, code: error.code, reason: error.message }, 'service refused');
      this.#refused.push({ name, path, reasons: [{ code: error.code, message: error.message }] });
    }
  }

  #notServed(name: string): CountersignError {
    const refused = this.#refused.find((service) => service.name === name);
    if (refused === undefined) return new CountersignError('USAGE', `there is no service ${name}`);
    const [reason] = refused.reasons;
    return new CountersignError(
      'SERVICE_UNAVAILABLE',
      `the service ${name} was not started: ${reason?.message ?? 'its policy has errors'}`,
    );
  }

  #tls(): ListenerTls | undefined {
    const { tls } = this.#parts.config.listen;
    if (tls === undefined) return undefined;
    return {
      identity: this.#parts.tlsKey(tls.key),
      clientCa: tls.clientCa.map((file) => readFileSync(file)),
    };
  }
}

function guardOf(config: GatewayConfig, digest: DigestFunction): HandlerContext['guard'] {
  const bearers = config.clients.flatMap((rule) =>
    'bearer' in rule ? [tokenCheck(readSecret(rule.bearer), digest)] : [],
  );
  const addresses = config.clients.flatMap((rule) => ('address' in rule ? [rule.address] : []));
  return clientGuard({ bearers, addresses });
}

function toStderr(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Without a bearer token the admin listener is on loopback, and only its own names are answered. */
function loopbackNames(host: string): ReadonlySet<string> {
  return new Set(['localhost', '127.0.0.1', '[::1]', '::1', host.toLowerCase(), `[${host.toLowerCase()}]`]);
}

const listenProblems: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another process listens there (EADDRINUSE)',
  EACCES: 'the operating system does not permit it (EACCES)',
  EADDRNOTAVAIL: 'this machine has no such address (EADDRNOTAVAIL)',
  ENOTFOUND: 'there is no such host (ENOTFOUND)',
};

function listenOn(server: Server, at: { readonly host: string; readonly port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (cause: Error): void => {
      const reason = 'code' in cause ? String(cause.code) : cause.message;
      const said = listenProblems[reason] ?? reason;
      reject(
        new CountersignError('LISTEN_FAILED', `cannot listen on ${at.host} port ${at.port}: ${said}`, {
          cause,
        }),
      );
    };
    server.once('error', fail);
    server.listen({ host: at.host, port: at.port }, () => {
      server.off('error', fail);
      resolve();
    });
  });
}

function addressOf(server: Server): AddressInfo {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no address');
  return address;
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeIdleConnections();
  });
}
