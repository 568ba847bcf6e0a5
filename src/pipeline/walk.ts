/**
 * The walk over the Security header of an incoming message (WSS 1.1.1 §5: its own order drives the work).
 *
 * First pass, before any private key is used: the Timestamp is judged and every Signature that is readable is opened,
 * so that its SignedInfo is authentic. Second pass, in document order: keys are unwrapped and data decrypted, references
 * are digested as the message is at that moment. What decryption puts into the header is walked next, in its place.
 */
import { CountersignError } from '../core/errors.js';
import { ciphertextIsSigned } from '../wss/coverage.js';
import { Decryption, type DecryptCandidate } from '../wss/encryption/decrypt.js';
import type { DecryptedFact } from '../wss/evidence.js';
import { OctetBudget } from '../wss/signature/octets.js';
import {
  checkReferences,
  openSignature,
  type OpenedSignature,
  type VerifyInput,
} from '../wss/signature/verify.js';
import { indexTokens, type TokenIndex } from '../wss/tokens/index-tokens.js';
import { NONE, ns, type NodeId, type XmlDocument } from '../xml/index.js';
import type { Chain } from './chain.js';
import { count, type Message } from './context.js';
import type { ElementName, InboundStep } from './handler.js';

/**
 * Does all that the children of the Security header ask for, and adds the evidence.
 *
 * @throws CountersignError HEADER_CHILD_UNEXPECTED, SIGNATURE_UNEXPECTED, and what the work itself throws
 */
export async function walkSecurityHeader(message: Message, chain: Chain): Promise<void> {
  if (message.securityHeader === NONE) return;
  const tokens = indexTokens(message.document, message.securityHeader, message.toolkit);
  const walk = new Walk(message, chain.inbound, tokens);
  await walk.prepare();
  await walk.run();
  const unused = tokens.unused.length;
  if (unused > 0) count(message.facts, 'token-unused', unused);
}

/** Where a child that nobody takes would have had its step. */
const missingSteps: Readonly<Record<string, string>> = {
  [`${ns.ds} Signature`]: 'verify',
  [`${ns.xenc} EncryptedKey`]: 'decrypt',
  [`${ns.xenc} ReferenceList`]: 'decrypt',
  [`${ns.xenc} EncryptedData`]: 'decrypt',
  [`${ns.wsu} Timestamp`]: 'check-timestamp',
};

class Walk {
  readonly #message: Message;
  readonly #steps: readonly InboundStep[];
  readonly #tokens: TokenIndex;
  readonly #decryption: Decryption;
  readonly #verifyInput: VerifyInput;
  readonly #opened = new Map<NodeId, OpenedSignature>();
  /** Children that a step's own `take` had. */
  readonly #taken = new Set<NodeId>();
  readonly #walked = new Set<NodeId>();

