import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Lease } from '../core/buffers.js';
import { asBuffer } from '../core/bytes.js';
import { CountersignError } from '../core/errors.js';
import { newExchange, type ChainResult, type Exchange } from '../pipeline/index.js';
import { readAnswer, type Answer } from './answer.js';
import { runOverRoot } from './attachments.js';
import { concat } from './collector.js';
import { ExchangeRecords } from './exchange-records.js';
import { asError, asUpstreamError } from './failures.js';
import { readHead, type RequestHead } from './framing.js';
import type { HandlerContext } from './handler-context.js';
import { forwardedFields } from './headers.js';
import { checkCharset, type Media } from './media.js';
import { receiveBody } from './receive.js';
import { answerReply, bareReply, faultReply } from './replies.js';
import { sendReply, type Reply } from './reply.js';
import { upstreamPath, type Service } from './service.js';
import type { UpstreamCall } from './upstream/contract.js';

/** What begins an exchange. */
export interface ExchangeInput {
  readonly service: Service;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The caller waits for `100 Continue` before it sends the body. */
  readonly expectsContinue: boolean;
}

/** A message that is ready to go on, and who owns its bytes. */
interface Outgoing {
  readonly body: Buffer;
  readonly owner: Lease;
}

/** One request and its answer, from the first byte received to the last one written. */
export class ServiceExchange {
  readonly #context: HandlerContext;
  readonly #input: ExchangeInput;
  readonly #exchange: Exchange;
  readonly #records: ExchangeRecords;
  #media: Media | undefined;
  #traced = false;
  #leave: (() => void) | undefined;
  #call: UpstreamCall | undefined;
  #gone: CountersignError | undefined;

  constructor(context: HandlerContext, input: ExchangeInput) {
    this.#context = context;
    this.#input = input;
    this.#exchange = newExchange(context.newId(), input.service.config.name);
    this.#records = new ExchangeRecords(context, this.#exchange);
  }

  /**
   * Runs the exchange. Never throws: whatever happens is answered and recorded.
   *
   * @returns false when the connection must not be used again
   */
  async run(): Promise<boolean> {
    const { response } = this.#input;
    const onClose = (): void => {
      if (!response.writableFinished) this.#abandon();
    };
    response.on('close', onClose);
    let answer: Answer | undefined;
    let message: ChainResult | undefined;
    let reply: Reply;
    try {
      try {
        const outgoing = await this.#request();
        answer = await this.#forward(outgoing);
        message = await this.#respond(answer);
        reply = this.#answer(answer, message);
      } catch (thrown) {
        reply = await this.#refuse(asError(thrown));
      }
      const delivered = await this.#deliver(reply);
      message?.release();
      answer?.body.release();
      return delivered;
    } finally {
      this.#leave?.();
    }
  }

