/** What the steps of a chain share while one message is worked on. */
import type { StepTimer } from '../core/timer.js';
import type { Certificate } from '../pki/types.js';
import type { Evidence } from '../wss/evidence.js';
import type { Toolkit } from '../wss/toolkit.js';
import type { NodeId } from '../xml/index.js';
import type { ChainKind, HeaderPlan } from './handler.js';
import type { Envelope, XmlDocument } from './pending.js';

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

const newFacts = (): MessageFacts => ({
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

/** One message in its chain. The document's edits and the evidence are append-only. */
export interface Message {
  readonly exchange: Exchange;
  readonly facts: MessageFacts;
  readonly chain: ChainKind;
  readonly document: XmlDocument;
  readonly envelope: Envelope;
  readonly header: HeaderPlan;
  readonly toolkit: Toolkit;
  readonly timer: StepTimer;
  /** Wall-clock time in milliseconds, read once for the whole message. */
  readonly now: number;
  readonly evidence: Evidence[];
  /** Inbound: the Security header of our role. NONE where there is none. */
  securityHeader: NodeId;
  /** Outbound: the Signature that each `sign` made, by label, in order. */
  readonly signatures: Map<string, NodeId>;
}

/** Adds one to a count of the message's facts. */
export function count(facts: MessageFacts, what: string, by = 1): void {
  facts.counts.set(what, (facts.counts.get(what) ?? 0) + by);
}
