import type { Clock } from './clock.js';

/** The parts of a step that are timed apart. Parts of one step never overlap. */
export type PartName =
  | 'wait'
  | 'connect'
  | 'tls'
  | 'write'
  | 'c14n'
  | 'digest'
  | 'token'
  | 'trust'
  | 'signed-info'
  | 'private-key'
  | 'public-key'
  | 'key-wrap'
  | 'cipher'
  | 'graft';

/** What the code that does the work sees of the timer: it says which part begins, nothing else. */
export interface PartTimer {
  /**
   * Ends the running part and begins `name`; `undefined` returns to the time of the step that is in no part.
   *
   * @param at monotonic microseconds; now, if not given
   */
  part(name: PartName | undefined, at?: number): void;
  /**
   * Says which key the running step uses, and which provider; the record leaves out its own. `step`: whose work this is,
   * where that was only supposed so far, or is another's from here on.
   */
  label(labels: { readonly step?: string; readonly key?: string; readonly provider?: string }): void;
}

/** One entry of `steps` in the timing record (design/interface.md, Timing record). Times in whole microseconds. */
export interface StepRecord {
  readonly step: string;
  readonly start_us: number;
  readonly us: number;
  readonly key?: string;
  readonly provider?: string;
  readonly parts?: Readonly<Partial<Record<PartName, number>>>;
}

interface Span {
  step: string;
  readonly start: number;
  micros: number;
  key: string | undefined;
  provider: string | undefined;
  /** Names and times of its parts, side by side: a few, which a Map would cost more than. */
  readonly parts: PartName[];
  readonly partMicros: number[];
}

/**
 * Times the steps of one direction of one exchange. Steps never overlap; a step entered again adds to its first
 * span. Clock readings are kept as they are and rounded once, in `steps` and `total`, so that sums stay true.
 */
export class StepTimer implements PartTimer {
  readonly #clock: Clock;
  readonly #origin: number;
  readonly #spans: Span[] = [];
  #current: Span | undefined;
  /** Whose work the current span is was only supposed: it is not among the spans yet. */
  #supposed = false;
  #since = 0;
  #part: PartName | undefined;
  #partSince = 0;
  #end: number | undefined;

  /** @param origin monotonic microseconds at which the record begins; now, if not given */
  constructor(clock: Clock, origin: number = clock.micros()) {
    this.#clock = clock;
    this.#origin = origin;
  }

  /** Begins `step`, ending whatever step is running. @param at monotonic microseconds; now, if not given */
  enter(step: string, at: number = this.#clock.micros()): void {
    this.leave(at);
    this.#current = this.#span(step) ?? this.#add(newSpan(step, at));
    this.#since = at;
  }

  /**
   * Begins work that may turn out to be another step's: if `label({ step })` says so, what ran from here on was that one's.
   *
   * @param step whose it is unless that is said
   */
  suppose(step: string, at: number = this.#clock.micros()): void {
    this.leave(at);
    this.#current = newSpan(step, at);
    this.#supposed = true;
    this.#since = at;
  }

  /** Ends the running step, if any. @param at monotonic microseconds; now, if not given */
  leave(at: number = this.#clock.micros()): void {
    if (this.#current === undefined) return;
    this.#endPart(at);
    if (this.#supposed) this.#settle(this.#current, this.#current.step);
    this.#current.micros += at - this.#since;
    this.#current = undefined;
  }

  part(name: PartName | undefined, at: number = this.#clock.micros()): void {
    this.#endPart(at);
    this.#part = name;
    this.#partSince = at;
  }

  label(labels: { readonly step?: string; readonly key?: string; readonly provider?: string }): void {
    if (this.#current === undefined) return;
    if (labels.step !== undefined) {
      if (this.#supposed) this.#settle(this.#current, labels.step);
      else if (labels.step !== this.#current.step) this.enter(labels.step);
    }
    if (labels.key !== undefined) this.#current.key = labels.key;
    if (labels.provider !== undefined) this.#current.provider = labels.provider;
  }

  /** The step that is running. */
  get running(): string | undefined {
    return this.#current?.step;
  }

  /** Ends the record. Later calls change nothing. */
  finish(at: number = this.#clock.micros()): void {
    if (this.#end !== undefined) return;
    this.leave(at);
    this.#end = at;
  }

  /** Whole microseconds from the origin to the end (to now, while unfinished); never less than the sum of steps. */
  total(): number {
    return Math.ceil((this.#end ?? this.#clock.micros()) - this.#origin);
  }

  /**
   * The steps in the order in which they were first entered.
   *
   * @param provider the record's: only other ones stand on a step
   */
  steps(provider?: string): StepRecord[] {
    return this.#spans.map((span) => recordOf(span, this.#origin, provider));
  }

  #span(step: string): Span | undefined {
    for (const span of this.#spans) if (span.step === step) return span;
    return undefined;
  }

  #add(span: Span): Span {
    this.#spans.push(span);
    return span;
  }

  /** It is known now whose work is running: it goes on as that step's. */
  #settle(work: Span, step: string): void {
    this.#supposed = false;
    const span = this.#span(step);
    if (span === undefined) {
      work.step = step;
      this.#add(work);
      return;
    }
    for (const [index, name] of work.parts.entries()) addPart(span, name, work.partMicros[index] ?? 0);
    span.key = work.key ?? span.key;
    span.provider = work.provider ?? span.provider;
    this.#current = span;
  }

  #endPart(at: number): void {
    const name = this.#part;
    if (name === undefined) return;
    this.#part = undefined;
    if (this.#current !== undefined) addPart(this.#current, name, at - this.#partSince);
  }
}

const newSpan = (step: string, start: number): Span => ({
  step,
  start,
  micros: 0,
  key: undefined,
  provider: undefined,
  parts: [],
  partMicros: [],
});

function addPart(span: Span, name: PartName, micros: number): void {
  const index = span.parts.indexOf(name);
  if (index >= 0) span.partMicros[index] = (span.partMicros[index] as number) + micros;
  else {
    span.parts.push(name);
    span.partMicros.push(micros);
  }
}

/** Built member by member: this runs for every step of every message, and spreading costs more than the rest. */
function recordOf(span: Span, origin: number, home: string | undefined): StepRecord {
  const record: { -readonly [K in keyof StepRecord]: StepRecord[K] } = {
    step: span.step,
    start_us: Math.max(0, Math.floor(span.start - origin)),
    us: Math.floor(span.micros),
  };
  if (span.key !== undefined) record.key = span.key;
  if (span.provider !== undefined && span.provider !== home) record.provider = span.provider;
  if (span.parts.length > 0) {
    const parts: Partial<Record<PartName, number>> = {};
    for (let index = 0; index < span.parts.length; index++)
      parts[span.parts[index] as PartName] = Math.floor(span.partMicros[index] as number);
    record.parts = parts;
  }
  return record;
}

/** For callers that want no timing. */
export const noTimer: PartTimer = Object.freeze({ part() {}, label() {} });
