/** When keys and `verify` steps last took part in an exchange, by the timing records of a gateway's log. */
import { readLog } from '../steps/read.js';

/** ISO times. */
export interface LastUses {
  /** By the key's name; messages that were refused count too: the key was used. */
  readonly keys: ReadonlyMap<string, string>;
  /** By `stepKey`; only messages that were accepted and had a signer. */
  readonly steps: ReadonlyMap<string, string>;
}

export const stepKey = (service: string, chain: string, step: string): string =>
  `${service} ${chain} ${step}`;

/** @throws CountersignError USAGE when a log cannot be read */
export async function readLastUses(logs: readonly string[]): Promise<LastUses> {
  const keys = new Map<string, string>();
  const steps = new Map<string, string>();
  const later = (map: Map<string, string>, name: string, time: string): void => {
    if (time > (map.get(name) ?? '')) map.set(name, time);
  };
  for (const log of logs) {
    await readLog(log, { since: undefined, until: undefined }, (exchange) => {
      const { time, service, chain } = exchange;
      const isSigned = exchange.outcome === 'ok' && exchange.peer !== '(none)';
      for (const { step, key } of exchange.steps) {
        if (key !== undefined) later(keys, key, time);
        if (isSigned) later(steps, stepKey(service, chain, step), time);
      }
    });
  }
  return { keys, steps };
}
