import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Code } from '../core/codes.js';
import { CountersignError } from '../core/errors.js';
import type { HandlerContext } from './handler-context.js';
import { fieldValue } from './headers.js';
import { rawPath, type MessageHandler } from './message-handler.js';
import { discardRest } from './receive.js';
import { plainReply, unsignedFault } from './replies.js';
import { sendReply } from './reply.js';
import type { Service } from './service.js';

/** A service that could not be started: its path is known, and answers that it is unavailable. */
export interface RefusedService {
  readonly name: string;
  readonly path: string | undefined;
  /** What is wrong, for the operator; the first is enough to refuse it. */
  readonly reasons: readonly RefusalReason[];
}

export interface RefusalReason {
  readonly code: Code;
  /** With file, line and column where it is the policy's. */
  readonly message: string;
}

/** Which service a path belongs to. Paths are compared as they are on the wire, octet by octet. */
export class Routes {
  readonly #context: HandlerContext;
  readonly #handler: MessageHandler;
  readonly #services = new Map<string, Service>();
  readonly #refused = new Map<string, RefusedService>();

  constructor(context: HandlerContext, handler: MessageHandler) {
    this.#context = context;
    this.#handler = handler;
  }

  add(service: Service): void {
    this.#services.set(service.config.path, service);
  }

  addRefused(service: RefusedService): void {
    if (service.path !== undefined) this.#refused.set(service.path, service);
  }

  /** @returns false when the path belongs to no service */
  handle(request: IncomingMessage, response: ServerResponse, expectsContinue = false): boolean {
    const path = rawPath(request.url ?? '');
    const service = this.#services.get(path);
    if (service !== undefined) {
      this.#handler.handle(service, request, response, expectsContinue);
      return true;
    }
    const refused = this.#refused.get(path);
    if (refused === undefined) return false;
    void this.#unavailable(refused, request, response);
    return true;
  }

  async #unavailable(
    refused: RefusedService,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const id = this.#context.newId();
    const error = new CountersignError(
      'SERVICE_UNAVAILABLE',
      'the service was not started: its policy has errors',
    );
    this.#context.journal.refused(error, { id, service: refused.name, chain: 'request' });
    await discardRest(request);
    const type = fieldValue(request.rawHeaders, 'content-type');
    const version = request.method === 'POST' ? this.#context.readMedia(type).soapVersion : undefined;
    const plan = { id, timings: undefined };
    await sendReply(
      response,
      version === undefined ? plainReply(error, plan) : unsignedFault(error, version, plan),
    );
  }
}
