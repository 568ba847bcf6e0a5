import {
  STATUS_CODES,
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer, type ServerOptions as TlsServerOptions } from 'node:https';
import type { Socket } from 'node:net';
import { CountersignError } from '../core/errors.js';
import type { Bounds } from './bounds.js';
import { asError } from './failures.js';
import { readHead } from './framing.js';
import type { HandlerContext } from './handler-context.js';
import type { MessageHandler } from './message-handler.js';
import { PLAIN, plainReply, plainText } from './replies.js';
import { sendReply } from './reply.js';
import type { Routes } from './routes.js';
import type { TlsIdentity } from './upstream/contract.js';

const KiB = 1024;
/** Above the deadlines of header fields and body, which tell more when they have passed. */
const SLACK = 5_000;
const REQUESTS_PER_CONNECTION = 1_000;

/** The certificate that the listener shows, and whose certificates it asks callers for. */
export interface ListenerTls {
  readonly identity: TlsIdentity;
  /** PEM; empty: callers need no certificate. */
  readonly clientCa: readonly Buffer[];
}

export interface DataListenerPlan {
  readonly context: HandlerContext;
  readonly routes: Routes;
  readonly handler: MessageHandler;
  /** Takes what belongs to no service: the Express app, loaded when it is first needed. */
  readonly app: () => Promise<RequestListener>;
  readonly tls: ListenerTls | undefined;
}

function serverOptions({ headers, body, idle, interval }: Bounds): ServerOptions {
  return {
    maxHeaderSize: 16 * KiB,
    headersTimeout: headers,
    requestTimeout: headers + body + SLACK,
    keepAliveTimeout: idle,
    connectionsCheckingInterval: interval,
    noDelay: true,
    // `readHead` asks for it, and its answer carries an id.
    requireHostHeader: false,
  };
}

export interface DataListener {
  readonly server: Server;
  /** Destroys every connection, also those whose TLS handshake is under way and that Node's server does not know of. */
  cutOff(): void;
}

/** The server in front of the services. It does not listen yet. */
export function dataListener(plan: DataListenerPlan): DataListener {
  const { bounds } = plan.context;
  const options = serverOptions(bounds);
  const server =
    plan.tls === undefined
      ? createHttpServer(options)
      : createHttpsServer({ ...options, ...tlsOptions(plan.tls), handshakeTimeout: bounds.handshake });
  server.maxConnections = bounds.connections;
  server.maxRequestsPerSocket = REQUESTS_PER_CONNECTION;
  // Node would drop the fields above the count without a word; `readHead` counts them itself.
  server.maxHeadersCount = 0;
  server.on('request', (request, response) => {
    dispatch(plan, request, response, false);
  });
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    dispatch(plan, request, response, true);
  });
  server.on('clientError', (error: Error, socket: Socket) => {
    refuseFraming(plan, error, socket);
  });
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return {
    server,
    cutOff() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

function tlsOptions({ identity, clientCa }: ListenerTls): TlsServerOptions {
  return {
    cert: identity.cert,
    key: identity.key,
    ...(identity.passphrase === undefined ? {} : { passphrase: identity.passphrase }),
    minVersion: 'TLSv1.2',
    ALPNProtocols: ['http/1.1'],
    ...(clientCa.length === 0 ? {} : { ca: [...clientCa], requestCert: true, rejectUnauthorized: true }),
  };
}

function dispatch(
  plan: DataListenerPlan,
  request: IncomingMessage,
  response: ServerResponse,
  waits: boolean,
): void {
  if (plan.routes.handle(request, response, waits)) return;
  try {
    readHead(request.rawHeaders, request.httpVersion);
  } catch {
    refuse(plan, request, response);
    return;
  }
  plan.app().then(
    (app) => {
      app(request, response);
    },
    (thrown: unknown) => {
      const id = plan.context.newId();
      const error = asError(thrown);
      plan.context.journal.refused(error, { id, service: '-', chain: 'request' });
      void sendReply(response, plainReply(error, { id, timings: undefined }));
    },
  );
}

/** Framing that is not accepted, on a path of no service. */
function refuse(plan: DataListenerPlan, request: IncomingMessage, response: ServerResponse): void {
  const id = plan.context.newId();
  plan.handler.close(request.socket);
  const error = new CountersignError('HTTP_FRAMING', 'the header fields are not accepted');
  plan.context.journal.refused(error, { id, service: '-', chain: 'request' });
  void sendReply(response, plainReply(error, { id, timings: undefined }));
}

/** Octets that Node's parser refuses, or that did not come in time: answered by hand, then the connection ends. */
function refuseFraming(plan: DataListenerPlan, error: Error, socket: Socket): void {
  plan.handler.close(socket);
  const current = plan.handler.current(socket);
  if (current?.request.complete === true) {
    // An answer to an earlier request is under way; the connection ends after it.
    return;
  }
  if (isTls(error)) {
    const timedOut = isCode(error, 'ERR_TLS_HANDSHAKE_TIMEOUT');
    const reason = timedOut
      ? new CountersignError('HTTP_TIMEOUT', 'the TLS handshake did not end in time')
      : new CountersignError('HTTP_FRAMING', `the TLS handshake failed: ${codeOf(error)}`);
    plan.context.journal.refused(reason, { id: plan.context.newId(), service: '-', chain: 'request' });
    socket.destroy();
    return;
  }
  if (socket.bytesRead === 0) {
    // Opened ahead of need and never used: nobody was refused anything.
    socket.destroy();
    return;
  }
  if (!socket.writable || isCode(error, 'ECONNRESET') || current?.response.headersSent === true) {
    socket.destroy();
    return;
  }
  const reason = framingError(error);
  const id = plan.context.newId();
  plan.context.journal.refused(reason, { id, service: '-', chain: 'request' });
  const { status } = reason.kind;
  const text = plainText(reason, id);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Refused'}\r\nContent-Type: ${PLAIN}\r\nX-Countersign-Id: ${id}\r\nContent-Length: ${text.length}\r\nConnection: close\r\n\r\n${text}`,
    () => {
      socket.destroy();
    },
  );
}

function framingError(error: Error): CountersignError {
  if (isCode(error, 'HPE_HEADER_OVERFLOW')) {
    return new CountersignError('HTTP_HEADER_LIMIT', 'the header fields are longer than 16 KiB');
  }
  if (isCode(error, 'ERR_HTTP_REQUEST_TIMEOUT')) {
    return new CountersignError('HTTP_TIMEOUT', 'the request did not come in time');
  }
  return new CountersignError('HTTP_FRAMING', `the octets are not an HTTP request: ${codeOf(error)}`);
}

const codeOf = (error: Error): string => ('code' in error ? String(error.code) : error.message);

/** There is no connection yet on which anything could be answered. */
const isTls = (error: Error): boolean => /^(?:ERR_TLS_|ERR_SSL_|EPROTO)/.test(codeOf(error));

const isCode = (error: Error, code: string): boolean => 'code' in error && error.code === code;
