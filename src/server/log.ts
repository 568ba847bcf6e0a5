import { pino } from 'pino';
import { isoTime, type Clock } from '../core/clock.js';
import type { Logger } from '../core/log.js';

/** No more than this is kept back, and no longer string is made. */
const LONGEST = 32 * 1024;

/** The log: one JSON object a line. */
export interface Log extends Logger {
  /** Takes one finished line of its own form, the exchange record; written at the end of this turn of the loop. */
  line(json: string): void;
  /** Whatever is not written yet, is; for the end of the gateway. */
  end(): void;
}

/** Where the lines go. */
export interface LogTarget {
  write(line: string): unknown;
  flushSync?(): void;
}

/**
 * Logs through pino, synchronously: its worker transports lose the last lines at exit (research/gateways.md §3.1).
 *
 * @param target where the lines go; standard output, if not given
 */
export function openLog(clock: Clock, target?: LogTarget): Log {
  const destination: LogTarget = target ?? pino.destination({ dest: 1, sync: true });
  const logger = pino(
    {
      base: null,
      messageKey: 'msg',
      timestamp: () => `,"time":"${isoTime(clock.now())}"`,
      formatters: { level: (label: string) => ({ level: label }) },
    },
    destination,
  );
  const lines = new LineBuffer(destination);
  return {
    info: (fields, message) => {
      lines.flush();
      logger.info(fields, message);
    },
    warn: (fields, message) => {
      lines.flush();
      logger.warn(fields, message);
    },
    error: (fields, message) => {
      lines.flush();
      logger.error(fields, message);
    },
    line: (json) => {
      lines.add(json);
    },
    end: () => {
      lines.end();
      destination.flushSync?.();
    },
  };
}

/** Under load many records come in one turn of the loop: one write takes them all. */
class LineBuffer {
  readonly #target: LogTarget;
  #pending = '';

  constructor(target: LogTarget) {
    this.#target = target;
    // A fault that ends the process loses no line.
    process.on('exit', this.flush);
  }

  end(): void {
    this.flush();
    process.off('exit', this.flush);
  }

  add(line: string): void {
    if (this.#pending === '') setImmediate(this.flush);
    this.#pending += `${line}\n`;
    if (this.#pending.length > LONGEST) this.flush();
  }

  readonly flush = (): void => {
    if (this.#pending === '') return;
    const text = this.#pending;
    this.#pending = '';
    this.#target.write(text);
  };
}
