import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ServiceExchange } from './exchange.js';
import { asError } from './failures.js';
import type { HandlerContext } from './handler-context.js';
import type { Service } from './service.js';

/** What happens on one connection: one exchange at a time. */
interface Line {
  current: { readonly request: IncomingMessage; readonly response: ServerResponse } | undefined;
  /** A message was refused in a way that ends the connection: what follows it on the wire is not looked at. */
  closed: boolean;
  readonly waiting: (() => void)[];
}

/** Answers requests other than messages: `GET …?wsdl`. */
export type DescriptionHandler = (
  service: Service,
  request: IncomingMessage,
  response: ServerResponse,
) => Promise<void>;

/**
 * Runs the exchanges of all services, behind whichever front door: the data listener or an Express app. Requests
 * that a caller pipelines wait for the answer before theirs, and are dropped when that answer closes the connection.
 */
export class MessageHandler {
  readonly #context: HandlerContext;
  readonly #describe: DescriptionHandler;
  readonly #lines = new WeakMap<Socket, Line>();
  readonly #running = new Set<Promise<void>>();

  constructor(context: HandlerContext, describe: DescriptionHandler) {
    this.#context = context;
    this.#describe = describe;
  }

  handle(
    service: Service,
    request: IncomingMessage,
    response: ServerResponse,
    expectsContinue = false,
  ): void {
    const line = this.#line(request.socket);
    const begin = (): void => {
      if (line.closed || request.socket.destroyed) {
        request.socket.destroy();
        return;
      }
      line.current = { request, response };
      const exchange = this.#run(service, request, response, expectsContinue);
      const run = exchange
        .catch((thrown: unknown) => this.#broke(service, response, thrown))
        .then((open) => {
          this.#running.delete(run);
          line.current = undefined;
          line.closed ||= !open;
          line.waiting.shift()?.();
        });
      this.#running.add(run);
    };
    if (line.current === undefined) begin();
    else line.waiting.push(begin);
  }

  /** What is being answered on a connection. */
  current(
    socket: Socket,
  ): { readonly request: IncomingMessage; readonly response: ServerResponse } | undefined {
    return this.#lines.get(socket)?.current;
  }

  /** Looks at nothing more that comes on a connection. */
  close(socket: Socket): void {
    this.#line(socket).closed = true;
  }

  /** Resolves when no exchange is under way. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  async #run(
    service: Service,
    request: IncomingMessage,
    response: ServerResponse,
    expectsContinue: boolean,
  ): Promise<boolean> {
    if (request.method === 'GET' && isDescription(request.url ?? '')) {
      await this.#describe(service, request, response);
      return !this.#context.draining;
    }
    return new ServiceExchange(this.#context, { service, request, response, expectsContinue }).run();
  }

  /** A fault of our own ends its connection, not the process. @returns false: the connection is not used again */
  #broke(service: Service, response: ServerResponse, thrown: unknown): boolean {
    response.destroy();
    const { newId, journal } = this.#context;
    journal.refused(asError(thrown), { id: newId(), service: service.config.name, chain: 'request' });
    return false;
  }

  #line(socket: Socket): Line {
    let line = this.#lines.get(socket);
    if (line === undefined) {
      line = { current: undefined, closed: false, waiting: [] };
      this.#lines.set(socket, line);
    }
    return line;
  }
}

/** `?wsdl`, `?xsd=…`, in any letter case. */
function isDescription(url: string): boolean {
  return /\?(?:[^#]*&)?(?:wsdl|xsd)(?:[=&]|$)/i.test(url);
}

/** The path of a request as it is on the wire: nothing is decoded or normalised. */
export function rawPath(url: string): string {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}
