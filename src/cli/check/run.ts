import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { compose } from '../../compose.js';
import { CountersignError } from '../../core/errors.js';
import {
  configurationFiles,
  isError,
  isReasonFor,
  isServiceFile,
  renderDiagnostic,
  type CompiledConfig,
  type Diagnostic,
} from '../../policy/index.js';
import { complain, exitOfErrors, print, printJson, shown } from '../output.js';
import { providerOption } from '../provider-option.js';

export interface CheckOptions {
  readonly config: string;
  readonly provider?: string;
  readonly workers?: number;
  readonly offline?: true;
  readonly json?: true;
}

interface Checked {
  readonly gateway: string;
  readonly compiled: CompiledConfig;
  readonly diagnostics: readonly Diagnostic[];
}

/** @returns the exit code */
export async function check(files: readonly string[], options: CheckOptions): Promise<number> {
  const all: Checked[] = [];
  for (const [gateway, only] of gatewaysOf(files, options.config)) {
    all.push(await checkOne(gateway, only, options));
  }
  const diagnostics = all.flatMap((each) => each.diagnostics);
  if (options.json === true) printJson(all.map(asJson));
  else {
    for (const diagnostic of diagnostics) complain(renderDiagnostic(diagnostic, shown));
    for (const each of all) print(summary(each));
  }
  return exitOfErrors(diagnostics.filter(isError));
}

/** Service files are checked with the gateway file that names them, and only what is wrong with them is said. */
function gatewaysOf(files: readonly string[], config: string): Map<string, Set<string> | undefined> {
  const gateways = new Map<string, Set<string> | undefined>();
  if (files.length === 0) gateways.set(resolve(config), undefined);
  for (const name of files) {
    const file = resolve(name);
    if (!isServiceFile(file)) {
      gateways.set(file, undefined);
      continue;
    }
    const gateway = gatewayOf(file, resolve(config));
    const only = gateways.has(gateway) ? gateways.get(gateway) : new Set<string>();
    only?.add(file);
    gateways.set(gateway, only);
  }
  return gateways;
}

function gatewayOf(service: string, config: string): string {
  const near = [dirname(service), dirname(dirname(service))].map((folder) =>
    resolve(folder, 'countersign.yaml'),
  );
  const found = [config, ...near].find(
    (gateway) => existsSync(gateway) && configurationFiles(gateway).includes(service),
  );
  if (found !== undefined) return found;
  throw new CountersignError('USAGE', `no gateway file names ${shown(service)}; say which by --config`);
}

async function checkOne(
  gateway: string,
  only: ReadonlySet<string> | undefined,
  options: CheckOptions,
): Promise<Checked> {
  const { workers, offline } = options;
  const composed = await compose({
    config: gateway,
    provider: providerOption(options.provider),
    workers,
    offline,
    listens: true,
  });
  await composed.close();
  const { compiled } = composed;
  const { diagnostics } = compiled;
  return {
    gateway,
    compiled,
    diagnostics: only === undefined ? diagnostics : diagnostics.filter(concerns(only, compiled)),
  };
}

/** What stands in one of the files, or keeps the service of one from starting. */
function concerns(
  only: ReadonlySet<string>,
  { refused }: CompiledConfig,
): (diagnostic: Diagnostic) => boolean {
  const names = refused.filter(({ file }) => only.has(file)).map(({ name }) => name);
  return (diagnostic) => only.has(diagnostic.at.file) || names.some((name) => isReasonFor(diagnostic, name));
}

function summary({ gateway, compiled, diagnostics }: Checked): string {
  const errors = diagnostics.filter(isError).length;
  const warnings = diagnostics.length - errors;
  const counted = [plural(errors, 'error'), plural(warnings, 'warning')].join(', ');
  const { services, refused, keys } = compiled;
  const partly = services.length === 0 ? 'starts without any service' : 'starts without some services';
  const state = errors === 0 ? 'ok' : compiled.config === undefined ? 'does not start' : partly;
  const wrong = new Set(
    diagnostics.filter(isError).flatMap(({ service, refuses }) => [service, ...(refuses ?? [])]),
  );
  const list = (what: string, bad: boolean): string => {
    const names = refused.filter(({ name }) => wrong.has(name) === bad).map(({ name }) => name);
    return names.length === 0 ? '' : `; ${what}: ${names.join(', ')}`;
  };
  // offline, a chain whose key is on a token is read and not built
  const unbuilt = compiled.config === undefined ? '' : list('not built, their keys are on tokens', false);
  const lists = `${list('refused', true)}${unbuilt}`;
  return `${shown(gateway)}: ${state}: ${plural(services.length, 'service')}, ${plural(keys.size, 'key')}; ${counted}${lists}`;
}

const plural = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

function asJson({ gateway, compiled, diagnostics }: Checked): object {
  return {
    gateway: shown(gateway),
    starts: compiled.config !== undefined,
    services: compiled.services.map(({ config }) => config.name),
    refused: compiled.refused.map(({ name }) => name),
    diagnostics: diagnostics.map(
      ({ at, severity, code, message, expected, found, nearest, help, service, refuses }) => ({
        file: shown(at.file),
        line: at.line,
        column: at.column,
        ...{ severity, code, message, expected, found, nearest, help, service, refuses },
      }),
    ),
  };
}
