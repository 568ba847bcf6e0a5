import { createRequire } from 'node:module';
import { isoTime, type Clock } from '../core/clock.js';
import type { Logger } from '../core/log.js';

/** The log: one JSON object a line. */
export interface Log extends Logger {
  /** Writes one finished line of its own form, the exchange record. */
  line(json: string): void;
  /** Whatever is not written yet, is. */
  flush(): void;
}

/** Where the lines go. */
export interface LogTarget {
  write(line: string): unknown;
  flushSync?(): void;
}

interface Pino {
  (options: object, target: LogTarget): Logger;
  destination(options: { dest: number; sync: boolean }): LogTarget;
}

const isPino = (value: unknown): value is Pino => typeof value === 'function' && 'destination' in value;

/**
 * Logs through pino, synchronously: its worker transports lose the last lines at exit (research/gateways.md §3.1).
 *
 * @param target where the lines go; standard output, if not given
 */
export function openLog(clock: Clock, target?: LogTarget): Log {
  const pino: unknown = createRequire(import.meta.url)('pino');
  if (!isPino(pino)) throw new Error('pino is not what it was');
  const destination = target ?? pino.destination({ dest: 1, sync: true });
  const logger = pino(
    {
      base: null,
      messageKey: 'msg',
      timestamp: () => `,"time":"${isoTime(clock.now())}"`,
      formatters: { level: (label: string) => ({ level: label }) },
    },
    destination,
  );
  return {
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    line: (json) => void destination.write(`${json}\n`),
    flush: () => destination.flushSync?.(),
  };
}
