/** A compiled chain. Types only; `compile.ts` makes it and `run.ts` runs it. */
import type { BufferPool } from '../core/buffers.js';
import type { CountersignError } from '../core/errors.js';
import type { StepTimer } from '../core/timer.js';
import type { DecryptCandidate } from '../wss/encryption/decrypt.js';
import type { Evidence } from '../wss/evidence.js';
import type { VerifyCandidate } from '../wss/signature/verify.js';
import type { Toolkit } from '../wss/toolkit.js';
import type { Exchange, SoapVersion } from './context.js';
import type {
  ChainKind,
  ChildRole,
  HeaderPlan,
  InboundStep,
  OutboundStep,
  ScreenRole,
  StripPlan,
} from './handler.js';

export type OnFault = 'require' | 'allow-unencrypted' | 'allow-unsigned' | 'allow-unsigned-with-detail';

/** One direction of a service, ready to run. Frozen; a chain without steps is never made (its messages pass as they are). */
export interface Chain {
  readonly kind: ChainKind;
  readonly header: HeaderPlan;
  readonly onFault: OnFault;
  readonly mode: 'enforce' | 'observe';
  readonly inbound: readonly InboundStep[];
  readonly outbound: readonly OutboundStep[];
  /** The outbound steps that a fault of the gateway's own goes through. */
  readonly faultSteps: readonly OutboundStep[];
  readonly strip: StripPlan;
  /** Labels of the `verify` steps, in list order. */
  readonly verifies: readonly string[];
  readonly roles: Roles;
  readonly toolkit: Toolkit;
  /** The place in the policy of an option of a step: `services/orders.yaml:9:37`. */
  readonly locate: (label: string, at: string | undefined) => string | undefined;
}

/** What the inbound steps take of a Security header, in list order. */
export interface Roles {
  readonly verifies: readonly VerifyCandidate[];
  readonly decrypts: readonly DecryptCandidate[];
  readonly owns: readonly Labelled<ChildRole>[];
  readonly screens: readonly Labelled<ScreenRole>[];
}

/** A role with the label of its step. */
export type Labelled<Role> = Role & { readonly step: string };

export interface ChainInput {
  readonly bytes: Uint8Array;
  readonly exchange: Exchange;
  /** The version that the transport says the message has; one of another version is refused. */
  readonly soapVersion?: SoapVersion | undefined;
  /** The chain enters and leaves its steps on it; it neither begins nor finishes the record. */
  readonly timer: StepTimer;
  /** Where large buffers come from; without one they are allocated. */
  readonly pool?: BufferPool | undefined;
}

export interface ChainResult {
  /** The message that goes on, in pieces. Some are views of the input's bytes; all are good until `release`. */
  readonly slices: readonly Uint8Array[];
  readonly length: number;
  readonly evidence: readonly Evidence[];
  /** The message is a SOAP fault (of the upstream's own). */
  readonly fault: boolean;
  /** `mode: observe`: what would have been refused. */
  readonly observed: CountersignError | undefined;
  /** Gives back what the message took from the pool. Whoever does not call it loses nothing but the reuse. */
  release(): void;
}
