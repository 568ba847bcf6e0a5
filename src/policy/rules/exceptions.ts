/** `algorithms.allow`: each entry read, and each exception said aloud with the days it has left. */
import { formatUtc } from '../../core/calendar.js';
import { isCountersignError } from '../../core/errors.js';
import type { AlgorithmTable } from '../../wss/algorithms/table.js';
import { parseAllow } from '../../wss/allow.js';
import { allowableIds } from '../../wss/constraints.js';
import { nearestName } from '../diagnostics.js';
import type { Finding } from '../issues.js';
import type { AlgorithmsShape } from '../schema/shapes.js';

const day = 86_400_000;

/** @param now milliseconds since the epoch */
export function exceptionRules(shape: AlgorithmsShape, table: AlgorithmTable, now: number): Finding[] {
  const known = allowableIds(table);
  const findings: Finding[] = [];
  if (shape.profile === 'legacy') {
    findings.push({
      severity: 'warning',
      code: 'WARN_ALGORITHM',
      message: 'the legacy profile allows SHA-1, CBC, 3DES, RSA-1.5 and RSA-1024',
      path: ['algorithms', 'profile'],
      help: 'where only one of them is needed, name it in allow; `countersign algorithms list --profile legacy` prints them',
    });
  }
  shape.allow.forEach((text, index) => {
    findings.push(entryRule(text, index, known, now));
  });
  return findings;
}

function entryRule(text: string, index: number, known: ReadonlySet<string>, now: number): Finding {
  const path = ['algorithms', 'allow', index];
  try {
    const { id, use, until } = parseAllow(text, index, known);
    return {
      severity: 'warning',
      code: 'WARN_ALGORITHM',
      message: `${id} is allowed for ${use ?? 'every use but certificates'}${timeLeft(until, now)}`,
      path,
    };
  } catch (error) {
    if (!isCountersignError(error)) throw error;
    const { position, expected } = error.details;
    const word = typeof position === 'number' ? (/^\S*/.exec(text.slice(position))?.[0] ?? '') : '';
    const unknown = position === 0 && word !== '';
    return {
      code: unknown ? 'CONFIG_UNKNOWN_NAME' : 'CONFIG_INVALID',
      message: error.message,
      path,
      expected: typeof expected === 'string' ? expected : 'ID [for USE] [until DATE]',
      nearest: unknown ? nearestName(word, known) : undefined,
      ...(typeof position === 'number' ? { shift: { offset: position, length: word.length } } : {}),
    };
  }
}

function timeLeft(until: number | undefined, now: number): string {
  if (until === undefined) return ', without an end';
  const date = formatUtc(until - day).slice(0, 10);
  if (until <= now) return ` until ${date}, which has passed: it is refused`;
  const days = Math.floor((until - now) / day);
  return ` until ${date}: ${days} ${days === 1 ? 'day' : 'days'} left`;
}
