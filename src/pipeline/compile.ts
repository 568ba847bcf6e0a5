import { CountersignError, isCountersignError } from '../core/errors.js';
import type { KeyRing } from '../providers/keys.js';
import { parsePart } from '../wss/parts.js';
import type { Toolkit } from '../wss/toolkit.js';
import type { Trust } from '../wss/trust.js';
import type { Chain, Labelled, OnFault, Roles } from './chain.js';
import type {
  ChainKind,
  ElementName,
  HeaderPlan,
  InboundStep,
  OutboundStep,
  ReplayPlan,
  Sibling,
  Step,
  StepBuild,
  StepModule,
} from './handler.js';
import { located, policyError } from './policy-error.js';

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

/** A step of the list with its module and its name in records. */
interface Entry {
  readonly module: StepModule;
  readonly options: unknown;
  readonly label: string;
  readonly position: number;
}

interface Built {
  readonly entry: Entry;
  readonly step: Step;
}

/**
 * Builds a chain: direction, order, names, parts. Nothing is thrown for what the policy says wrongly: each error
 * (POLICY_*, CONFIG_UNKNOWN_NAME, …) has `details.index`, the step's place in the list, and `details.at`, the path
 * of the option within it.
 */
export function compileChain(plan: ChainPlan, environment: ChainEnvironment): CompiledChain {
  const errors: CountersignError[] = [];
  const entries = collect(errors, plan.steps, (step, position) => toEntry(step, position, plan, environment));
  if (entries.length === plan.steps.length) errors.push(...listErrors(plan, entries));
  const namespaces = new Map(Object.entries(environment.namespaces));
  const built = collect(errors, entries, (entry): Built => {
    const build = buildFor(entry, { plan, entries, environment, namespaces });
    return { entry, step: entry.module.create(entry.options, build) };
  });
  if (errors.length > 0) return { chain: undefined, errors };
  return { chain: assemble(plan, built, environment), errors: [] };
}

/** Maps a list; the errors of its items are kept with their place, and the items left out. */
function collect<A, B>(
  errors: CountersignError[],
  items: readonly A[],
  map: (item: A, index: number) => B,
): B[] {
  const results: B[] = [];
  for (const [index, item] of items.entries()) {
    try {
      results.push(map(item, index));
    } catch (error) {
      if (!isCountersignError(error)) throw error;
      const details = { at: '', index, ...error.details };
      errors.push(new CountersignError(error.code, error.message, { cause: error, details }));
    }
  }
  return results;
}

function toEntry(step: StepPlan, position: number, plan: ChainPlan, environment: ChainEnvironment): Entry {
  const module = environment.modules.get(step.name);
  if (module === undefined) {
    throw policyError('CONFIG_UNKNOWN_NAME', `there is no step ${step.name}`, '', { name: step.name });
  }
  const before = plan.steps.slice(0, position).filter((other) => other.name === step.name).length;
  const numbered = before === 0 ? step.name : `${step.name}#${before + 1}`;
  return { module, options: step.options, label: ownName(step.options) ?? numbered, position };
}

function ownName(options: unknown): string | undefined {
  if (typeof options !== 'object' || options === null || !('name' in options)) return undefined;
  return typeof options.name === 'string' ? options.name : undefined;
}

/** What is wrong with the list as a list. */
function listErrors(plan: ChainPlan, entries: readonly Entry[]): CountersignError[] {
  const errors: CountersignError[] = [];
  const refuse = (entry: Entry, message: string, at = ''): void => {
    errors.push(policyError('POLICY_ORDER', message, at, { index: entry.position }));
  };
  const labels = new Set<string>();
  const names = new Set<string>();
  let outbound: Entry | undefined;
  for (const entry of entries) {
    const { name, direction, repeatable } = entry.module;
    if (direction === 'outbound') outbound ??= entry;
    else if (outbound !== undefined) {
      refuse(entry, `${name} works on incoming messages and must stand before ${outbound.module.name}`);
    }
    if (names.has(name) && repeatable !== true) refuse(entry, `a chain can have only one ${name}`);
    if (labels.has(entry.label)) refuse(entry, `two steps are named ${entry.label}`, 'name');
    names.add(name);
    labels.add(entry.label);
  }
  if (plan.mode === 'observe' && outbound !== undefined) {
    refuse(
      outbound,
      `mode: observe is for chains of inbound steps only, and ${outbound.module.name} is outbound`,
    );
  }
  return errors;
}

