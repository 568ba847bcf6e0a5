import { createHash } from 'node:crypto';
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import express from 'express';
import { BufferPool } from '#src/core/buffers.js';
import { systemClock } from '#src/core/clock.js';
import type { RandomSource } from '#src/core/contracts.js';
import { defaultLimits } from '#src/core/limits.js';
import type { TimingRecord } from '#src/pipeline/index.js';
import type { GatewayConfig, ServiceConfig } from '#src/policy/config.js';
import type { Bounds } from '#src/server/bounds.js';
import { Gateway, type GatewayParts } from '#src/server/gateway.js';
import { openLog } from '#src/server/log.js';

/** A fresh byte that released memory is filled with: it must never be seen outside. */
export const POISON = 0xdd;

const random: RandomSource = {
  bytes: (length) => Uint8Array.from({ length }, () => Math.floor(Math.random() * 256)),
};

const noChain = (kind: 'request' | 'response'): ServiceConfig['request'] => ({
  kind,
  path: [kind],
  header: { role: '', mustUnderstand: true, existing: 'refuse' },
  onFault: 'require',
  mode: 'enforce',
  steps: [],
  at: { file: 'test', line: 1, column: 1 },
});

/** A service that passes messages as they are. */
export function serviceConfig(upstream: string, changes: Partial<ServiceConfig> = {}): ServiceConfig {
  return {
    name: 'orders',
    file: 'services/orders.yaml',
    path: '/orders',
    upstream: { url: upstream, tls: undefined, transport: 'undici' },
    timeouts: { connect: 1000, response: 2000 },
    wsdl: undefined,
    attachments: 'pass',
    namespaces: {},
    algorithms: { profile: 'default', allow: [] },
    limits: defaultLimits,
    request: noChain('request'),
    response: noChain('response'),
    ...changes,
  };
}

export function gatewayConfig(changes: Partial<GatewayConfig> = {}): GatewayConfig {
  return {
    file: '(object)',
    listen: { host: '127.0.0.1', port: 0, tls: undefined },
    clients: [],
    open: false,
    admin: { host: '127.0.0.1', port: 0, bearer: undefined, traceToken: undefined },
    provider: 'openssl',
    fallback: 'openssl',
    keys: new Map(),
    trust: new Map(),
    namespaces: {},
    algorithms: { profile: 'default', allow: [] },
    limits: defaultLimits,
    replay: { store: 'memory' },
    ...changes,
  };
}

export interface TestGateway {
  readonly gateway: Gateway;
  readonly port: number;
  readonly adminPort: number;
  readonly records: TimingRecord[];
  /** Lines of the log that are not records. */
  readonly lines: Record<string, unknown>[];
  readonly stderr: string[];
  readonly pool: BufferPool;
}

const open: (() => Promise<void>)[] = [];

/** Closes what the tests have opened; for afterEach. */
export async function closeAll(): Promise<void> {
  for (const close of open.splice(0).reverse()) await close();
}

/** Mounts a gateway in an Express app, as an application would. @returns the app's port */
export async function mount({ gateway }: TestGateway): Promise<number> {
  const app = express();
  app.use(gateway.middleware());
  const server = createServer(app);
  const port = await listenPort(server);
  open.push(() => closeServer(server));
  return port;
}

export async function startGateway(
  services: readonly ServiceConfig[],
  changes: Partial<GatewayConfig> = {},
  parts: Partial<GatewayParts> = {},
  bounds: Partial<Bounds> = {},
): Promise<TestGateway> {
  const whole: GatewayParts = {
    config: gatewayConfig(changes),
    services: services.map((config) => ({ config, request: undefined, response: undefined })),
    refused: [],
    keys: new Map(),
    tlsKey: () => {
      throw new Error('no key');
    },
    clock: systemClock,
    random,
    digest: (_hash, bytes) => createHash('sha256').update(bytes).digest(),
    close: () => Promise.resolve(),
    ...parts,
  };
  return startComposed(whole, bounds);
}

