/** From a loaded configuration to what the gateway runs: keys opened, trusts read, chains built. */
import { dirname } from 'node:path';
import { isCountersignError, type CountersignError } from '../core/errors.js';
import type { Limits } from '../core/limits.js';
import { compileChain, type Chain, type ReplayPlan } from '../pipeline/index.js';
import { parseName } from '../pki/index.js';
import type { KeyOpening, KeyRing, TlsKey } from '../providers/index.js';
import { compileConstraints, type AlgorithmConstraints, type ExceptionUse } from '../wss/constraints.js';
import type { Toolkit } from '../wss/toolkit.js';
import { makeTrust, type Trust } from '../wss/trust.js';
import { listenerRules, readCaFiles, serviceFileRules, type CaProblems } from './compile-files.js';
import {
  inForceRules,
  openKeys,
  openTlsKeys,
  openTrusts,
  type Opened,
  type TrustMaterial,
} from './compile-keys.js';
import type { ChainConfig, GatewayConfig, ServiceConfig } from './config.js';
import { nearestName, type Diagnostic } from './diagnostics.js';
import { diagnose, oneOf, type Finding } from './issues.js';
import type { PolicyTables } from './load-service.js';
import { shortName, sortByPlace, type LoadedConfig, type RefusedService } from './load.js';
import { keyUses, trustUses, verifyLabels } from './rules/service.js';
import type { Path, Source } from './source.js';

/** What compiling needs from the composition root. */
export interface CompileContext {
  readonly tables: PolicyTables;
  readonly opening: KeyOpening;
  readonly replay: ReplayPlan;
  /** The toolkit of a service. */
  readonly toolkit: (limits: Limits, constraints: AlgorithmConstraints) => Toolkit;
  /** Told of each use of an algorithm that is allowed by exception; must be cheap. */
  readonly onException?: (service: string, use: ExceptionUse) => void;
  /** Keys on tokens are not opened, and chains that need one are not built (`check --offline`). */
  readonly offline?: boolean;
  /** The listeners will be opened: their tokens must be there. */
  readonly listens?: boolean;
}

/** A service that can run. A chain without steps is undefined: its messages pass as they are. */
export interface CompiledService {
  readonly config: ServiceConfig;
  readonly request: Chain | undefined;
  readonly response: Chain | undefined;
}

export interface CompiledConfig {
  /** Undefined: the gateway does not start. */
  readonly config: GatewayConfig | undefined;
  readonly services: readonly CompiledService[];
  readonly refused: readonly RefusedService[];
  /** Those of loading, and what compiling found. */
  readonly diagnostics: readonly Diagnostic[];
  readonly keys: ReadonlyMap<string, KeyRing>;
  readonly tlsKeys: ReadonlyMap<string, TlsKey>;
}

/**
 * Opens and builds. Nothing is thrown for what the configuration says wrongly: a service that cannot be built is
 * refused with its reasons and takes no other one down (design/policy.md, Fail closed).
 */
export async function compile(loaded: LoadedConfig, context: CompileContext): Promise<CompiledConfig> {
  const { gateway, services } = loaded;
  if (gateway === undefined) {
    const { refused, diagnostics } = loaded;
    return { config: undefined, services: [], refused, diagnostics, keys: new Map(), tlsKeys: new Map() };
  }
  const parts: Parts = {
    gateway,
    folder: dirname(gateway.file),
    keys: await openKeys(gateway, services, context.opening, context.offline === true),
    tls: await openTlsKeys(gateway, services),
    trusts: await openTrusts(gateway),
    files: await readCaFiles(gateway, services),
  };
  const listeners = listenerRules(gateway, parts.files, context.listens === true);
  const diagnostics = [...anchorRules(parts), ...listeners].map((finding) =>
    diagnose(loaded.files.gateway.source, finding),
  );
  const compiled: CompiledService[] = [];
  const refused = [...loaded.refused];
  for (const service of services) {
    const source = loaded.files.services.find((file) => file.source.file === service.file)?.source;
    if (source === undefined) continue;
    const result = guarded(() => compileService(service, source, parts, context));
    diagnostics.push(...result.findings.map((finding) => diagnose(source, finding, service.name)));
    if (result.service !== undefined) compiled.push(result.service);
    else refused.push({ name: service.name, file: service.file, path: service.path });
  }
  diagnostics.push(...unopened(loaded.files.gateway.source, services, parts));
  const listener = gateway.listen.tls?.key;
  const closed = listener !== undefined && parts.tls.failed.has(listener);
  return {
    config: closed || listeners.length > 0 ? undefined : gateway,
    services: compiled,
    refused,
    diagnostics: sortByPlace([...loaded.diagnostics, ...diagnostics]),
    keys: parts.keys.values,
    tlsKeys: parts.tls.values,
  };
}

