import type { CountersignError } from '../core/errors.js';
import type { ChainKind } from './handler.js';

/** Where a message was refused. */
export interface Refusal {
  readonly id: string;
  readonly service: string;
  readonly chain: ChainKind;
}

/** The operator's line as fields, for the log. */
export interface RefusalFields extends Refusal {
  readonly step: string;
  readonly code: string;
  readonly reason: string;
  readonly found?: string;
  readonly actor: string;
  /** What can be done, where it is known. */
  readonly remedy?: string;
  /** `services/orders.yaml:9:37` */
  readonly place?: string;
}

const advice: Readonly<Record<string, string>> = {
  sender: 'The sender must put it right',
  operator: 'The operator of the gateway must put it right',
  upstream: 'The operator of the upstream must put it right',
  none: 'Nobody need act',
};

/**
 * What the operator is told about a refused message (design/interface.md, When a message is refused). Errors may
 * say more in their details: `found`, what was there instead; `remedy`, a sentence that ends before the place in
 * the policy ("The sender must sign it, or remove it from"); `place` is filled in by the chain.
 */
export function refusalFields(error: CountersignError, where: Refusal): RefusalFields {
  const { step, found, remedy, place } = error.details;
  return {
    ...where,
    step: typeof step === 'string' ? step : 'receive',
    code: error.code,
    reason: error.message,
    ...(found === undefined ? {} : { found: String(found) }),
    actor: error.kind.actor,
    ...(typeof remedy === 'string' ? { remedy } : {}),
    ...(typeof place === 'string' ? { place } : {}),
  };
}

/** The same as one line: `refused ID SERVICE CHAIN STEP CODE: reason. found. Who can act, place.` */
export function operatorLine(error: CountersignError, where: Refusal): string {
  const { step, code, reason, found, actor, remedy, place } = refusalFields(error, where);
  const sentences = [sentence(reason)];
  if (found !== undefined) sentences.push(sentence(found));
  if (remedy === undefined) {
    sentences.push(`${advice[actor] ?? ''}${place === undefined ? '.' : `; the policy is at ${place}`}`);
  } else {
    sentences.push(place === undefined ? sentence(remedy) : `${remedy} ${place}`);
  }
  return oneLine(
    `refused ${where.id} ${where.service} ${where.chain} ${step} ${code}: ${sentences.join(' ')}`,
  );
}

const sentence = (text: string): string => (text.endsWith('.') ? text : `${text}.`);

/** Peers choose parts of the text (names, URIs): no control characters, no direction marks reach a terminal or a log. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => {
    const point = character.codePointAt(0) ?? 0;
    return `\\u{${point.toString(16)}}`;
  });
}
