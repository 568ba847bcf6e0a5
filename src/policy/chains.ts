/** Reads the chains of a service file: a list of steps, or a map that has one (design/policy.md, A service). */
import type { StepModule } from '../pipeline/index.js';
import type { ChainConfig, StepConfig } from './config.js';
import { nearestName } from './diagnostics.js';
import { checkShape, describe, oneOf, type Finding } from './issues.js';
import { chainSchema } from './schema/service.js';
import type { ChainShape } from './schema/shapes.js';
import { quoteHelp, type Path, type Source } from './source.js';

export type StepModules = ReadonlyMap<string, StepModule>;

/** Steps that policy.md names and this version does not have. */
export const laterSteps: readonly string[] = [
  'username',
  'check-username',
  'saml',
  'check-saml',
  'signature-confirmation',
  'check-signature-confirmation',
  'session-key',
  'schema',
  'sign-document',
];

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The chain, undefined where it cannot be used, and everything that is wrong with it. */
export interface ChainRead {
  readonly chain: ChainConfig | undefined;
  readonly findings: readonly Finding[];
}

/**
 * One chain of a service.
 *
 * @param value what stands under `request` or `response`
 */
export function readChain(
  kind: 'request' | 'response',
  value: unknown,
  source: Source,
  modules: StepModules,
): ChainRead {
  if (value === undefined || value === null) {
    return { chain: undefined, findings: [emptyChain(kind, [kind])] };
  }
  const { shape, findings, path, list } = readShape(kind, value);
  const reads = (list ?? []).map((item, index) => readStep(item, [...path, index], modules));
  const all = [...findings, ...reads.flatMap((read) => read.findings)];
  const steps = reads.flatMap(({ step }) =>
    step === undefined ? [] : [{ ...step, at: source.place(step.path).at }],
  );
  if (shape === undefined || list === undefined || steps.length < list.length) {
    return { chain: undefined, findings: all };
  }
  const { header } = shape;
  const chain: ChainConfig = {
    kind,
    header: { role: header.role, mustUnderstand: header['must-understand'], existing: header.existing },
    onFault: shape['on-fault'],
    mode: shape.mode,
    steps,
    at: source.keyPlace([kind]).at,
    path,
  };
  return { chain, findings: all };
}

interface ShapeRead {
  readonly shape: ChainShape | undefined;
  readonly findings: readonly Finding[];
  /** Where the list of steps stands. */
  readonly path: Path;
  readonly list: readonly unknown[] | undefined;
}

function readShape(kind: 'request' | 'response', value: unknown): ShapeRead {
  if (isList(value)) return { shape: defaultShape(value), findings: [], path: [kind], list: value };
  const checked = checkShape(chainSchema, value, [kind]);
  const findings = 'findings' in checked ? checked.findings.map(listOrMap(value)) : [];
  const shape = 'value' in checked ? checked.value : undefined;
  const path = [kind, 'steps'];
  if (!isMap(value)) return { shape, findings, path, list: undefined };
  const steps = value['steps'];
  if (isList(steps)) return { shape, findings, path, list: steps };
  const nothing = steps === undefined || steps === null;
  const finding: Finding = nothing
    ? emptyChain(kind, path)
    : {
        code: 'CONFIG_INVALID',
        message: '"steps" is not accepted',
        path,
        expected: 'a list of steps, or []',
        found: describe(steps),
      };
  return { shape, findings: [...findings, finding], path, list: undefined };
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

function defaultShape(value: unknown): ChainShape {
  const checked = checkShape(chainSchema, { steps: value });
  if ('findings' in checked) throw new Error('the schema of a chain has no defaults');
  return checked.value;
}

const listOrMap =
  (value: unknown) =>
  (finding: Finding): Finding =>
    isMap(value)
      ? finding
      : { ...finding, expected: 'a list of steps, or a map with header, on-fault, mode and steps' };

function emptyChain(kind: string, path: Path): Finding {
  return {
    code: 'POLICY_EMPTY_CHAIN',
    message: `the ${kind} chain has no steps`,
    path,
    key: true,
    expected: `${String(path.at(-1))}: a list of steps, or [] where messages pass unprotected and unchecked`,
    found: 'nothing',
  };
}

interface StepRead {
  readonly step: Omit<StepConfig, 'at'> | undefined;
  readonly findings: readonly Finding[];
}

const refused = (finding: Finding): StepRead => ({ step: undefined, findings: [finding] });

function readStep(item: unknown, path: Path, modules: StepModules): StepRead {
  if (typeof item === 'string') return checkStep(item, {}, path, modules);
  const keys = isMap(item) ? Object.keys(item) : [];
  const [name] = keys;
  if (!isMap(item) || name === undefined) {
    return refused({
      code: 'CONFIG_INVALID',
      message: 'this is not a step',
      path,
      expected: "a step's name, or a map with one key, such as - sign: { … }",
      found: describe(item),
    });
  }
  if (keys.length > 1) {
    const nothing = item[name] === null;
    return refused({
      code: 'CONFIG_INVALID',
      message: `a step has one key, this one has ${keys.length}`,
      path: [...path, keys[1] ?? name],
      key: true,
      expected: 'one key',
      found: keys.join(', '),
      help: nothing
        ? `indent the options below ${name}: more than the ${name} itself`
        : 'begin each step with a dash of its own',
    });
  }
  return checkStep(name, item[name] ?? {}, [...path, name], modules);
}

function checkStep(name: string, options: unknown, path: Path, modules: StepModules): StepRead {
  const module = modules.get(name);
  if (module === undefined) {
    if (laterSteps.includes(name)) {
      return refused({
        code: 'CONFIG_NOT_AVAILABLE',
        message: `the step ${name} is not available in this version`,
        path,
        key: true,
      });
    }
    const known = [...modules.keys()];
    return refused({
      code: 'CONFIG_UNKNOWN_NAME',
      message: `there is no step "${name}"`,
      path,
      key: true,
      expected: oneOf(known),
      nearest: nearestName(name, known),
    });
  }
  const checked = checkShape(module.schema, options, path);
  if ('value' in checked) return { step: { name, options: checked.value, path }, findings: [] };
  return {
    step: undefined,
    findings: checked.findings.map((finding) => aboutParts(name, finding, options, path)),
  };
}

/** `parts` is what a policy is about: said in so many words. */
function aboutParts(step: string, finding: Finding, options: unknown, path: Path): Finding {
  const [last, before] = [finding.path.at(-1), finding.path.at(-2)];
  if (last === 'parts' && isMap(options) && (options['parts'] ?? undefined) === undefined) {
    return {
      code: 'POLICY_PARTS',
      message: `${step} does not say which parts it is about`,
      path: [...path, 'parts'],
      expected: 'parts: a list such as [timestamp, body]',
    };
  }
  if (before !== 'parts' || typeof last !== 'number' || !isMap(options)) return finding;
  const parts: unknown = options['parts'];
  const part: unknown = Array.isArray(parts) ? parts[last] : undefined;
  if (part === null) return { ...finding, code: 'POLICY_PARTS', help: quoteHelp('#') };
  if (isMap(part)) return { ...finding, code: 'POLICY_PARTS', help: quoteHelp('{') };
  return finding;
}