interface Parts {
  readonly gateway: GatewayConfig;
  /** Places in the policy are said relative to the gateway file's folder. */
  readonly folder: string;
  readonly keys: Opened<KeyRing>;
  readonly tls: Opened<TlsKey>;
  readonly trusts: Opened<TrustMaterial>;
  readonly files: CaProblems;
}

/** A partner's own certificate belongs under `certificates`; as an anchor it makes every other one untrusted. */
function anchorRules({ trusts }: Parts): Finding[] {
  return [...trusts.values].flatMap(([name, { anchors }]) =>
    anchors
      .filter(({ version, basicConstraints }) => version === 3 && basicConstraints?.ca !== true)
      .map(({ subject }) => ({
        severity: 'warning' as const,
        code: 'WARN_ANCHOR' as const,
        message: `the anchor ${subject.toString()} is no CA certificate`,
        path: ['trust', name, 'anchors'],
        key: true,
        help: 'certificates of partners themselves belong under certificates',
      })),
  );
}

interface ServiceResult {
  readonly service: CompiledService | undefined;
  readonly findings: readonly Finding[];
}

function compileService(
  service: ServiceConfig,
  source: Source,
  parts: Parts,
  context: CompileContext,
): ServiceResult {
  const { tables, onException } = context;
  const constraints = compileConstraints({
    profile: service.algorithms.profile,
    allow: service.algorithms.allow,
    table: tables.algorithms,
    ...(onException === undefined
      ? {}
      : { onException: (use: ExceptionUse) => onException(service.name, use) }),
  });
  const toolkit = context.toolkit(service.limits, constraints);
  const findings = [
    ...serviceFileRules(service, parts.files),
    ...inForceRules(service, parts.keys.values, context.opening.now),
  ];
  const build = { service, source, parts, context, toolkit, trusts: trustsOf(parts, toolkit) };
  const request = buildChain(service.request, undefined, build);
  const verifies = request.chain?.verifies ?? verifyLabels(service.request);
  const response = buildChain(service.response, verifies, build);
  findings.push(...request.findings, ...response.findings);
  const tls = service.upstream.tls?.key;
  const connects = tls === undefined || !parts.tls.failed.has(tls);
  const complete = request.complete && response.complete && connects;
  if (!complete || findings.length > 0) return { service: undefined, findings };
  return { service: { config: service, request: request.chain, response: response.chain }, findings };
}

/** A failure that nobody foresaw refuses its service too, and no other. */
function guarded(work: () => ServiceResult): ServiceResult {
  try {
    return work();
  } catch (error) {
    const code = isCountersignError(error) ? error.code : 'INTERNAL';
    const message =
      typeof error === 'object' && error !== null && 'message' in error
        ? String(error.message)
        : String(error);
    return { service: undefined, findings: [{ code, message, path: [] }] };
  }
}

/** What could not be opened, each once, where it is declared, with the services that are refused for it. */
function unopened(
  source: Source,
  services: readonly ServiceConfig[],
  { keys, tls, trusts }: Parts,
): Diagnostic[] {
  const said = new Set<string>();
  return [...keys.findings, ...tls.findings, ...trusts.findings].flatMap((finding) => {
    const { path, code } = finding;
    const [list, name] = path;
    // a key that chains and TLS use is opened for each
    const what = `${path.join(' ')} ${code}`;
    if (said.has(what)) return [];
    said.add(what);
    const users = services.filter((service) =>
      needsOf(service).some((need) => need.list === list && need.name === name),
    );
    const refuses = users.length === 0 ? {} : { refuses: users.map((service) => service.name) };
    return [{ ...diagnose(source, finding), ...refuses }];
  });
}

interface Need {
  readonly list: 'keys' | 'trust';
  readonly name: string;
}

