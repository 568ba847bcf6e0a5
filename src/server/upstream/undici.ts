import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { Call, type CallContext } from './call.js';
import { connector, type Connector } from './connector.js';
import type { ConnectionTimes, UpstreamCall, UpstreamTransport } from './contract.js';

/** Node services close idle connections after 5 s, others later: ours are given up first (research/gateways.md §3.3). */
const KEEP_ALIVE = 4_000;
/** However long a service says it will keep a connection. */
const KEEP_ALIVE_MOST = 60_000;
const CONNECTIONS = 256;

/** The part of undici's Pool that is used: its handlers without the wrapping of its newer, slower interface. */
interface Pool {
  dispatch(options: DispatchOptions, handler: DispatchHandler): boolean;
  destroy(): Promise<void>;
}

interface DispatchOptions {
  readonly method: string;
  readonly path: string;
  readonly headers: string[];
  readonly body: Buffer | null;
}

interface DispatchHandler {
  onConnect(abort: (reason: Error) => void): void;
  onResponseStarted(): void;
  onHeaders(status: number, rawHeaders: readonly Buffer[]): boolean;
  onData(chunk: Buffer): boolean;
  onComplete(): void;
  onError(error: Error): void;
  onRequestSent(): void;
}

interface PoolOptions {
  readonly connections: number;
  readonly pipelining: number;
  readonly headersTimeout: number;
  readonly bodyTimeout: number;
  readonly keepAliveTimeout: number;
  readonly keepAliveMaxTimeout: number;
  readonly connect: (options: unknown, done: (error: Error | null, socket: Socket | null) => void) => void;
}

type PoolConstructor = new (origin: string, options: PoolOptions) => Pool;

const isPoolConstructor = (value: unknown): value is PoolConstructor => typeof value === 'function';

/** Loads the pool alone: undici's entry point brings fetch, caches and mocks along, most of its start-up cost. */
function loadPool(): PoolConstructor {
  const loaded: unknown = createRequire(import.meta.url)('undici/lib/dispatcher/pool.js');
  if (!isPoolConstructor(loaded)) throw new Error('undici has no Pool');
  return loaded;
}

/** Keep-alive connections to one origin over undici; one request at a time on each. */
export function undiciTransport(context: CallContext): UpstreamTransport {
  const bodies = new WeakMap<Uint8Array, Call>();
  const open = connector(context.plan, context.clock);
  const pool = new (loadPool())(context.plan.url.origin, {
    connections: CONNECTIONS,
    pipelining: 1,
    // The call has its own deadlines.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE,
    keepAliveMaxTimeout: KEEP_ALIVE_MOST,
    connect: (_options, done) => connect(open, bodies, done),
  });
  return {
    send: (request, observer) => send(pool, bodies, new Call(context, request, observer)),
    close: () => pool.destroy(),
  };
}

function send(pool: Pool, bodies: WeakMap<Uint8Array, Call>, call: Call): UpstreamCall {
  const { method, path, headers, body } = call.request;
  const hasBody = body.length > 0;
  if (hasBody) bodies.set(body, call);
  pool.dispatch(
    { method, path, headers, body: hasBody ? body : null },
    {
      onConnect: (abort) => {
        call.onCancel(abort);
      },
      onRequestSent: () => {
        if (hasBody) return;
        call.written(undefined);
        call.flushed();
      },
      onResponseStarted: () => {
        call.started();
      },
      onHeaders: (status, rawHeaders) => {
        call.head(status, texts(rawHeaders));
        return true;
      },
      onData: (chunk) => {
        call.data(chunk);
        return true;
      },
      onComplete: () => {
        call.end();
      },
      onError: (error) => {
        call.fail(error);
      },
    },
  );
  return call;
}

const texts = (rawHeaders: readonly Buffer[]): string[] =>
  rawHeaders.map((bytes) => bytes.toString('latin1'));

/**
 * undici does not say when a body has left the process, nor on which connection. Its sockets are watched instead:
 * the write of a body that belongs to a call tells both, exactly.
 */
function connect(
  open: Connector,
  bodies: WeakMap<Uint8Array, Call>,
  done: (error: Error | null, socket: Socket | null) => void,
): void {
  open((error, socket, times) => {
    if (socket !== null) watch(socket, bodies, times);
    done(error, socket);
  });
}

function watch(socket: Socket, bodies: WeakMap<Uint8Array, Call>, times: ConnectionTimes | undefined): void {
  const write = socket.write.bind(socket);
  socket.write = (chunk: Uint8Array | string, encoding?: unknown, callback?: unknown): boolean => {
    if (typeof chunk === 'string') {
      return write(chunk, encoding === 'latin1' ? 'latin1' : 'utf8', asCallback(callback));
    }
    const call = bodies.get(chunk);
    if (call === undefined) return write(chunk, asCallback(encoding));
    bodies.delete(chunk);
    call.written(times);
    return write(chunk, () => {
      call.flushed();
    });
  };
}

const isCallback = (value: unknown): value is (error?: Error | null) => void => typeof value === 'function';
const asCallback = (value: unknown): ((error?: Error | null) => void) | undefined =>
  isCallback(value) ? value : undefined;
