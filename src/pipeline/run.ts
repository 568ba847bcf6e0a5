import { Scratch } from '../core/buffers.js';
import { CountersignError } from '../core/errors.js';
import { StepTimer } from '../core/timer.js';
import { openSecurityHeader } from '../wss/header.js';
import { idRules } from '../wss/ids.js';
import { findEnvelope, NONE, parseDocument, type Rendered, type XmlDocument } from '../xml/index.js';
import type { Chain, ChainInput, ChainResult } from './chain.js';
import { newFacts, type Exchange, type Message, type MessageFacts, type SoapVersion } from './context.js';
import type { OutboundStep } from './handler.js';
import { claimReplay, runInbound } from './inbound.js';
import { faultOf, operationOf } from './message-facts.js';
import { refusedFault } from './on-fault.js';
import { stepError } from './step-error.js';

/**
 * Runs a chain over one message. Owns time, errors and order; steps only work.
 *
 * @throws CountersignError with `details.step`, and `details.place` where the policy asked for what failed
 */
export async function runChain(chain: Chain, input: ChainInput): Promise<ChainResult> {
  if (chain.mode === 'enforce') return runEnforced(chain, input);
  // The original goes on, whatever the chain made of it.
  const original = { slices: [input.bytes], length: input.bytes.length };
  try {
    return { ...(await runEnforced(chain, input)), ...original };
  } catch (error) {
    const { fault } = input.exchange[chain.kind];
    return { ...original, evidence: [], fault, observed: stepError(error, chain), release() {} };
  }
}

async function runEnforced(
  chain: Chain,
  { bytes, exchange, soapVersion, timer, pool }: ChainInput,
): Promise<ChainResult> {
  const facts = exchange[chain.kind];
  const scratch = new Scratch(pool);
  let document: XmlDocument | undefined;
  let message: Message | undefined;
  try {
    timer.enter('parse');
    document = parseDocument(bytes, { limits: chain.toolkit.limits, ids: idRules, scratch });
    message = newMessage(document, chain, { exchange, facts, timer });
    if (soapVersion !== undefined) checkVersion(message, soapVersion);
    if (chain.inbound.length > 0) await runInbound(message, chain);
    if (chain.outbound.length > 0) await runOutbound(message, chain, chain.outbound);
    timer.enter('render');
    const rendered = message.onlyRoot ? rootOf(document) : document.render();
    if (chain.inbound.length > 0) await claimReplay(message, chain);
    return {
      slices: rendered.slices,
      length: rendered.length,
      evidence: message.evidence,
      fault: facts.fault,
      observed: undefined,
      release: () => {
        scratch.release();
      },
    };
  } catch (error) {
    const failure = stepError(error, chain, { step: timer.running, afterKey: message?.keyUsed });
    const isRefusedFault = facts.fault && chain.kind === 'response' && chain.inbound.length > 0;
    const refused = isRefusedFault && message !== undefined ? refusedFault(failure, message) : failure;
    scratch.release();
    throw refused;
  } finally {
    timer.leave();
    // What was rendered are views of the input and of edits, not of the tables that go back here.
    document?.release();
  }
}

interface Surroundings {
  readonly exchange: Exchange;
  readonly facts: MessageFacts;
  readonly timer: StepTimer;
}

function newMessage(document: XmlDocument, chain: Chain, { exchange, facts, timer }: Surroundings): Message {
  const encryptedBody = chain.roles.decrypts.length > 0;
  const envelope = findEnvelope(document, { encryptedBody });
  facts.soapVersion = envelope.version;
  facts.operation = operationOf(document, envelope);
  facts.fault = faultOf(document, envelope) !== NONE;
  return {
    exchange,
    facts,
    document,
    envelope,
    header: chain.header,
    toolkit: chain.toolkit,
    timer,
    now: chain.toolkit.clock.now(),
    evidence: [],
    securityHeader: NONE,
    signatures: new Map(),
    firstVerify: undefined,
    waivesEncryption: chain.kind === 'response' && chain.onFault === 'allow-unencrypted',
    keyUsed: false,
    onlyRoot: false,
  };
}

/** Without what stands around the root: comments, and a declaration that says what is the rule (XML 1.0 §4.3.3). */
function rootOf(document: XmlDocument): Rendered {
  const slices = document.slices(document.root, 'element');
  return { slices, length: slices.reduce((length, slice) => length + slice.length, 0) };
}

/** Two parties that go by different things must not take one message for two (research/security.md SOP-04). */
function checkVersion({ envelope }: Message, soapVersion: SoapVersion): void {
  if (envelope.version === soapVersion) return;
  throw new CountersignError(
    'HTTP_MEDIA_TYPE',
    `the content type is that of SOAP ${soapVersion}, the envelope that of SOAP ${envelope.version}`,
  );
}

async function runOutbound(message: Message, chain: Chain, steps: readonly OutboundStep[]): Promise<void> {
  const { timer, document } = message;
  timer.enter('header');
  if (message.signatures.size > 0) message.signatures.clear();
  message.firstVerify = undefined;
  const { envelope, element } = openSecurityHeader(document, message.envelope, chain.header);
  message.envelope = envelope;
  message.securityHeader = element;
  for (const step of steps) {
    timer.enter(step.label);
    await step.run(message);
  }
}

/** A fault of the gateway's own, ready to go out. */
export interface SecuredFault {
  readonly bytes: Uint8Array;
  /** Why it goes out unsigned, though the response chain would sign it: for the operator. */
  readonly failure: CountersignError | undefined;
}

/**
 * Puts the response chain's `timestamp` and `sign` on a fault that the gateway makes itself. Never throws: where
 * signing fails the fault goes out as it is (design/policy.md, Faults).
 */
export async function secureFault(
  chain: Chain | undefined,
  fault: Uint8Array,
  exchange: Exchange,
): Promise<SecuredFault> {
  if (chain === undefined || chain.faultSteps.length === 0) return { bytes: fault, failure: undefined };
  const { limits, clock } = chain.toolkit;
  const timer = new StepTimer(clock);
  let document: XmlDocument | undefined;
  try {
    document = parseDocument(fault, { limits, ids: idRules });
    const message = newMessage(document, chain, { exchange, facts: newFacts(), timer });
    await runOutbound(message, chain, chain.faultSteps);
    return { bytes: Buffer.concat(document.render().slices), failure: undefined };
  } catch (error) {
    return { bytes: fault, failure: stepError(error, chain, { step: timer.running, afterKey: false }) };
  } finally {
    document?.release();
  }
}
