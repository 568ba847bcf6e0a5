import { CountersignError, isCountersignError } from '../core/errors.js';
import { checkMustUnderstand, findSecurityHeader, removeSecurityHeader, stripId } from '../wss/header.js';
import { findEnvelope, NONE, type NodeId } from '../xml/index.js';
import type { Chain } from './chain.js';
import type { Message } from './context.js';
import { factsOf } from './evidence.js';
import { faultOf, operationOf } from './message-facts.js';
import { passUnsignedFault } from './on-fault.js';
import { walkSecurityHeader } from './walk.js';

/** The inbound steps of a chain, up to the message as it is forwarded. The replay claim comes later. */
export async function runInbound(message: Message, chain: Chain): Promise<void> {
  const { document, timer, facts } = message;
  timer.enter('header');
  message.firstVerify = chain.verifies[0];
  checkHeaders(message, chain);
  if (passUnsignedFault(message, chain)) return;
  await walkSecurityHeader(message, chain);
  timer.enter('header');
  if (chain.roles.decrypts.length > 0) {
    // A Header block or the Body may have come out of ciphertext; from here on the envelope must be a plain one.
    message.envelope = findEnvelope(document);
    checkHeaders(message, chain);
    facts.operation = operationOf(document, message.envelope);
    facts.fault = faultOf(document, message.envelope) !== NONE;
  }
  settleAll(message, chain);
  for (const step of chain.inbound) {
    if (step.finish === undefined) continue;
    timer.enter(step.label);
    await step.finish(message);
  }
  keepSigners(message, chain);
  timer.enter('header');
  strip(message, chain);
}

/**
 * Judges the header blocks. It is asked again once everything is decrypted: a second Security header for the role could
 * have come out of ciphertext, and would be forwarded as if it had been checked (WSS 1.1.1 §5).
 */
function checkHeaders(message: Message, { header: { role } }: Chain): void {
  const { document, envelope } = message;
  checkMustUnderstand(document, envelope, role);
  message.securityHeader = findSecurityHeader(document, envelope, role);
}

/** Says that the messages' signatures have been used, as the very last thing before the message goes on. */
export async function claimReplay(message: Message, chain: Chain): Promise<void> {
  for (const step of chain.inbound) {
    if (step.claim === undefined) continue;
    message.timer.enter(step.label);
    await step.claim(message);
  }
}

/** Asserts what the policy requires. Without a Security header at all, that is what the operator is told. */
function settleAll(message: Message, chain: Chain): void {
  for (const step of chain.inbound) {
    if (step.settle === undefined) continue;
    message.timer.enter(step.label);
    try {
      step.settle(message);
    } catch (error) {
      if (message.securityHeader !== NONE || !isCountersignError(error)) throw error;
      const { required, at } = error.details;
      throw new CountersignError('HEADER_MISSING', 'there is no Security header for this role', {
        cause: error,
        details: { required, at, remedy: 'The sender must secure the message, as it is asked for at' },
      });
    }
  }
}

/** What the response chain may need of the request. */
function keepSigners({ exchange, evidence }: Message, chain: Chain): void {
  if (chain.kind !== 'request') return;
  for (const { step, certificate } of factsOf(evidence, 'signed'))
    exchange.requestSigners.set(step, certificate);
}

function strip(message: Message, { strip: { keep, ids } }: Chain): void {
  const { document, envelope, securityHeader, evidence } = message;
  // Ciphertext that was signed (WSS 1.1.1 §9.3: an EncryptedHeader has a wsu:Id) went when it was decrypted.
  const stays = (element: NodeId): boolean =>
    document.isInView(element) && (keep || !document.contains(securityHeader, element));
  if (ids) {
    const signed = new Set<NodeId>();
    for (const { elements } of factsOf(evidence, 'signed')) for (const one of elements) signed.add(one);
    for (const element of signed) if (stays(element)) stripId(document, element);
  }
  if (keep || securityHeader === NONE) return;
  message.envelope = removeSecurityHeader(document, envelope, securityHeader);
  message.securityHeader = NONE;
}
