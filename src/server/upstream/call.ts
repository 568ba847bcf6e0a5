import type { BufferPool } from '../../core/buffers.js';
import type { Clock } from '../../core/clock.js';
import { CountersignError, isCountersignError } from '../../core/errors.js';
import { BodyCollector } from '../collector.js';
import type {
  ConnectionTimes,
  UpstreamAnswer,
  UpstreamCall,
  UpstreamObserver,
  UpstreamPlan,
  UpstreamRequest,
} from './contract.js';

/** Informational answers that a service may send before the real one. */
const MAX_INFORMATIONAL = 8;

/** RFC 9110 §15: statuses begin with 1 to 5. */
const LAST_STATUS = 599;

/** What the transports share. */
export interface CallContext {
  readonly plan: UpstreamPlan;
  readonly clock: Clock;
  readonly pool: BufferPool;
}

/**
 * One request to a service and its answer, whatever the transport: its deadline, the bounds of the answer, and what
 * went wrong in the gateway's words.
 */
export class Call implements UpstreamCall {
  readonly answer: Promise<UpstreamAnswer>;
  readonly #context: CallContext;
  readonly #request: UpstreamRequest;
  readonly #observer: UpstreamObserver;
  #timer: NodeJS.Timeout;
  #resolve: (answer: UpstreamAnswer) => void = () => {};
  #reject: (error: CountersignError) => void = () => {};
  #cancel: ((reason: Error) => void) | undefined;
  #state: 'waiting' | 'written' | 'flushed' = 'waiting';
  #started = false;
  #settled = false;
  #failure: Error | undefined;
  #informational = 0;
  #status = 0;
  #headers: readonly string[] = [];
  #body: BodyCollector | undefined;

  constructor(context: CallContext, request: UpstreamRequest, observer: UpstreamObserver) {
    this.#context = context;
    this.#request = request;
    this.#observer = observer;
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const { connectTimeout, responseTimeout } = context.plan;
    this.#timer = this.#deadline(connectTimeout + responseTimeout);
  }

  get request(): UpstreamRequest {
    return this.#request;
  }

  /** Tells how to stop the transport's own work for this call. */
  onCancel(cancel: (reason: Error) => void): void {
    this.#cancel = cancel;
    // It was given up while it waited for a connection: nothing of it is sent.
    if (this.#failure !== undefined) cancel(this.#failure);
  }

  abort(reason: CountersignError): void {
    if (this.#settled) return;
    this.fail(reason);
    this.#cancel?.(reason);
  }

  /** Says nothing once the call has failed: whoever was told so counts the request as not sent. */
  written(connection: ConnectionTimes | undefined): void {
    if (this.#state !== 'waiting' || this.#settled) return;
    this.#state = 'written';
    clearTimeout(this.#timer);
    this.#timer = this.#deadline(this.#context.plan.responseTimeout);
    this.#observer.written(this.#context.clock.micros(), connection);
  }

  /** Counts only after `written`: the body of a request that never began to leave is nobody else's. */
  flushed(): void {
    if (this.#state !== 'written') return;
    this.#state = 'flushed';
    this.#observer.flushed(this.#context.clock.micros());
  }

  started(): void {
    if (this.#started || this.#settled) return;
    this.#started = true;
    this.#observer.started(this.#context.clock.micros());
  }

  /** @returns false when the answer is refused and the call has failed */
  head(status: number, headers: readonly string[]): boolean {
    if (this.#settled) return false;
    this.started();
    if (status < 200) return this.#inform();
    if (status > LAST_STATUS) return this.#badStatus(status);
    const length = contentLength(headers);
    if (length !== undefined && length > this.#request.limit) return this.#tooLarge();
    this.#status = status;
    this.#headers = headers;
    // A HEAD-like answer may state a length that never comes; only 2xx and errors with bodies are read by it.
    const expected = status === 204 || status === 304 ? undefined : length;
    this.#body = new BodyCollector(this.#context.pool, this.#request.limit, expected);
    return true;
  }

  /** @returns false when the answer is too large and the call has failed */
  data(chunk: Buffer): boolean {
    if (this.#settled || this.#body === undefined) return false;
    return this.#body.push(chunk) || this.#tooLarge();
  }

  end(): void {
    if (this.#settled) return;
    const body = this.#body?.finish();
    if (body === undefined) {
      this.fail(new CountersignError('UPSTREAM_ABORTED', 'the answer is shorter than it says'));
      return;
    }
    this.#settle();
    this.#resolve({ status: this.#status, headers: this.#headers, body });
  }

  /** Ends the call with an error; one that is not the gateway's own is put into its words. */
  fail(error: Error): void {
    if (this.#settled) return;
    this.#settle();
    this.#failure = error;
    this.#body?.drop();
    this.#reject(isCountersignError(error) ? error : this.#explain(error));
  }

  #deadline(millis: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.abort(this.#overdue());
    }, millis);
  }

  #settle(): void {
    this.#settled = true;
    clearTimeout(this.#timer);
  }

  #inform(): boolean {
    this.#informational += 1;
    if (this.#informational <= MAX_INFORMATIONAL) return true;
    this.abort(
      new CountersignError('UPSTREAM_ABORTED', 'the service sends informational answers without end'),
    );
    return false;
  }

  #badStatus(status: number): boolean {
    this.abort(new CountersignError('UPSTREAM_BAD_ANSWER', `the service answered with the status ${status}`));
    return false;
  }

  #tooLarge(): boolean {
    const { limit } = this.#request;
    this.abort(new CountersignError('UPSTREAM_TOO_LARGE', `the answer is larger than ${limit} bytes`));
    return false;
  }

  #overdue(): CountersignError {
    const { connectTimeout, responseTimeout, url } = this.#context.plan;
    if (this.#state === 'waiting') {
      const waited = connectTimeout + responseTimeout;
      return new CountersignError(
        'UPSTREAM_UNREACHABLE',
        `no connection to ${url.host} was free within ${waited} ms`,
      );
    }
    return new CountersignError(
      'UPSTREAM_TIMEOUT',
      `${url.host} did not answer within ${responseTimeout} ms`,
    );
  }

  #explain(cause: Error): CountersignError {
    const { host } = this.#context.plan.url;
    const reason = 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
    if (this.#state === 'waiting') {
      return new CountersignError('UPSTREAM_UNREACHABLE', `${host} cannot be reached: ${reason}`, { cause });
    }
    return new CountersignError('UPSTREAM_ABORTED', `${host} broke off: ${reason}`, { cause });
  }
}

function contentLength(headers: readonly string[]): number | undefined {
  for (let i = 0; i + 1 < headers.length; i += 2) {
    if (headers[i]?.toLowerCase() === 'content-length') {
      const length = Number(headers[i + 1]);
      return Number.isSafeInteger(length) && length >= 0 ? length : undefined;
    }
  }
  return undefined;
}
