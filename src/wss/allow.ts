/** Reads the entries of `algorithms.allow`: `ID [for USE] [until DATE]`. */
import { civilToEpoch } from '../core/calendar.js';
import { CountersignError } from '../core/errors.js';
import { algorithmUses, type AlgorithmUse } from './profiles.js';

export interface AllowEntry {
  readonly id: string;
  /** Undefined: all uses, certificates excepted. */
  readonly use: AlgorithmUse | undefined;
  /** The first millisecond, since the epoch, at which it is refused: the end of the day written, UTC. */
  readonly until: number | undefined;
}

const isUse = (word: string): word is AlgorithmUse => algorithmUses.some((use) => use === word);

/**
 * Reads one entry.
 *
 * @param index where the entry stands in its list, for the error
 * @param known the policy ids that there are
 * @throws CountersignError POLICY_INVALID with `at`, `position` (column of the wrong word, from 0) and `expected`
 */
export function parseAllow(text: string, index: number, known: ReadonlySet<string>): AllowEntry {
  const words = [...text.matchAll(/\S+/gu)].map((match) => ({ word: match[0], position: match.index }));
  const refuse = (position: number, message: string, expected: string): CountersignError =>
    new CountersignError('POLICY_INVALID', message, {
      details: { at: index, entry: text, position, expected },
    });
  let next = 0;
  const take = (expected: string): { word: string; position: number } => {
    const found = words[next];
    if (found === undefined) throw refuse(text.length, `“${text}” ends too early`, expected);
    next += 1;
    return found;
  };
  const keyword = (word: string): boolean => {
    if (words[next]?.word !== word) return false;
    next += 1;
    return true;
  };

  const id = take('an algorithm id');
  if (!known.has(id.word)) {
    throw refuse(
      id.position,
      `${id.word} is not a known algorithm`,
      'an id of `countersign algorithms list`',
    );
  }
  let use: AlgorithmUse | undefined;
  if (keyword('for')) {
    const found = take(algorithmUses.join(', '));
    if (!isUse(found.word)) {
      throw refuse(found.position, `${found.word} is not a use of an algorithm`, algorithmUses.join(', '));
    }
    use = found.word;
  }
  let until: number | undefined;
  if (keyword('until')) {
    const found = take('a date such as 2027-06-30');
    until = endOfDay(found.word);
    if (until === undefined) {
      throw refuse(found.position, `${found.word} is not a date`, 'a date such as 2027-06-30');
    }
  }
  const rest = words[next];
  if (rest !== undefined) {
    throw refuse(rest.position, `${rest.word} is out of place`, 'ID [for USE] [until DATE]');
  }
  return Object.freeze({ id: id.word, use, until });
}

const datePattern = /^(\d{4})-(\d{2})-(\d{2})$/u;

function endOfDay(text: string): number | undefined {
  const match = datePattern.exec(text);
  if (match === null) return undefined;
  const start = civilToEpoch({
    year: Number(match[1]),
    month: Number(match[2]),
    day: Number(match[3]),
    hour: 0,
    minute: 0,
    second: 0,
  });
  return start === undefined ? undefined : start + 86_400_000;
}