/** Starts a gateway of compiled parts, on free ports. */
export async function startComposed(parts: GatewayParts, bounds: Partial<Bounds> = {}): Promise<TestGateway> {
  const records: TimingRecord[] = [];
  const lines: Record<string, unknown>[] = [];
  const stderr: string[] = [];
  const pool = new BufferPool({ poison: POISON });
  const take = (line: string): void => {
    const entry = JSON.parse(line) as Record<string, unknown>;
    if (entry['msg'] === 'exchange') records.push(entry as unknown as TimingRecord);
    else lines.push(entry);
  };
  const log = openLog(systemClock, {
    write(text: string) {
      for (const line of text.trimEnd().split('\n')) take(line);
    },
  });
  const { listen, admin } = parts.config;
  const config = { ...parts.config, listen: { ...listen, port: 0 }, admin: { ...admin, port: 0 } };
  const gateway = new Gateway(
    { ...parts, config },
    { log, pool, bounds, stderr: (line) => stderr.push(line) },
  );
  const addresses = await gateway.listen();
  open.push(() => gateway.close(500));
  const { data, admin: adminAt } = addresses;
  return { gateway, port: data.port, adminPort: adminAt.port, records, lines, stderr, pool };
}

export interface TestUpstream {
  readonly url: string;
  readonly server: Server;
  readonly requests: { readonly rawHeaders: string[]; readonly url: string; readonly body: Buffer }[];
  /** Bytes received on all connections. */
  bytes: number;
}

type Answer = (request: IncomingMessage, response: ServerResponse, body: Buffer) => void;

export const echo: Answer = (request, response, body) => {
  response.writeHead(200, {
    'Content-Type': request.headers['content-type'] ?? 'text/xml',
    'Content-Length': body.length,
  });
  response.end(body);
};

/** A plain service; by default it echoes. */
export async function startUpstream(answer: Answer = echo): Promise<TestUpstream> {
  const requests: TestUpstream['requests'] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => {});
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      requests.push({ rawHeaders: request.rawHeaders, url: request.url ?? '', body });
      answer(request, response, body);
    });
  });
  const upstream: TestUpstream = { url: '', server, requests, bytes: 0 };
  server.on('connection', (socket: Socket) => {
    socket.on('data', (chunk: Buffer) => {
      upstream.bytes += chunk.length;
    });
  });
  const port = await listenPort(server);
  open.push(() => closeServer(server));
  return Object.assign(upstream, { url: `http://127.0.0.1:${port}/ws` });
}

export function listenPort(server: Pick<Server, 'listen' | 'address'>): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      resolve((server.address() as AddressInfo).port);
    });
  });
}

export function onClose(close: () => Promise<void>): void {
  open.push(close);
}

export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeAllConnections();
  });
}

export interface TestAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

export const envelope = (text: string): string =>
  `<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><o:order xmlns:o="urn:orders">${text}</o:order></soap:Body></soap:Envelope>`;

export const soapHeaders: Readonly<Record<string, string>> = {
  'Content-Type': 'text/xml; charset=utf-8',
  SOAPAction: '"urn:order"',
};

/** One request over a connection of its own. */
export function post(
  port: number,
  body: string | Buffer,
  options: { path?: string; method?: string; headers?: Record<string, string | string[]> } = {},
): Promise<TestAnswer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        host: '127.0.0.1',
        port,
        path: options.path ?? '/orders',
        method: options.method ?? 'POST',
        agent: false,
        headers: { ...soapHeaders, 'Content-Length': String(Buffer.byteLength(body)), ...options.headers },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks),
          });
        });
        response.on('error', reject);
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

/** Sends octets as they are, and gives everything that comes back until the other side closes. */
export function raw(
  port: number,
  octets: string | Buffer,
  timeout = 3000,
): Promise<{ text: string; closed: boolean }> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const chunks: Buffer[] = [];
    const done = (closed: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ text: Buffer.concat(chunks).toString('latin1'), closed });
    };
    const timer = setTimeout(() => {
      done(false);
    }, timeout);
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('end', () => {
      done(true);
    });
    socket.on('error', () => {
      done(true);
    });
    socket.write(octets);
  });
}

/** Waits until something holds. */
export async function until(holds: () => boolean, millis = 2000): Promise<void> {
  const end = Date.now() + millis;
  while (!holds()) {
    if (Date.now() > end) throw new Error('it did not come to hold');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
