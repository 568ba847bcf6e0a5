/** What must hold of the gateway and its services together. */
import type { GatewayConfig, ServiceConfig } from '../config.js';
import type { Finding } from '../issues.js';
import { isLoopback } from '../schema/common.js';
import type { Path } from '../source.js';
import { keyUses, trustUses } from './service.js';

/** Findings in the gateway file. */
export function wholeRules(
  gateway: GatewayConfig,
  services: readonly ServiceConfig[],
  workers: number,
): Finding[] {
  return [...openDoor(gateway, services), ...homeRules(gateway, services), ...workerRules(services, workers)];
}

const chainsOf = (service: ServiceConfig): [ServiceConfig['request'], ServiceConfig['response']] => [
  service.request,
  service.response,
];

/** An open gateway is an oracle: it signs for whoever asks, and decrypts for whoever asks. */
function openDoor(gateway: GatewayConfig, services: readonly ServiceConfig[]): Finding[] {
  const { listen } = gateway;
  if (isLoopback(listen.host)) return [];
  const oracle = services.some((service) =>
    chainsOf(service).some((chain) => keyUses(chain).some(({ use }) => use === 'private')),
  );
  if (!oracle || gateway.clients.length > 0 || (listen.tls?.clientCa.length ?? 0) > 0) return [];
  const message = 'services sign or decrypt for everybody who can reach this address';
  const path = ['listen', 'host'];
  if (gateway.open) return [{ severity: 'warning', code: 'WARN_OPEN', message, path, found: listen.host }];
  return [
    {
      code: 'CONFIG_OPEN_DOOR',
      message,
      path,
      expected: 'tls with client-ca, clients, open: true, or a loopback address',
      found: listen.host,
    },
  ];
}

/** Private work needs the home that the provider works with (design/policy.md, Keys). */
function homeRules(gateway: GatewayConfig, services: readonly ServiceConfig[]): Finding[] {
  if (gateway.provider !== 'pkcs11') return [];
  const uses = services.flatMap((service) => chainsOf(service).flatMap(keyUses));
  const names = new Set(uses.filter(({ use }) => use === 'private').map(({ name }) => name));
  const findings: Finding[] = [];
  for (const name of names) {
    const key = gateway.keys.get(name);
    key?.entries.forEach((entry, index) => {
      if (entry.hsm.length > 0) return;
      const path: Path = key.entries.length > 1 ? ['keys', name, index] : ['keys', name];
      findings.push({
        code: 'KEY_HOME_MISSING',
        message: `the key ${name} has no hsm home, which provider: pkcs11 needs`,
        path,
        key: true,
        expected: 'hsm: { module, token, label, pin }, or another provider',
      });
    });
  }
  return findings;
}

function workerRules(services: readonly ServiceConfig[], workers: number): Finding[] {
  const replays = services.some((service) =>
    chainsOf(service).some((chain) => chain.steps.some((step) => step.name === 'replay')),
  );
  if (workers <= 1 || !replays) return [];
  return [
    {
      code: 'CONFIG_WORKERS',
      message: `${workers} workers cannot share a replay store that lives in the memory of each`,
      path: ['replay', 'store'],
      key: true,
      expected: 'one worker',
    },
  ];
}

/** Keys and trusts that nothing names. */
export function unusedRules(gateway: GatewayConfig, services: readonly ServiceConfig[]): Finding[] {
  const chains = services.flatMap(chainsOf);
  const keys = new Set(chains.flatMap(keyUses).map(({ name }) => name));
  const trusts = new Set(chains.flatMap(trustUses));
  if (gateway.listen.tls !== undefined) keys.add(gateway.listen.tls.key);
  for (const { upstream } of services) if (upstream.tls?.key !== undefined) keys.add(upstream.tls.key);
  const unused = (what: 'keys' | 'trust', names: Iterable<string>, used: ReadonlySet<string>): Finding[] =>
    [...names]
      .filter((name) => !used.has(name))
      .map((name) => ({
        severity: 'warning',
        code: 'WARN_UNUSED',
        message: `nothing uses ${what === 'keys' ? 'the key' : 'the trust'} ${name}`,
        path: [what, name],
        key: true,
      }));
  return [...unused('keys', gateway.keys.keys(), keys), ...unused('trust', gateway.trust.keys(), trusts)];
}
