/** What a step is. Types only. */
import type { z } from 'zod';
import type { KeyRing } from '../providers/keys.js';
import type { Part } from '../wss/parts.js';
import type { ReplayStore } from '../wss/replay.js';
import type { Toolkit } from '../wss/toolkit.js';
import type { Trust } from '../wss/trust.js';
import type { NodeId } from '../xml/index.js';
import type { Message } from './context.js';
import type { ChainKind, Direction, HeaderPlan } from './plans.js';

export type * from './plans.js';

/**
 * One kind of step, as its file exports it. To add a step is one such file and one line in `builtin.ts`.
 *
 * @typeParam O the options with their defaults filled in, in the words of the policy file (durations stay text)
 */
export interface StepModule<O = unknown> {
  /** Kebab-case, unique. */
  readonly name: string;
  readonly direction: Direction;
  /** What it does, in one line, for the schema and the documentation. */
  readonly summary: string;
  /** Checks the options of the policy file and fills in the defaults. A bare name in the file means `{}`. */
  readonly schema: z.ZodType<O>;
  /** Options that pass the schema. */
  readonly example: O;
  /** Whether it also runs over a fault that the gateway makes itself (design/policy.md, Faults). */
  readonly faults?: boolean;
  /** Whether a chain may have it more than once. */
  readonly repeatable?: boolean;
  /**
   * Makes the step: resolves names, parses parts, judges algorithms. May be slow and may fail; running does no set-up.
   *
   * @throws CountersignError POLICY_INVALID with `details.at`, the path of the option within the step
   */
  create(options: O, build: StepBuild): Step;
}

/** Another step of the chain that is being built. */
export interface Sibling<O> {
  readonly label: string;
  /** Its place in the list. */
  readonly position: number;
  readonly options: O;
}

/** What `create` may ask for. `at` is always the path of the option within the step: `key`, `parts.1`. */
export interface StepBuild {
  /** The step's name in records and log lines: its own `name`, or the module's, numbered when repeated. */
  readonly label: string;
  readonly chain: ChainKind;
  /** Its place in the list. */
  readonly position: number;
  readonly header: HeaderPlan;
  readonly toolkit: Toolkit;
  readonly replay: ReplayPlan;
  /** Labels of the `verify` steps of the request chain; undefined while the request chain itself is built. */
  readonly requestVerifies: readonly string[] | undefined;
  /** @throws CountersignError POLICY_INVALID when there is no such key */
  key(name: string, at: string): KeyRing;
  /** @throws CountersignError POLICY_INVALID when there is no such trust */
  trust(name: string, at: string): Trust;
  /** @throws CountersignError POLICY_INVALID when the text is not a part, or its prefix is unknown */
  part(text: string, at: string): Part;
  /** Resolves `p:name` or `{uri}name`. @throws CountersignError POLICY_INVALID */
  name(text: string, at: string): ElementName;
  /** The steps of the same chain that `module` makes, in list order, this one included. */
  siblings<O>(module: StepModule<O>): readonly Sibling<O>[];
  /** True when steps of the other direction follow in the list. */
  readonly outboundFollows: boolean;
}

export interface ElementName {
  readonly namespace: string;
  readonly local: string;
}

/** Where replayed messages are told. */
export interface ReplayPlan {
  readonly store: ReplayStore;
  /** Milliseconds since the epoch at which a store that forgets was opened; undefined: it remembers earlier runs. */
  readonly startedAt: number | undefined;
}

export type Step = InboundStep | OutboundStep;

/** Records edits on the outgoing message. */
export interface OutboundStep {
  readonly direction: 'outbound';
  readonly label: string;
  run(message: Message): Promise<void> | void;
}

/**
 * Work on an incoming message. The walk over the Security header hands each child to the step that owns it; then
 * every `settle` runs, then every `finish`, then every `claim`, each in list order.
 */
export interface InboundStep {
  readonly direction: 'inbound';
  readonly label: string;
  /** Takes a Signature, if its trust accepts the certificate. */
  readonly verifies?: VerifyRole;
  /** Takes EncryptedKey, ReferenceList and EncryptedData. */
  readonly decrypts?: DecryptRole;
  /** Takes other children. */
  readonly owns?: ChildRole;
  /** Looks at what identifies a Signature whose SignedInfo is authentic, before any private key is used. */
  readonly screens?: ScreenRole;
  /** What is taken away at the end of the inbound steps. */
  readonly strips?: StripPlan;
  /** Asserts what the policy requires, on evidence alone. */
  settle?(message: Message): void;
  /** What comes after every requirement held: content checks. */
  finish?(message: Message): Promise<void> | void;
  /** The very last thing before the message goes on, after outbound steps too. */
  claim?(message: Message): Promise<void> | void;
}

export interface VerifyRole {
  readonly trust: Trust;
}

export interface DecryptRole {
  readonly keys: KeyRing;
  readonly unauthenticatedCbc: boolean;
}

export interface ChildRole {
  readonly names: readonly ElementName[];
  /** Taken before any private key is used, where it is readable by then. */
  readonly take: (child: NodeId, message: Message) => Promise<void> | undefined;
}

export interface ScreenRole {
  readonly screen: (replayId: string) => Promise<void> | undefined;
}

/** What of the security that was checked is not passed on. */
export interface StripPlan {
  /** Leaves the Security header where it is. */
  readonly keep: boolean;
  /** Removes the `wsu:Id` of signed elements. */
  readonly ids: boolean;
}