/** The keys and trusts that a service cannot run without. */
function needsOf({ request, response, upstream }: ServiceConfig): Need[] {
  const keys = [request, response].flatMap(keyUses).map(({ name }) => name);
  if (upstream.tls?.key !== undefined) keys.push(upstream.tls.key);
  const trusts = [request, response].flatMap(trustUses);
  return [
    ...keys.map((name) => ({ list: 'keys' as const, name })),
    ...trusts.map((name) => ({ list: 'trust' as const, name })),
  ];
}

function trustsOf(parts: Parts, toolkit: Toolkit): Map<string, Trust> {
  const known = [...parts.keys.values.values()].flatMap(({ entries }) =>
    entries.map(({ certificate }) => certificate),
  );
  return new Map(
    [...parts.trusts.values].map(([name, { config, anchors, pinned }]) => [
      name,
      makeTrust(
        {
          name,
          anchors,
          pinned,
          known,
          subjects: config.subjects.map(parseName),
          anySubject: config.anySubject,
        },
        toolkit,
      ),
    ]),
  );
}

interface Build {
  readonly service: ServiceConfig;
  readonly source: Source;
  readonly parts: Parts;
  readonly context: CompileContext;
  readonly toolkit: Toolkit;
  readonly trusts: ReadonlyMap<string, Trust>;
}

interface ChainResult {
  readonly chain: Chain | undefined;
  /** The chain is there, or has no steps. */
  readonly complete: boolean;
  readonly findings: readonly Finding[];
}

function buildChain(
  config: ChainConfig,
  requestVerifies: readonly string[] | undefined,
  { source, parts, context, toolkit, trusts, service }: Build,
): ChainResult {
  if (config.steps.length === 0) return { chain: undefined, complete: true, findings: [] };
  const place = (index: number, at: string | undefined): string => {
    const { line, column, file } = source.place(optionPath(config, index, at)).at;
    return `${shortName(file, parts.folder)}:${line}:${column}`;
  };
  const compiled = compileChain(config, {
    modules: context.tables.steps,
    toolkit,
    keys: parts.keys.values,
    trusts,
    namespaces: service.namespaces,
    replay: context.replay,
    requestVerifies,
    locate: place,
  });
  const findings = compiled.errors.flatMap((error) => chainFinding(error, config, parts));
  return { chain: compiled.chain, complete: compiled.chain !== undefined, findings };
}

function optionPath(config: ChainConfig, index: number, at: string | undefined): Path {
  const step = config.steps[index];
  const inner = at === undefined || at === '' ? [] : at.split('.');
  const segments = inner.map((segment) => (/^\d+$/.test(segment) ? Number(segment) : segment));
  return [...(step?.path ?? config.path), ...segments];
}

/** A reason of the pipeline, at its place. What could not be opened has been said already. */
function chainFinding(error: CountersignError, config: ChainConfig, parts: Parts): Finding[] {
  const { index, at, position } = error.details;
  const number = typeof index === 'number' ? index : -1;
  const where = typeof at === 'string' ? at : '';
  const value = option(config.steps[number]?.options, where === '' ? [] : where.split('.'));
  const failed = parts.keys.failed.has(String(value)) || parts.trusts.failed.has(String(value));
  if (error.code === 'CONFIG_UNKNOWN_NAME' && failed) return [];
  return [
    {
      code: error.code,
      message: error.message,
      path: optionPath(config, number, where),
      key: where === '',
      ...hints(error),
      ...(typeof position === 'number' ? { shift: { offset: position, length: 1 } } : {}),
    },
  ];
}

/** What was expected and found, as far as the pipeline says it. */
function hints({ details }: CountersignError): Pick<Finding, 'expected' | 'found' | 'nearest' | 'help'> {
  const { expected, found, known, name, help } = details;
  const names = typeof known === 'string' && known !== '' ? known.split(', ') : [];
  const wanted = typeof expected === 'string' ? expected : oneOf(names);
  return {
    ...(wanted === '' ? {} : { expected: wanted }),
    ...(typeof found === 'string' ? { found } : {}),
    ...(typeof help === 'string' ? { help } : {}),
    nearest: typeof name === 'string' ? nearestName(name, names) : undefined,
  };
}

/** What stands at a path of a step's options. */
function option(options: unknown, path: readonly string[]): unknown {
  let at = options;
  for (const segment of path)
    at = typeof at === 'object' && at !== null ? Reflect.get(at, segment) : undefined;
  return at;
}
