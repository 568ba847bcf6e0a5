/** Opens what a configuration names besides keys and trusts: CA files of TLS, descriptions, tokens of the listeners. */
import { existsSync, readFileSync } from 'node:fs';
import { isCountersignError } from '../core/errors.js';
import { fileProblem } from '../core/file-problem.js';
import { readCertificates } from '../providers/index.js';
import type { GatewayConfig, Secret, ServiceConfig } from './config.js';
import type { Finding } from './issues.js';
import { readSecret } from './secrets.js';
import type { Path } from './source.js';

/** CA files that cannot be used, and why. */
export type CaProblems = ReadonlyMap<string, Pick<Finding, 'code' | 'message'>>;

/** Reads the CA files of the listener and of upstreams. */
export async function readCaFiles(
  { listen }: GatewayConfig,
  services: readonly ServiceConfig[],
): Promise<CaProblems> {
  const problems = new Map<string, Pick<Finding, 'code' | 'message'>>();
  const files = [
    ...(listen.tls?.clientCa ?? []),
    ...services.flatMap(({ upstream }) => upstream.tls?.ca ?? []),
  ];
  for (const file of new Set(files)) {
    if (!existsSync(file)) {
      problems.set(file, { code: 'CONFIG_UNREADABLE', message: `there is no file ${file}` });
      continue;
    }
    try {
      await readCertificates(file);
    } catch (error) {
      if (!isCountersignError(error)) throw error;
      problems.set(file, { code: error.code, message: error.message });
    }
  }
  return problems;
}

/** What keeps the listeners from starting. @param secrets whether their tokens are looked at */
export function listenerRules(
  { listen, clients, admin }: GatewayConfig,
  problems: CaProblems,
  secrets: boolean,
): Finding[] {
  const findings = caRules(listen.tls?.clientCa ?? [], ['listen', 'tls', 'client-ca'], problems);
  if (!secrets) return findings;
  clients.forEach((rule, index) => {
    if ('bearer' in rule) findings.push(...secretRule(rule.bearer, ['clients', index, 'bearer']));
  });
  if (admin.bearer !== undefined) findings.push(...secretRule(admin.bearer, ['admin', 'bearer']));
  if (admin.traceToken !== undefined)
    findings.push(...secretRule(admin.traceToken, ['admin', 'trace-token']));
  return findings;
}

/** The files of a service. */
export function serviceFileRules({ wsdl, upstream }: ServiceConfig, problems: CaProblems): Finding[] {
  const findings = caRules(upstream.tls?.ca ?? [], ['upstream', 'tls', 'ca'], problems);
  if (wsdl === undefined) return findings;
  try {
    readFileSync(wsdl);
  } catch (error) {
    const message = `the description ${wsdl} cannot be read: ${fileProblem(error)}`;
    findings.push({ code: 'CONFIG_UNREADABLE', message, path: ['wsdl'] });
  }
  return findings;
}

function caRules(files: readonly string[], path: Path, problems: CaProblems): Finding[] {
  return files.flatMap((file, index) => {
    const problem = problems.get(file);
    return problem === undefined ? [] : [{ ...problem, path: [...path, index] }];
  });
}

function secretRule(secret: Secret, path: Path): Finding[] {
  try {
    readSecret(secret);
    return [];
  } catch (error) {
    if (!isCountersignError(error)) throw error;
    return [{ code: error.code, message: error.message, path }];
  }
}
