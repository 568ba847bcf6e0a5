/** What a chain's options refer to: keys, trusts, parts, the order of directions. */
import { isCountersignError } from '../../core/errors.js';
import { parsePart } from '../../wss/parts.js';
import type { StepModules } from '../chains.js';
import type { ChainConfig } from '../config.js';
import { nearestName } from '../diagnostics.js';
import type { Finding } from '../issues.js';
import type { GatewayShape } from '../schema/shapes.js';
import { unknownName } from './gateway.js';
import { keyUses } from './service.js';

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** Keys and trusts that the gateway file does not have. */
export function referenceRules(chain: ChainConfig, gateway: GatewayShape): Finding[] {
  const keys = Object.keys(gateway.keys);
  const trusts = Object.keys(gateway.trust);
  const findings = keyUses(chain)
    .filter(({ name }) => !keys.includes(name))
    .map(({ name, path }) => unknownName('key', name, keys, path));
  for (const { options, path } of chain.steps) {
    const trust = isMap(options) ? options['trust'] : undefined;
    if (typeof trust !== 'string' || trusts.includes(trust)) continue;
    findings.push(unknownName('trust', trust, trusts, [...path, 'trust']));
  }
  return findings;
}

/** Parts that cannot be read, or have a prefix that is not bound. */
export function partRules(chain: ChainConfig, namespaces: Readonly<Record<string, string>>): Finding[] {
  const known = new Map(Object.entries(namespaces));
  const findings: Finding[] = [];
  for (const { options, path } of chain.steps) {
    if (!isMap(options)) continue;
    for (const option of ['parts', 'present']) {
      const parts: unknown = options[option];
      if (!Array.isArray(parts)) continue;
      parts.forEach((part: unknown, index) => {
        if (typeof part === 'string') findings.push(...partRule(part, known, [...path, option, index]));
      });
    }
  }
  return findings;
}

const partWords = ['timestamp', 'body', 'signature', 'header'];

function partRule(part: string, known: ReadonlyMap<string, string>, path: Finding['path']): Finding[] {
  try {
    parsePart(part, known);
    return [];
  } catch (error) {
    if (!isCountersignError(error)) throw error;
    const { position, expected } = error.details;
    const offset = typeof position === 'number' ? position : 0;
    const word = /^[^/:?{}]*/.exec(part.slice(offset))?.[0] ?? '';
    return [
      {
        code: 'POLICY_PARTS',
        message: error.message,
        path,
        ...(typeof expected === 'string' ? { expected } : {}),
        nearest: nearestName(word, offset === 0 ? partWords : known.keys()),
        shift: { offset, length: word.length },
      },
    ];
  }
}

/** Inbound steps, then outbound steps (design/policy.md, A service). */
export function orderRules(chain: ChainConfig, modules: StepModules): Finding[] {
  const direction = (name: string): string | undefined => modules.get(name)?.direction;
  const first = chain.steps.findIndex(({ name }) => direction(name) === 'outbound');
  const outbound = chain.steps[first];
  if (outbound === undefined) return [];
  return chain.steps
    .slice(first)
    .filter(({ name }) => direction(name) === 'inbound')
    .map(({ name, path }) => ({
      code: 'POLICY_ORDER',
      message: `${name} is about the message that comes in and stands after ${outbound.name}, which writes the one that goes out`,
      path,
      key: true,
      expected: 'inbound steps first, then outbound steps',
    }));
}
