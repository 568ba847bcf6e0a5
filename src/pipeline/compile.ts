import type { CountersignError } from '../core/errors.js';
import type { KeyRing } from '../providers/keys.js';
import type { Toolkit } from '../wss/toolkit.js';
import type { Chain, OnFault } from './chain.js';
import type { ChainKind, HeaderPlan, ReplayPlan, StepModule } from './handler.js';
import type { Trust } from './pending.js';

/** A chain as the policy writes it. */
export interface ChainPlan {
  readonly kind: ChainKind;
  readonly header: HeaderPlan;
  readonly onFault: OnFault;
  readonly mode: 'enforce' | 'observe';
  /** At least one. */
  readonly steps: readonly StepPlan[];
}

export interface StepPlan {
  readonly name: string;
  /** Output of the module's schema. */
  readonly options: unknown;
}

/** What the names in a chain stand for. */
export interface ChainEnvironment {
  readonly modules: ReadonlyMap<string, StepModule>;
  readonly toolkit: Toolkit;
  readonly keys: ReadonlyMap<string, KeyRing>;
  readonly trusts: ReadonlyMap<string, Trust>;
  readonly namespaces: Readonly<Record<string, string>>;
  readonly replay: ReplayPlan;
  /** Labels of the request chain's `verify` steps; undefined for the request chain itself. */
  readonly requestVerifies: readonly string[] | undefined;
  /** The place of an option (`parts.1`; undefined: the step) of the step at `index`, for the operator's line. */
  readonly locate: (index: number, at: string | undefined) => string | undefined;
}

/** Either a chain, or every reason why there is none. */
export type CompiledChain =
  | { readonly chain: Chain; readonly errors: readonly [] }
  | { readonly chain: undefined; readonly errors: readonly CountersignError[] };

/**
 * Builds a chain: direction, order, names, parts. Nothing is thrown for what the policy says wrongly: each error
 * (POLICY_*, CONFIG_UNKNOWN_NAME) has `details.index`, the step's place in the list, and `details.at`, the path of
 * the option within it.
 */
export function compileChain(plan: ChainPlan, environment: ChainEnvironment): CompiledChain {
  throw new Error(`${plan.kind} ${environment.modules.size}`);
}
