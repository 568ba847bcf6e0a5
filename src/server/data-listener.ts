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
import { readHead } from './framing.js';
import type { HandlerContext } from './handler-context.js';
import type { MessageHandler } from './message-handler.js';
import { PLAIN, plainReply, plainText } from './replies.js';
import { sendReply } from './reply.js';
import type { Routes } from './routes.js';
import type { TlsIdentity } from './upstream/contract.js';

const KiB = 1024;
const HEADER_DEADLINE = 10_000;
const REQUEST_DEADLINE = 30_000;
/** Above the idle time of common load balancers (60 s), so that they close first and lose no request. */
const KEEP_ALIVE = 65_000;
/** How often Node looks for connections past their deadline. */
const CHECK_INTERVAL = 5_000;
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

const options: ServerOptions = {
  maxHeaderSize: 16 * KiB,
  headersTimeout: HEADER_DEADLINE,
  requestTimeout: REQUEST_DEADLINE,
  keepAliveTimeout: KEEP_ALIVE,
  connectionsCheckingInterval: CHECK_INTERVAL,
  noDelay: true,
  // `readHead` asks for it, and its answer carries an id.
  requireHostHeader: false,
};

/** The server in front of the services. It does not listen yet. */
export function dataListener(plan: DataListenerPlan): Server {
  const server = plan.tls === undefined ? createHttpServer(options) : createHttpsServer(tlsOptions(plan.tls));
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
  return server;
}

function tlsOptions({ identity, clientCa }: ListenerTls): TlsServerOptions {
  return {
    ...options,
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
    () => {
      response.destroy();
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
  const code = 'code' in error ? String(error.code) : error.message;
  return new CountersignError('HTTP_FRAMING', `the octets are not an HTTP request: ${code}`);
}

const isCode = (error: Error, code: string): boolean => 'code' in error && error.code === code;