interface BuildContext {
  readonly plan: ChainPlan;
  readonly entries: readonly Entry[];
  readonly environment: ChainEnvironment;
  readonly namespaces: ReadonlyMap<string, string>;
}

function buildFor(entry: Entry, { plan, entries, environment, namespaces }: BuildContext): StepBuild {
  const { toolkit, keys, trusts, replay, requestVerifies } = environment;
  return {
    label: entry.label,
    chain: plan.kind,
    position: entry.position,
    header: plan.header,
    toolkit,
    replay,
    requestVerifies,
    key: (name, at) => known('key', keys, name, at),
    trust: (name, at) => known('trust', trusts, name, at),
    part: (text, at) => located(at, () => parsePart(text, namespaces)),
    name: (text, at) => located(at, () => elementName(text, namespaces)),
    siblings: <O>(module: StepModule<O>) => siblings(entries, module),
    outboundFollows: entries.some((other) => other.module.direction === 'outbound'),
  };
}

function known<T>(kind: string, table: ReadonlyMap<string, T>, name: string, at: string): T {
  const found = table.get(name);
  if (found !== undefined) return found;
  const names = [...table.keys()].join(', ');
  throw policyError('CONFIG_UNKNOWN_NAME', `there is no ${kind} named ${name}`, at, {
    kind,
    name,
    known: names,
  });
}

function elementName(text: string, namespaces: ReadonlyMap<string, string>): ElementName {
  const { target } = parsePart(`header/${text}`, namespaces);
  if (target.kind !== 'header') throw policyError('POLICY_INVALID', `${text} is not a name`, '');
  return target.path[0];
}

function siblings<O>(entries: readonly Entry[], module: StepModule<O>): Sibling<O>[] {
  return entries
    .filter((other) => other.module.name === module.name)
    .map(({ label, position, options }) => ({ label, position, options: module.schema.parse(options) }));
}

function assemble(plan: ChainPlan, built: readonly Built[], environment: ChainEnvironment): Chain {
  const inbound: InboundStep[] = [];
  const outbound: OutboundStep[] = [];
  const faultSteps: OutboundStep[] = [];
  const positions = new Map<string, number>();
  for (const { entry, step } of built) {
    positions.set(entry.label, entry.position);
    if (step.direction === 'inbound') inbound.push(step);
    else {
      outbound.push(step);
      if (entry.module.faults === true) faultSteps.push(step);
    }
  }
  return Object.freeze({
    kind: plan.kind,
    header: plan.header,
    onFault: plan.onFault,
    mode: plan.mode,
    inbound,
    outbound,
    faultSteps,
    strip: inbound.find((step) => step.strips !== undefined)?.strips ?? { keep: false, ids: false },
    verifies: inbound.filter((step) => step.verifies !== undefined).map((step) => step.label),
    roles: rolesOf(inbound),
    toolkit: environment.toolkit,
    locate: (label: string, at: string | undefined): string | undefined => {
      const position = positions.get(label);
      return position === undefined ? undefined : environment.locate(position, at);
    },
  });
}

function rolesOf(steps: readonly InboundStep[]): Roles {
  const labelled = <Role>(role: (step: InboundStep) => Role | undefined): Labelled<Role>[] => {
    const found: Labelled<Role>[] = [];
    for (const step of steps) {
      const own = role(step);
      if (own !== undefined) found.push({ step: step.label, ...own });
    }
    return found;
  };
  return {
    verifies: labelled((step) => step.verifies),
    decrypts: labelled((step) => step.decrypts),
    owns: labelled((step) => step.owns),
    screens: labelled((step) => step.screens),
  };
}
