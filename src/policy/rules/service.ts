/** What must hold of a service file beyond its shape and the shapes of its steps (design/policy.md, A service). */
import { nameRule } from '../../core/names.js';
import type { StepModules } from '../chains.js';
import type { ChainConfig } from '../config.js';
import type { Finding } from '../issues.js';
import { isName } from '../schema/common.js';
import type { GatewayShape, ServiceShape } from '../schema/shapes.js';
import { tlsKeyRules } from './gateway.js';

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** A service is named by its file. */
export function nameRules(name: string): Finding[] {
  if (isName(name)) return [];
  return [
    {
      code: 'CONFIG_INVALID',
      message: `a service is named by its file, and "${name}" is not accepted as a name`,
      path: [],
      expected: nameRule,
      found: `"${name}"`,
    },
  ];
}

/** @param gateway undefined where the gateway file has errors of its own */
export function upstreamRules(shape: ServiceShape, gateway: GatewayShape | undefined): Finding[] {
  if (typeof shape.upstream === 'string' || shape.upstream.tls === undefined) return [];
  const findings: Finding[] = [];
  if (shape.upstream.url.startsWith('http:')) {
    findings.push({
      code: 'POLICY_INVALID',
      message: 'tls is given, and the address is plain http',
      path: ['upstream', 'tls'],
      key: true,
      expected: 'an https: address, or no tls',
      found: shape.upstream.url,
    });
  }
  const { key } = shape.upstream.tls;
  if (key !== undefined && gateway !== undefined) {
    findings.push(...tlsKeyRules(key, gateway.keys, ['upstream', 'tls', 'key']));
  }
  return findings;
}

/** @param attachments as the file says; undefined where it does not */
export function attachmentRules(attachments: string | undefined, chains: readonly ChainConfig[]): Finding[] {
  if (attachments !== 'pass' || chains.every((chain) => chain.steps.length === 0)) return [];
  return [
    {
      severity: 'warning',
      code: 'WARN_ATTACHMENTS',
      message: 'attachments are passed on; they are neither signed nor encrypted',
      path: ['attachments'],
    },
  ];
}

/** `mode` and `on-fault`, and requirements that ask for nothing. */
export function chainRules(chain: ChainConfig, modules: StepModules): Finding[] {
  const findings: Finding[] = [];
  if (chain.mode === 'observe') findings.push(...observeRules(chain, modules));
  if (chain.kind === 'request' && chain.onFault !== 'require') {
    findings.push({
      code: 'POLICY_INVALID',
      message: 'on-fault is about answers; a request is no fault',
      path: ['request', 'on-fault'],
      key: true,
      expected: 'on-fault in the response chain',
    });
  }
  for (const { name, options, path } of chain.steps) {
    const parts = isMap(options) ? options['parts'] : undefined;
    const inbound = modules.get(name)?.direction === 'inbound';
    if (!inbound || !Array.isArray(parts) || parts.length > 0) continue;
    findings.push({
      severity: 'warning',
      code: 'WARN_NO_PARTS',
      message: `this ${name} asks for nothing: any part may be missing from what the sender protected`,
      path: [...path, 'parts'],
    });
  }
  return [...findings, ...optionalRules(chain)];
}

/** A chain that verifies, and lets everything pass that is not signed at all. */
function optionalRules({ kind, steps }: ChainConfig): Finding[] {
  const verifies = steps.filter(({ name }) => name === 'verify');
  const isOptional = ({ options }: ChainConfig['steps'][number]): boolean =>
    isMap(options) && options['optional'] === true;
  if (!verifies.every(isOptional)) return [];
  return verifies.map(({ path }) => ({
    severity: 'warning',
    code: 'WARN_OPTIONAL',
    message: `no verify of the ${kind} chain is required: a message without any signature passes`,
    path: [...path, 'optional'],
    key: true,
    help: 'where some senders do not sign yet, a service of its own for them keeps the others safe',
  }));
}

function observeRules(chain: ChainConfig, modules: StepModules): Finding[] {
  const outbound = chain.steps.find((step) => modules.get(step.name)?.direction === 'outbound');
  if (outbound === undefined) {
    const path = [chain.kind, 'mode'];
    return [
      {
        severity: 'warning',
        code: 'WARN_OBSERVE',
        message: `the ${chain.kind} chain only observes: what it would refuse is passed on`,
        path,
      },
    ];
  }
  return [
    {
      code: 'POLICY_INVALID',
      message: `a chain that observes checks only; ${outbound.name} changes the message`,
      path: outbound.path,
      key: true,
      expected: 'inbound steps only, or mode: enforce',
    },
  ];
}

/** The keys that a chain names: `use` is what for. */
export interface KeyUse {
  readonly name: string;
  readonly use: 'private' | 'public';
  readonly path: readonly (string | number)[];
}

/** `key` of any step means private work; `to` means public work. */
export function keyUses(chain: ChainConfig): KeyUse[] {
  return chain.steps.flatMap(({ options, path }) => {
    if (!isMap(options)) return [];
    const uses: KeyUse[] = [];
    if (typeof options['key'] === 'string') {
      uses.push({ name: options['key'], use: 'private', path: [...path, 'key'] });
    }
    if (typeof options['to'] === 'string' && isName(options['to'])) {
      uses.push({ name: options['to'], use: 'public', path: [...path, 'to'] });
    }
    return uses;
  });
}

/** The trusts that a chain names. */
export function trustUses(chain: ChainConfig): string[] {
  return chain.steps.flatMap(({ options }) => {
    const trust = isMap(options) ? options['trust'] : undefined;
    return typeof trust === 'string' ? [trust] : [];
  });
}

/** What records and log lines call the `verify` steps of a chain, in list order (design/interface.md, Timing record). */
export function verifyLabels(chain: ChainConfig): string[] {
  const verifies = chain.steps.filter(({ name }) => name === 'verify');
  return verifies.map(({ options }, index) => {
    const own = isMap(options) ? options['name'] : undefined;
    return typeof own === 'string' ? own : index === 0 ? 'verify' : `verify#${index + 1}`;
  });
}
