/** Faults of the upstream that the policy lets pass without a signature (design/policy.md, Faults). */
import { CountersignError } from '../core/errors.js';
import { NONE, ns } from '../xml/index.js';
import type { Chain } from './chain.js';
import { count, type Message } from './context.js';
import { faultOf, faultText, type FaultText } from './message-facts.js';

/**
 * Lets an unsigned fault pass, reduced to what the policy says, where it says so. Only a fault without a Security
 * header for our role: one that has it must hold in full.
 *
 * @returns whether it passes, so that nothing else is asked of the message
 */
export function passUnsignedFault(message: Message, { kind, onFault }: Chain): boolean {
  const allowed = onFault === 'allow-unsigned' || onFault === 'allow-unsigned-with-detail';
  if (kind !== 'response' || !allowed || !message.facts.fault || message.securityHeader !== NONE)
    return false;
  reduce(message, onFault === 'allow-unsigned-with-detail');
  count(message.facts, `fault-${onFault}`);
  return true;
}

/** Takes away what was not signed and is not code, reason or allowed detail. What stays, stays as it came. */
function reduce({ document, envelope }: Message, keepDetail: boolean): void {
  const fault = faultOf(document, envelope);
  const kept =
    envelope.version === '1.1'
      ? [`{}faultcode`, `{}faultstring`, ...(keepDetail ? [`{}detail`] : [])]
      : [`{${ns.soap12}}Code`, `{${ns.soap12}}Reason`, ...(keepDetail ? [`{${ns.soap12}}Detail`] : [])];
  for (const child of document.children(fault)) {
    const name = `{${document.namespace(child)}}${document.localName(child)}`;
    if (!kept.includes(name)) document.remove(child);
    else if (name.startsWith('{}fault') && document.firstChild(child) !== NONE) {
      throw new CountersignError('SOAP_STRUCTURE', `${document.localName(child)} of the fault is not text`);
    }
  }
  if (envelope.header !== NONE) document.remove(envelope.header);
}

/** Refusals that mean: the fault came without the protection that the policy asks for. */
const uncovered: ReadonlySet<string> = new Set([
  'HEADER_MISSING',
  'TIMESTAMP_MISSING',
  'SIGNATURE_MISSING',
  'PART_MISSING',
  'PART_NOT_SIGNED',
  'PART_NOT_ENCRYPTED',
]);

/** The error for a fault that was refused: the operator is told what the fault said, the peer is not. */
export function refusedFault(error: CountersignError, message: Message): CountersignError {
  const said = faultText(message.document, message.envelope, faultOf(message.document, message.envelope));
  const details = { ...error.details, ...said };
  if (!uncovered.has(error.code)) {
    return new CountersignError(error.code, `${error.message}. ${quote(said)}`, { cause: error, details });
  }
  const text = `the upstream answered with a fault that the policy does not cover (${error.code}: ${error.message})`;
  return new CountersignError('UPSTREAM_FAULT_UNPROTECTED', `${text}. ${quote(said)}`, {
    cause: error,
    details,
  });
}

const quote = ({ faultCode, faultText: text }: FaultText): string => `The fault says ${faultCode}: “${text}”`;
