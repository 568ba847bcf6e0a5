/** What the steps of a chain share while one message is worked on. */
import type { StepTimer } from '../core/timer.js';
import type { Certificate } from '../pki/types.js';
import type { Evidence } from '../wss/evidence.js';
import type { Toolkit } from '../wss/toolkit.js';
import type { Envelope, NodeId, XmlDocument } from '../xml/index.js';
import type { HeaderPlan } from './plans.js';

export type SoapVersion = '1.1' | '1.2';

/** Facts about one message of an exchange, also readable when its chain has failed. */
export interface MessageFacts {
  soapVersion: SoapVersion | undefined;
  /** Name of the first child of the Body as it is written, once it is readable: `o:order`. */
  operation: string | undefined;
  /** Subject of the certificate that the first `verify` accepted. */
  peer: string | undefined;
  /** Whether the message is a SOAP fault. */
  fault: boolean;
  /** Things that were accepted and are to be counted: `token-unused`, `fault-allow-unsigned`, … */
  readonly counts: Map<string, number>;
}

/** One request and its response. */
export interface Exchange {
  readonly id: string;
  readonly service: string;
  readonly request: MessageFacts;
  readonly response: MessageFacts;
  /** Certificates that the request's `verify` steps accepted, by label of the step. */
  readonly requestSigners: Map<string, Certificate>;
}

/** Facts of a message of which nothing is known yet. */
export const newFacts = (): MessageFacts => ({
  soapVersion: undefined,
  operation: undefined,
  peer: undefined,
  fault: false,
  counts: new Map(),
});

/** Begins an exchange. @param id goes to the peer, in `X-Countersign-Id` and in faults */
export function newExchange(id: string, service: string): Exchange {
  return { id, service, request: newFacts(), response: newFacts(), requestSigners: new Map() };
}

/** One message in its chain. The document's edits, the tokens and the evidence are append-only. */
export interface Message {
  readonly exchange: Exchange;
  readonly facts: MessageFacts;
  readonly document: XmlDocument;
  /** Found again when a step has made or uncovered a Header or Body. */
  envelope: Envelope;
  readonly header: HeaderPlan;
  readonly toolkit: Toolkit;
  readonly timer: StepTimer;
  /** Wall-clock time in milliseconds, read once for the whole message. */
  readonly now: number;
  readonly evidence: Evidence[];
  /** The Security header of our role. NONE where there is none. */
  securityHeader: NodeId;
  /** Signatures by label of the step: inbound those that a `verify` took, outbound those that a `sign` made, in order. */
  readonly signatures: Map<string, NodeId>;
  /** Label of the chain's first `verify` while its inbound steps run; undefined while outbound steps do. */
  firstVerify: string | undefined;
  /** Whether a fault need not be encrypted (`on-fault: allow-unencrypted`). */
  readonly waivesEncryption: boolean;
  /** Whether a private key has been used on the message: from then on every refusal looks the same outside. */
  keyUsed: boolean;
  /** What stands around the root does not go on. */
  onlyRoot: boolean;
}

/** Adds to a count of the message's facts. */
export function count(facts: MessageFacts, what: string, by = 1): void {
  facts.counts.set(what, (facts.counts.get(what) ?? 0) + by);
}
