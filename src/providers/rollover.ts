/** Which entry of a key in rollover is used. */
import { formatUtc } from '../core/calendar.js';
import { CountersignError } from '../core/errors.js';
import type { KeyEntry, KeyRing } from './keys.js';

/**
 * The entry to sign or encrypt with: the one with the latest `from` that has passed, else the first whose certificate is
 * valid. A chosen entry whose certificate has expired refuses: falling back to another key in silence would surprise both ends.
 *
 * @param now milliseconds since the epoch
 * @throws CountersignError RECIPIENT_CERTIFICATE_EXPIRED (encrypt), SIGNER_CERTIFICATE_EXPIRED (sign)
 */
export function selectForUse(ring: KeyRing, use: 'sign' | 'encrypt', now: number): KeyEntry {
  const entry = chosen(ring.entries, now);
  if (entry !== undefined && isValid(entry, now)) return entry;
  const until = entry === undefined ? '' : ` (${entry.certificate.subject.toString()}, ${period(entry)})`;
  throw new CountersignError(
    use === 'encrypt' ? 'RECIPIENT_CERTIFICATE_EXPIRED' : 'SIGNER_CERTIFICATE_EXPIRED',
    `key ${ring.name} has no certificate that is valid now${until}`,
    { details: { key: ring.name } },
  );
}

/** Whether the certificate of an entry is valid at `now`. */
export function isValid(entry: KeyEntry, now: number): boolean {
  return now >= entry.certificate.notBefore && now < entry.certificate.notAfter + 1000;
}

function chosen(entries: readonly KeyEntry[], now: number): KeyEntry | undefined {
  let latest: KeyEntry | undefined;
  for (const entry of entries) {
    if (entry.from !== undefined && entry.from <= now && entry.from > (latest?.from ?? -Infinity))
      latest = entry;
  }
  return latest ?? entries.find((entry) => entry.from === undefined && isValid(entry, now));
}

function period(entry: KeyEntry): string {
  return `${formatUtc(entry.certificate.notBefore)} to ${formatUtc(entry.certificate.notAfter)}`;
}
