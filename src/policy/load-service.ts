/** Reads service files: their shape, their chains, what must hold of each and of all of them together. */
import { basename, dirname, relative } from 'node:path';
import type { Clock } from '../core/clock.js';
import type { AlgorithmTable } from '../wss/algorithms/table.js';
import { readChain, type StepModules } from './chains.js';
import type { ChainConfig } from './config.js';
import type { Diagnostic } from './diagnostics.js';
import { filesOf, isPattern } from './glob.js';
import { checkShape, diagnose, type Finding } from './issues.js';
import { exceptionRules } from './rules/exceptions.js';
import { orderRules, partRules, referenceRules } from './rules/names.js';
import { attachmentRules, chainRules, nameRules, upstreamRules } from './rules/service.js';
import { namespaces } from './schema/common.js';
import { serviceSchema } from './schema/service.js';
import type { GatewayShape, ServiceShape } from './schema/shapes.js';
import { objectSource, readSource, type Source } from './source.js';

/** The built-in units that policies name; made by `compose.ts`. */
export interface PolicyTables {
  readonly steps: StepModules;
  readonly algorithms: AlgorithmTable;
}

/** A service file with its defaults, for `expand`. */
export interface ServiceFile {
  readonly name: string;
  readonly source: Source;
  readonly shape: ServiceShape | undefined;
  readonly request: ChainConfig | undefined;
  readonly response: ChainConfig | undefined;
}

/** A service by name, and its file. */
export interface Listed {
  readonly name: string;
  readonly source: Source;
}

/** The service files that the gateway file names. */
export function listServices(
  source: Source,
  paths: (path: string) => string,
  inline: boolean,
): { readonly services: readonly Listed[]; readonly diagnostics: readonly Diagnostic[] } {
  if (source.problems.length > 0) return { services: [], diagnostics: [] };
  const value: unknown = source.value;
  const said: unknown =
    typeof value === 'object' && value !== null && 'services' in value ? value.services : undefined;
  const pattern = said ?? 'services/*.yaml';
  if (typeof pattern === 'string') {
    const files = filesOf(paths(pattern));
    if (files.length > 0) {
      return {
        services: files.map((file) => ({ name: stem(file), source: readSource(file) })),
        diagnostics: [],
      };
    }
    return { services: [], diagnostics: [noServices(source, pattern)] };
  }
  if (!inline) {
    const finding: Finding = {
      code: 'CONFIG_INVALID',
      message: '"services" is not accepted',
      path: ['services'],
      key: true,
      expected: 'a pattern such as services/*.yaml',
    };
    return { services: [], diagnostics: [diagnose(source, finding)] };
  }
  const services = Object.entries(typeof pattern === 'object' ? { ...pattern } : {}).map(
    ([name, service]: [string, unknown]) => ({
      name,
      source: objectSource(`(object).services.${name}`, service),
    }),
  );
  return { services, diagnostics: [] };
}

function noServices(source: Source, pattern: string): Diagnostic {
  if (isPattern(pattern)) {
    return diagnose(source, {
      severity: 'warning',
      code: 'WARN_NO_SERVICES',
      message: `no file fits ${pattern}`,
      path: ['services'],
    });
  }
  return diagnose(source, {
    code: 'CONFIG_UNREADABLE',
    message: `there is no file ${pattern}`,
    path: ['services'],
  });
}

/** `orders` for `services/orders.yaml`. */
export const stem = (file: string): string => basename(file).replace(/\.(yaml|yml)$/, '');

export interface ServiceRead extends ServiceFile {
  readonly path: string | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads and checks one service file. */
export function readService(
  { name, source }: Listed,
  gateway: GatewayShape | undefined,
  options: { readonly tables: PolicyTables; readonly clock: Clock },
): ServiceRead {
  const value: unknown = source.value;
  const isMap = typeof value === 'object' && value !== null;
  const path = isMap && 'path' in value && typeof value.path === 'string' ? value.path : undefined;
  const nothing = { name, source, path, shape: undefined, request: undefined, response: undefined };
  if (source.problems.length > 0) {
    return { ...nothing, diagnostics: source.problems.map((problem) => ({ ...problem, service: name })) };
  }
  const findings: Finding[] = [...nameRules(name)];
  const checked = checkShape(serviceSchema, value ?? {});
  const { steps } = options.tables;
  const request = readChain('request', field(value, 'request'), source, steps);
  const response = readChain('response', field(value, 'response'), source, steps);
  if ('findings' in checked) findings.push(...checked.findings);
  else findings.push(...upstreamRules(checked.value, gateway));
  // a file that is no map has one thing wrong with it
  if (isMap || value === null) findings.push(...request.findings, ...response.findings);
  const chains = [request.chain, response.chain].filter((chain) => chain !== undefined);
  const own = 'value' in checked ? checked.value.namespaces : namespacesOf(value);
  findings.push(...chains.flatMap((chain) => findingsOf(chain, own, gateway, steps)));
  if ('value' in checked) {
    findings.push(...attachmentRules(checked.value.attachments, chains));
    const { algorithms } = checked.value;
    findings.push(...exceptionRules(algorithms, options.tables.algorithms, options.clock.now()));
  }
  return {
    name,
    source,
    path,
    shape: 'value' in checked ? checked.value : undefined,
    request: request.chain,
    response: response.chain,
    diagnostics: findings.map((finding) => diagnose(source, finding, name)),
  };
}

function findingsOf(
  chain: ChainConfig,
  declared: Readonly<Record<string, string>>,
  gateway: GatewayShape | undefined,
  steps: StepModules,
): Finding[] {
  const own = [...chainRules(chain, steps), ...orderRules(chain, steps)];
  if (gateway === undefined) return own;
  const known = { ...gateway.namespaces, ...declared };
  return [...own, ...referenceRules(chain, gateway), ...partRules(chain, known)];
}

/** The namespaces of a file that is wrong elsewhere: what they declare is not to be reported as undeclared. */
function namespacesOf(value: unknown): Readonly<Record<string, string>> {
  const checked = checkShape(namespaces, field(value, 'namespaces') ?? {});
  return 'value' in checked ? checked.value : {};
}

function field(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

/** Two services with one name or one path: neither starts. */
export function duplicates(services: readonly ServiceRead[]): Map<ServiceRead, Diagnostic[]> {
  const clashes = new Map<ServiceRead, Diagnostic[]>();
  for (const service of services) {
    const same = (other: ServiceRead): string | undefined => {
      if (other === service) return undefined;
      if (other.path !== undefined && other.path === service.path) return 'path';
      return other.name === service.name ? 'name' : undefined;
    };
    for (const other of services) {
      const what = same(other);
      if (what === undefined) continue;
      const file = relative(dirname(service.source.file), other.source.file);
      const finding: Finding = {
        code: 'CONFIG_DUPLICATE',
        message:
          what === 'path'
            ? `the path ${service.path ?? ''} is also that of ${file}`
            : `the name ${service.name} is also that of ${file}`,
        path: what === 'path' ? ['path'] : [],
        help: 'neither of the two services starts',
      };
      clashes.set(service, [
        ...(clashes.get(service) ?? []),
        diagnose(service.source, finding, service.name),
      ]);
    }
  }
  return clashes;
}
