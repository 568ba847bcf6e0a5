/** `expand`: the effective policy, every default written out, in the words of the policy files. */
import { stringify } from 'yaml';
import type { Limits } from '../core/limits.js';
import { formatDuration, formatSize } from '../core/units.js';
import type { ChainConfig, ServiceConfig, StepConfig } from './config.js';
import { readable } from './format.js';
import type { ServiceFile } from './load-service.js';
import type { LoadedConfig } from './load.js';
import type { GatewayShape, ServiceShape } from './schema/shapes.js';

/** One file with its defaults. `value` has the keys of the file. */
export interface Expanded {
  readonly file: string;
  readonly value: object;
}

/** The signature algorithm that fits a key, by its name; undefined where the key could not be looked at. */
export type FittingAlgorithms = ReadonlyMap<string, string>;

/**
 * The gateway file, then the services that have no errors.
 *
 * @param fitting what `sign` does with a key where the policy names no algorithm
 */
export function expandConfig(loaded: LoadedConfig, fitting: FittingAlgorithms = new Map()): Expanded[] {
  const { gateway, services, files } = loaded;
  const { shape, source } = files.gateway;
  if (gateway === undefined || shape === undefined) return [];
  const first: Expanded = { file: source.file, value: expandGateway(shape, gateway) };
  const rest = services.flatMap((service) => {
    const file = files.services.find((each) => each.source.file === service.file);
    return file?.shape === undefined
      ? []
      : [{ file: service.file, value: expandService(file, file.shape, service, fitting) }];
  });
  return [first, ...rest];
}

/** YAML, one document for each file. @param show how to print a file's name */
export function expandedYaml(all: readonly Expanded[], show: (file: string) => string): string {
  return all.map(({ file, value }) => `# ${show(file)}\n${readable(stringify(value))}`).join('---\n');
}

/** The limits that are sizes; the others are counts and lengths of names. */
const sizes: ReadonlySet<string> = new Set(['envelope', 'attribute', 'response']);

const limitsOf = (limits: Limits): object =>
  Object.fromEntries(
    Object.entries(limits).map(([name, value]: [string, number]) => [
      name,
      sizes.has(name) ? (formatSize(value) ?? value) : value,
    ]),
  );

function expandGateway(shape: GatewayShape, gateway: NonNullable<LoadedConfig['gateway']>): object {
  return {
    ...shape,
    listen: { ...shape.listen, open: gateway.open },
    open: gateway.open,
    provider: gateway.provider,
    algorithms: gateway.algorithms,
    limits: limitsOf(gateway.limits),
  };
}

function expandService(
  file: ServiceFile,
  shape: ServiceShape,
  service: ServiceConfig,
  fitting: FittingAlgorithms,
): object {
  const upstream =
    typeof shape.upstream === 'string' ? { url: shape.upstream, transport: 'undici' } : shape.upstream;
  return {
    path: shape.path,
    upstream,
    timeouts: {
      connect: formatDuration(service.timeouts.connect),
      response: formatDuration(service.timeouts.response),
    },
    wsdl: shape.wsdl,
    attachments: service.attachments,
    namespaces: service.namespaces,
    algorithms: service.algorithms,
    limits: limitsOf(service.limits),
    request: expandChain(file.request ?? service.request, fitting),
    response: expandChain(file.response ?? service.response, fitting),
  };
}

function expandChain(chain: ChainConfig, fitting: FittingAlgorithms): object {
  const { header, onFault, mode, steps } = chain;
  return {
    header: { role: header.role, 'must-understand': header.mustUnderstand, existing: header.existing },
    ...(chain.kind === 'response' ? { 'on-fault': onFault } : {}),
    mode,
    steps: steps.map((step) => ({ [step.name]: withAlgorithm(step, fitting) })),
  };
}

/** The key of a `sign` step that leaves the choice of its algorithm to the key. */
export function signsByKey({ name, options }: Pick<StepConfig, 'name' | 'options'>): string | undefined {
  if (name !== 'sign' || typeof options !== 'object' || options === null) return undefined;
  if ('algorithm' in options && options.algorithm !== undefined) return undefined;
  return 'key' in options && typeof options.key === 'string' ? options.key : undefined;
}

/** The options, with the algorithm where policy.md has it: after `key` and `parts`. */
function withAlgorithm(step: StepConfig, fitting: FittingAlgorithms): unknown {
  const key = signsByKey(step);
  const algorithm = key === undefined ? undefined : fitting.get(key);
  if (algorithm === undefined || typeof step.options !== 'object' || step.options === null)
    return step.options;
  const { key: signer, parts, ...others }: { key?: unknown; parts?: unknown } = step.options;
  return { key: signer, parts, algorithm, ...others };
}
