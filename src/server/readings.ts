import type { Clock } from '../core/clock.js';
import type { KeyRing } from '../providers/keys.js';
import type { Reading } from './exposition.js';

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
