/** Reads a configuration: the gateway file and its services, all that is wrong with them, nothing opened. */
import { isAbsolute, resolve } from 'node:path';
import type { Clock } from '../core/clock.js';
import type { GatewayConfig, Position, ProviderId, ServiceConfig } from './config.js';
import type { Diagnostic } from './diagnostics.js';
import { checkShape, diagnose, type Finding } from './issues.js';
import {
  duplicates,
  listServices,
  readService,
  type PolicyTables,
  type ServiceFile,
  type ServiceRead,
} from './load-service.js';
import { pathsOf, resolveGateway, resolveService } from './resolve.js';
import { exceptionRules } from './rules/exceptions.js';
import { gatewayRules } from './rules/gateway.js';
import { unusedRules, wholeRules } from './rules/whole.js';
import { gatewaySchema } from './schema/gateway.js';
import type { GatewayShape } from './schema/shapes.js';
import { objectSource, readSource, type Source } from './source.js';

export interface LoadOptions {
  readonly tables: PolicyTables;
  readonly clock: Clock;
  /** Says otherwise than the file. */
  readonly provider?: ProviderId | undefined;
  /** How many processes share the listener; 1 unless told. */
  readonly workers?: number | undefined;
  /** For a configuration given as an object: what its paths are relative to. */
  readonly base?: string | undefined;
}

/** A service that does not start. */
export interface RefusedService {
  readonly name: string;
  readonly file: string;
  /** Where it would have been, if the file says so. */
  readonly path: string | undefined;
}

export interface LoadedConfig {
  /** Undefined: the gateway file has errors, and the gateway does not start. */
  readonly gateway: GatewayConfig | undefined;
  /** Those without errors so far. */
  readonly services: readonly ServiceConfig[];
  readonly refused: readonly RefusedService[];
  /** Errors and warnings, file by file. */
  readonly diagnostics: readonly Diagnostic[];
  readonly files: {
    readonly gateway: { readonly source: Source; readonly shape: GatewayShape | undefined };
    readonly services: readonly ServiceFile[];
  };
}

/**
 * Reads and checks a configuration, as a file or as an object with the same keys (`services` may then be a map of
 * services by name). Nothing is thrown for what the files say wrongly.
 */
export function loadConfig(config: string | object, options: LoadOptions): LoadedConfig {
  const inline = typeof config !== 'string';
  const source = inline ? objectSource('(object)', config) : readSource(resolve(config));
  const base = inline ? resolve(options.base ?? '.') : undefined;
  const paths = pathsOf(source.file, base);
  const { shape, findings } = readGateway(source, options);
  const listed = listServices(source, paths, inline);
  const own = [
    ...source.problems,
    ...findings.map((finding) => diagnose(source, finding)),
    ...listed.diagnostics,
  ];
  const read = listed.services.map((file) => readService(file, shape, options));
  const clashes = duplicates(read);
  const about = (service: ServiceRead): readonly Diagnostic[] => [
    ...service.diagnostics,
    ...(clashes.get(service) ?? []),
  ];
  const files = { gateway: { source, shape }, services: read };
  const diagnostics = [...own, ...read.flatMap(about)];
  if (shape === undefined || own.some(isError)) {
    return { gateway: undefined, services: [], refused: read.map(refusal), diagnostics, files };
  }

  const gateway = resolveGateway(shape, source, paths, options.provider);
  const services = read.flatMap((service) =>
    about(service).some(isError) ? [] : (resolveRead(service, gateway, base) ?? []),
  );
  const good = new Set(services.map(({ file }) => file));
  const refused = read.filter((service) => !good.has(service.source.file)).map(refusal);
  const whole = wholeRules(gateway, services, options.workers ?? 1);
  if (!diagnostics.some(isError)) whole.push(...unusedRules(gateway, services));
  diagnostics.push(...whole.map((finding) => diagnose(source, finding)));
  return {
    gateway: whole.some((finding) => finding.severity !== 'warning') ? undefined : gateway,
    services,
    refused,
    diagnostics: sortByPlace(diagnostics),
    files,
  };
}

const refusal = ({ name, source, path }: ServiceRead): RefusedService => ({ name, file: source.file, path });

function resolveRead(
  service: ServiceRead,
  gateway: GatewayConfig,
  base: string | undefined,
): ServiceConfig | undefined {
  const { name, source, shape, request, response } = service;
  if (shape === undefined || request === undefined || response === undefined) return undefined;
  return resolveService(
    name,
    shape,
    gateway,
    { source, paths: pathsOf(source.file, base) },
    { request, response },
  );
}

/** The gateway file and the service files that it names. */
export function configurationFiles(gateway: string): string[] {
  const source = readSource(gateway);
  const { services } = listServices(source, pathsOf(gateway, undefined), false);
  return [gateway, ...services.map((service) => service.source.file)];
}

/** Whether a file is that of a service and not of a gateway, by its keys. */
export function isServiceFile(file: string): boolean {
  const { value } = readSource(file);
  if (typeof value !== 'object' || value === null) return false;
  return ['path', 'upstream', 'request', 'response'].some((key) => key in value);
}

export const isError = (diagnostic: Diagnostic): boolean => diagnostic.severity === 'error';

function readGateway(
  source: Source,
  options: LoadOptions,
): { shape: GatewayShape | undefined; findings: readonly Finding[] } {
  if (source.problems.length > 0) return { shape: undefined, findings: [] };
  // an empty file is a map without keys: everything has a default
  const checked = checkShape(gatewaySchema, source.value ?? {});
  if ('findings' in checked) return { shape: undefined, findings: checked.findings };
  const shape = checked.value;
  const exceptions = exceptionRules(shape.algorithms, options.tables.algorithms, options.clock.now());
  return { shape, findings: [...gatewayRules(shape), ...exceptions] };
}

/** File by file as they come, each from its top. */
export function sortByPlace(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const order = [...new Set(diagnostics.map(({ at }) => at.file))];
  const rank = (at: Position): number => order.indexOf(at.file);
  return [...diagnostics].sort(
    (a, b) => rank(a.at) - rank(b.at) || a.at.line - b.at.line || a.at.column - b.at.column,
  );
}

/** The name of a file as it is printed: relative to `folder` where it lies below it. */
export function shortName(file: string, folder: string): string {
  const prefix = folder.endsWith('/') ? folder : `${folder}/`;
  return isAbsolute(file) && file.startsWith(prefix) ? file.slice(prefix.length) : file;
}
