import type { Clock } from '../core/clock.js';
import type { KeyRing } from '../providers/keys.js';
import type { ConstraintRow } from '../wss/constraints.js';
import type { Reading } from './exposition.js';
import type { CompiledChains } from './service.js';

const DAY = 24 * 60 * 60 * 1000;

/** Days until each certificate of the policy's keys expires. */
export function expiryReadings(keys: ReadonlyMap<string, KeyRing>, clock: Clock): readonly Reading[] {
  return [
    {
      name: 'countersign_certificate_expiry_days',
      help: 'Days until a certificate expires; negative when it has.',
      labels: ['key', 'serial'],
      read: function* () {
        const now = clock.now();
        for (const ring of keys.values()) {
          for (const { certificate } of ring.entries) {
            yield {
              labels: [ring.name, certificate.serial],
              value: Math.floor((certificate.notAfter - now) / DAY),
            };
          }
        }
      },
    },
  ];
}

/** Days until each exception of the policy (`allow: ID until DATE`) ends, and is refused (design/policy.md, Algorithms). */
export function exceptionReadings(services: readonly CompiledChains[], clock: Clock): readonly Reading[] {
  return [
    {
      name: 'countersign_algorithm_exception_days',
      help: 'Days until an exception of the policy ends; negative when it has.',
      labels: ['service', 'algorithm', 'use'],
      read: function* () {
        const now = clock.now();
        for (const service of services) {
          for (const { id, use, until } of exceptionsOf(service)) {
            if (until === undefined) continue;
            yield { labels: [service.config.name, id, use], value: Math.floor((until - now) / DAY) };
          }
        }
      },
    },
  ];
}

/** What a service allows by name: the same for both of its chains. */
export function exceptionsOf({ request, response }: CompiledChains): readonly ConstraintRow[] {
  const rows = (request ?? response)?.toolkit.constraints.rows ?? [];
  return rows.filter(({ source }) => source === 'allow');
}
