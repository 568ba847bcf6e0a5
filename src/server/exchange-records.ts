import { CountersignError } from '../core/errors.js';
import { StepTimer, type StepRecord } from '../core/timer.js';
import { timingRecord, type ChainKind, type Exchange, type Outcome } from '../pipeline/index.js';
import { outcomeOf } from './failures.js';
import type { HandlerContext } from './handler-context.js';
import type { LoopProbe } from './loop-watch.js';
import type { ConnectionTimes, UpstreamObserver } from './upstream/contract.js';

/** How one direction ended. */
interface Ending {
  readonly outcome: Outcome;
  readonly code?: string | undefined;
  readonly step?: string | undefined;
}

const okay: Ending = { outcome: 'ok' };

/**
 * The two timing records of an exchange (design/interface.md, Timing record). The request record ends with the last
 * byte handed upstream; once anything was sent there, exactly one response record follows.
 */
export class ExchangeRecords {
  readonly request: StepTimer;
  readonly #context: HandlerContext;
  readonly #exchange: Exchange;
  readonly #probe: LoopProbe;
  readonly #bytes = { request: { in: 0, out: 0 }, response: { in: 0, out: 0 } };
  #response: StepTimer | undefined;
  #requestDone = false;
  #sent = false;
  #sentAt: number | undefined;
  #startedAt: number | undefined;
  #failedAt: number | undefined;
  #ending: Ending = okay;

  constructor(context: HandlerContext, exchange: Exchange) {
    this.#context = context;
    this.#exchange = exchange;
    const now = context.clock.micros();
    this.#probe = context.loop.begin();
    this.request = new StepTimer(context.clock, now);
    this.request.enter('receive', now);
  }

  /** The response's timer; begins now if no byte of an answer has come. */
  get response(): StepTimer {
    this.#response ??= new StepTimer(this.#context.clock);
    return this.#response;
  }

  received(bytes: number): void {
    this.#bytes.request.in = bytes;
    this.request.leave();
  }

  /** The request goes upstream. @param released is called when nothing reads its bytes any more */
  sendingUpstream(bytes: number, released: () => void): UpstreamObserver {
    const begun = this.#context.clock.micros();
    this.request.enter('send', begun);
    this.request.part('wait', begun);
    return {
      written: (at, connection) => {
        this.#sent = true;
        this.#sentAt = at;
        this.#splitWait(begun, at, connection);
      },
      flushed: (at) => {
        released();
        this.#bytes.request.out = bytes;
        if (this.#startedAt === undefined && !this.#requestDone) this.#sentAt = at;
        this.#endRequest(okay, at);
      },
      started: (at) => {
        this.#startedAt = at;
        // A service may answer before it has read everything.
        if (!this.#requestDone) this.#bytes.request.out = bytes;
        this.#endRequest(okay, at);
        this.#response = new StepTimer(this.#context.clock, at);
        this.#response.enter('receive', at);
      },
    };
  }

  turn(): Promise<void> {
    return this.#context.loop.turn(this.#probe);
  }

  answered(bytes: number): void {
    this.#bytes.response.in = bytes;
    this.response.leave();
  }

  /** The exchange has failed; the caller is answered next. */
  failed(error: CountersignError): void {
    const chain: ChainKind = this.#sent ? 'response' : 'request';
    const timer = this.#sent ? this.response : this.request;
    const { step } = error.details;
    const ending: Ending = {
      outcome: outcomeOf(error),
      code: error.code,
      step: typeof step === 'string' ? step : (timer.running ?? 'receive'),
    };
    timer.leave();
    this.#failedAt = this.#context.clock.micros();
    const { id, service } = this.#exchange;
    const located = { ...error.details, step: ending.step };
    this.#context.journal.refused(error.details['step'] === undefined ? relocate(error, located) : error, {
      id,
      service,
      chain,
    });
    if (!this.#requestDone) this.#endRequest({ ...ending, step: this.#sent ? 'send' : ending.step });
    this.#ending = ending;
  }

  /** The answer to the caller is being written. */
  sending(): void {
    if (!this.#sent) return;
    this.response.enter('send');
    this.response.part('write');
  }

  /** The exchange is over. @param finished false: the caller went away before it had everything */
  sent(finished: boolean, bytes: number): void {
    if (this.#sent) {
      this.#bytes.response.out = finished ? bytes : 0;
      this.#endResponse(finished);
    }
    this.#context.loop.end(this.#probe);
  }

  /** The steps so far, for a caller with the trace token. */
  serverTiming(): string {
    const entries = this.request.steps().map((step) => timingEntry('request', step));
    if (this.#startedAt !== undefined && this.#sentAt !== undefined) {
      entries.push(`upstream;dur=${millis(Math.max(0, Math.floor(this.#startedAt - this.#sentAt)))}`);
    }
    for (const step of this.#response?.steps() ?? []) entries.push(timingEntry('response', step));
    return entries.join(', ');
  }

  /** The time until the first byte was written, told apart: the connection it was written on may be a new one. */
  #splitWait(begun: number, at: number, connection: ConnectionTimes | undefined): void {
    const timer = this.request;
    if (connection !== undefined && connection.secured > begun) {
      timer.part('connect', Math.max(begun, connection.begun));
      timer.part('tls', Math.max(begun, connection.connected));
      timer.part('wait', connection.secured);
    }
    timer.part('write', at);
  }

  #endRequest(ending: Ending, at: number = this.#context.clock.micros()): void {
    if (this.#requestDone) return;
    this.#requestDone = true;
    this.request.finish(at);
    this.#record('request', this.request, ending);
  }

  #endResponse(finished: boolean): void {
    const timer = this.response;
    timer.finish();
    let ending = this.#ending;
    if (ending === okay && this.#exchange.response.fault)
      ending = { outcome: 'fault', code: 'UPSTREAM_FAULT', step: 'receive' };
    if (!finished && ending.outcome !== 'refused' && ending.outcome !== 'error') {
      ending = { outcome: 'error', code: 'CLIENT_ABORTED', step: 'send' };
    }
    this.#record('response', timer, ending);
  }

  #record(chain: ChainKind, timer: StepTimer, ending: Ending): void {
    const { clock, journal, provider } = this.#context;
    const record = timingRecord(this.#exchange, timer, {
      chain,
      ...ending,
      provider,
      bytes: this.#bytes[chain],
      at: clock.now(),
      upstreamMicros: chain === 'response' ? this.#upstreamMicros() : undefined,
      loopMicros: this.#context.loop.soFar(this.#probe),
    });
    journal.record(record, this.#exchange);
  }

  #upstreamMicros(): number {
    return (this.#startedAt ?? this.#failedAt ?? this.#context.clock.micros()) - (this.#sentAt ?? 0);
  }
}

/** The operator's line says in which step it happened, also outside of a chain. */
function relocate(error: CountersignError, details: CountersignError['details']): CountersignError {
  return new CountersignError(error.code, error.message, { cause: error.cause, details });
}

const millis = (micros: number): string => (micros / 1000).toFixed(3);

function timingEntry(chain: ChainKind, { step, us }: StepRecord): string {
  return `${chain}.${step};dur=${millis(us)}`;
}