  /** @returns false when the connection must not be used again */
  async #deliver(first: Reply): Promise<boolean> {
    const { response } = this.#input;
    const { read } = this.#context.bounds;
    let reply = first;
    this.#records.sending();
    let delivery = await sendReply(response, reply, read);
    if (delivery === 'unwritable') {
      reply = await this.#refuse(unwritable());
      delivery = await sendReply(response, reply, read);
    }
    const finished = delivery === 'finished';
    this.#records.sent(finished, reply.length);
    return finished && !reply.close;
  }

  /** Checks, receives and protects the request. */
  async #request(): Promise<{ readonly outgoing: Outgoing; readonly fields: string[] }> {
    const { service, request, response, expectsContinue } = this.#input;
    const head = readHead(request.rawHeaders, request.httpVersion);
    const forClients = this.#admit(head);
    this.#context.admission.check();
    const body = await receiveBody(request, {
      head,
      pool: this.#context.pool,
      limit: service.config.limits.envelope,
      deadline: this.#context.bounds.body,
      proceed: expectsContinue ? () => response.writeContinue() : undefined,
    });
    this.#records.received(body.bytes.length);
    this.#enter(body);
    const outgoing = await this.#protect(body, this.#context.readMedia(head.contentType));
    const fields = forwardedFields(request.rawHeaders, {
      head,
      host: service.upstream.host,
      keepAuthorization: !forClients,
      keepAcceptEncoding: service.response === undefined,
    });
    return { outgoing, fields };
  }

  #enter(body: Lease): void {
    try {
      this.#leave = this.#context.admission.enter(body.bytes.length);
    } catch (thrown) {
      body.release();
      throw thrown;
    }
  }

  /** Everything that can be judged before the body. @returns whether the Authorization was for the gateway */
  #admit(head: RequestHead): boolean {
    const { service, request } = this.#input;
    if (request.method !== 'POST') {
      throw new CountersignError('HTTP_METHOD', `the method is ${request.method ?? 'unknown'}, not POST`);
    }
    this.#media = this.#context.readMedia(head.contentType);
    const forClients = this.#context.guard.admit(head, request);
    this.#traced = head.trace !== undefined && this.#context.trace?.(head.trace) === true;
    if (this.#media.kind === 'other') {
      throw new CountersignError('HTTP_MEDIA_TYPE', 'the content type is not one of SOAP', {
        details: { found: head.contentType ?? 'none' },
      });
    }
    if (this.#media.kind === 'multipart' && service.config.attachments === 'refuse') {
      throw new CountersignError('ATTACHMENTS_REFUSED', 'the message has attachments');
    }
    if (service.request !== undefined) checkCharset(this.#media);
    return forClients;
  }

  async #protect(body: Lease, media: Media): Promise<Outgoing> {
    const { service } = this.#input;
    if (service.request === undefined) return { body: body.bytes, owner: body };
    let result: ChainResult;
    try {
      const { pool } = this.#context;
      const input = { bytes: body.bytes, exchange: this.#exchange, timer: this.#records.request, pool };
      const form = { media, facts: this.#exchange.request, sameVersion: true };
      result = await runOverRoot(service.request, input, form);
    } catch (thrown) {
      body.release();
      throw thrown;
    }
    this.#observe(result, 'request');
    const [only] = result.slices;
    if (only !== undefined && result.slices.length === 1 && only.buffer === body.bytes.buffer) {
      result.release();
      return { body: asBuffer(only), owner: body };
    }
    const joined = concat(result.slices, result.length, this.#context.pool);
    result.release();
    body.release();
    return { body: joined.bytes, owner: joined };
  }

  /** Sends the request on and reads the answer. */
  async #forward(ready: { readonly outgoing: Outgoing; readonly fields: string[] }): Promise<Answer> {
    const { service, request } = this.#input;
    const { body, owner } = ready.outgoing;
    this.#checkPresent();
    const observer = this.#records.sendingUpstream(body.length, () => {
      owner.release();
    });
    // Connections that the service has closed meanwhile are seen before one is chosen (research/gateways.md §3.3).
    await this.#records.turn();
    this.#checkPresent();
    this.#call = service.upstream.transport().send(
      {
        method: 'POST',
        path: upstreamPath(service.upstream, request.url ?? ''),
        headers: ready.fields,
        body,
        limit: service.config.limits.response,
      },
      observer,
    );
    const answer = await this.#call.answer;
    this.#call = undefined;
    this.#records.answered(answer.body.bytes.length);
    try {
      return readAnswer(answer, service.response !== undefined, this.#context, service.config);
    } catch (thrown) {
      throw asUpstreamError(asError(thrown));
    }
  }

  /** @returns the protected or checked answer; undefined when it passes as it is */
  async #respond(answer: Answer): Promise<ChainResult | undefined> {
    const { response: run } = this.#input.service;
    if (run === undefined || answer.empty) {
      if (run === undefined) this.#exchange.response.fault ||= answer.looksLikeFault;
      return undefined;
    }
    const timer = this.#records.response;
    try {
      const { pool } = this.#context;
      const input = { bytes: answer.body.bytes, exchange: this.#exchange, timer, pool };
      // Services that name their answers wrongly are common, and their callers have always seen it.
      const form = { media: answer.media, facts: this.#exchange.response, sameVersion: false };
      const result = await runOverRoot(run, input, form);
      this.#observe(result, 'response');
      return result;
    } catch (thrown) {
      throw asUpstreamError(asError(thrown));
    }
  }

  #answer(answer: Answer, message: ChainResult | undefined): Reply {
    return answerReply(answer, message, this.#replyPlan());
  }

  async #refuse(error: CountersignError): Promise<Reply> {
    this.#records.failed(error);
    const plan = this.#replyPlan();
    const { request, service } = this.#input;
    const version = this.#exchange.request.soapVersion ?? this.#media?.soapVersion ?? '1.1';
    return (
      (await bareReply(error, request, plan)) ??
      faultReply(error, version, {
        ...plan,
        exchange: this.#exchange,
        secure: service.secureFault,
        unsigned: (failure) => {
          const { id, service: name } = this.#exchange;
          this.#context.journal.unsigned(failure, { id, service: name, chain: 'response' });
        },
      })
    );
  }

  #replyPlan(): { readonly id: string; readonly draining: boolean; readonly timings: string | undefined } {
    return {
      id: this.#exchange.id,
      draining: this.#context.draining,
      timings: this.#traced ? this.#records.serverTiming() : undefined,
    };
  }

  #observe(result: ChainResult, chain: 'request' | 'response'): void {
    if (result.observed === undefined) return;
    const { id, service } = this.#exchange;
    this.#context.journal.observed(result.observed, { id, service, chain });
  }

  #abandon(): void {
    this.#gone = new CountersignError('CLIENT_ABORTED', 'the caller went away before the answer');
    this.#call?.abort(this.#gone);
  }

  #checkPresent(): void {
    if (this.#gone !== undefined) throw this.#gone;
  }
}

const unwritable = (): CountersignError =>
  new CountersignError('UPSTREAM_BAD_ANSWER', 'a header field of the answer has octets that none may have', {
    details: { step: 'receive' },
  });