  constructor(message: Message, steps: readonly InboundStep[], tokens: TokenIndex) {
    const { document, envelope, toolkit, timer, now, evidence } = message;
    this.#message = message;
    this.#steps = steps;
    this.#tokens = tokens;
    this.#verifyInput = { doc: document, tokens, budget: new OctetBudget(toolkit.limits), toolkit, timer };
    this.#decryption = new Decryption({
      document,
      envelope,
      tokens,
      candidates: candidatesOf(steps),
      covered: (element) => ciphertextIsSigned(document, evidence, element),
      toolkit,
      timer,
      now,
    });
  }

  /** First pass. */
  async prepare(): Promise<void> {
    const { document, securityHeader } = this.#message;
    for (const child of document.children(securityHeader)) {
      if (document.is(child, ns.ds, 'Signature')) await this.#screen(this.#open(child));
      else await this.#giveToOwner(child);
    }
  }

  /** Second pass. The children change under it: after each, the first that was not walked yet is next. */
  async run(): Promise<void> {
    for (let child = this.#next(); child !== NONE; child = this.#next()) {
      this.#walked.add(child);
      await this.#walk(child);
    }
  }

  /** An EncryptedData waits until every EncryptedKey and ReferenceList that may name it has been walked. */
  #next(): NodeId {
    const { document, securityHeader } = this.#message;
    let waiting = NONE;
    for (
      let child = document.firstChild(securityHeader);
      child !== NONE;
      child = document.nextSibling(child)
    ) {
      if (this.#walked.has(child)) continue;
      if (!document.is(child, ns.xenc, 'EncryptedData')) return child;
      if (waiting === NONE) waiting = child;
    }
    return waiting;
  }

  async #walk(child: NodeId): Promise<void> {
    const { document, timer } = this.#message;
    if (document.is(child, ns.ds, 'Signature')) this.#verify(child);
    else if (document.is(child, ns.xenc, 'EncryptedKey')) await this.#decrypt(child, 'encryptedKey');
    else if (document.is(child, ns.xenc, 'ReferenceList')) await this.#decrypt(child, 'referenceList');
    else if (document.is(child, ns.xenc, 'EncryptedData')) await this.#decrypt(child, 'encryptedData');
    else if (!(await this.#giveToOwner(child)) && !this.#tokens.has(child)) throw this.#unexpected(child);
    timer.enter('header');
  }

  /** Gives a child to the step that declared its name, once. @returns false where there is none */
  async #giveToOwner(child: NodeId): Promise<boolean> {
    const { document, timer } = this.#message;
    for (const { label, owns } of this.#steps) {
      if (owns === undefined || !isOneOf(document, child, owns.names)) continue;
      if (this.#taken.has(child)) return true;
      this.#taken.add(child);
      timer.enter(label);
      await owns.take(child, this.#message);
      timer.enter('header');
      return true;
    }
    return false;
  }

  /** A Signature that was seen before is refused before a private key is used. */
  async #screen({ replayId }: OpenedSignature): Promise<void> {
    const { timer } = this.#message;
    for (const { label, screen } of this.#steps) {
      if (screen === undefined) continue;
      timer.enter(label);
      await screen(replayId);
      timer.enter('header');
    }
  }

  /** The first `verify` that has no Signature yet and whose trust accepts the certificate takes it. */
  #open(signature: NodeId): OpenedSignature {
    const known = this.#opened.get(signature);
    if (known !== undefined) return known;
    const { timer, signatures, facts, toolkit } = this.#message;
    const candidates = this.#steps.flatMap(({ label, verifies }) =>
      verifies === undefined || signatures.has(label) ? [] : [{ step: label, trust: verifies.trust }],
    );
    const [first] = candidates;
    if (first === undefined) throw this.#unexpected(signature);
    if (this.#opened.size >= toolkit.limits.signatures) throw tooMany(toolkit.limits.signatures);
    timer.suppose(first.step);
    const opened = openSignature(this.#verifyInput, signature, candidates);
    timer.enter('header');
    signatures.set(opened.step, signature);
    this.#opened.set(signature, opened);
    if (opened.step === this.#message.firstVerify) facts.peer = opened.signer.certificate.subject.toString();
    return opened;
  }

  #verify(signature: NodeId): void {
    const opened = this.#open(signature);
    this.#message.timer.enter(opened.step);
    this.#message.evidence.push(checkReferences(this.#verifyInput, opened));
  }

  async #decrypt(child: NodeId, how: 'encryptedKey' | 'referenceList' | 'encryptedData'): Promise<void> {
    const { timer, evidence } = this.#message;
    const owner = this.#steps.find(({ decrypts }) => decrypts !== undefined);
    if (owner === undefined) throw this.#unexpected(child);
    timer.suppose(owner.label);
    const facts: readonly DecryptedFact[] = await this.#decryption[how](child);
    if (facts.length > 0) this.#message.keyUsed = true;
    evidence.push(...facts);
    this.#tokens.refresh();
  }

  #unexpected(child: NodeId): CountersignError {
    const { document } = this.#message;
    const local = document.localName(child);
    const step = missingSteps[`${document.namespace(child)} ${local}`];
    if (step === 'verify' && this.#steps.some(({ verifies }) => verifies !== undefined)) {
      return new CountersignError(
        'SIGNATURE_UNEXPECTED',
        'there are more Signatures than verify steps to take them',
        {
          details: {
            missing: step,
            remedy: 'The sender must not send it, or the policy needs another verify step in',
          },
        },
      );
    }
    const [what, remedy] =
      step === undefined
        ? [`no step takes ${local} of ${document.namespace(child)}`, 'The sender must not send it to']
        : [`${local} needs a ${step} step`, `The sender must not send it, or add ${step} to`];
    return new CountersignError('HEADER_CHILD_UNEXPECTED', `the Security header has a ${local}: ${what}`, {
      details: { element: local, missing: step, remedy },
    });
  }
}

function candidatesOf(steps: readonly InboundStep[]): DecryptCandidate[] {
  const candidates: DecryptCandidate[] = [];
  for (const { label, decrypts } of steps)
    if (decrypts !== undefined) candidates.push({ step: label, ...decrypts });
  return candidates;
}

function isOneOf(document: XmlDocument, element: NodeId, names: readonly ElementName[]): boolean {
  for (const { namespace, local } of names) if (document.is(element, namespace, local)) return true;
  return false;
}

const tooMany = (limit: number): CountersignError =>
  new CountersignError('SECURITY_LIMIT', `there are more than ${limit} Signatures`, {
    details: { limit: 'signatures', allowed: limit },
  });
