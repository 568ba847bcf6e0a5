/** Certificates of messages, read once: the same partner sends the same certificate with every message. */
import { asBuffer } from '../../core/bytes.js';
import { CountersignError } from '../../core/errors.js';
import { parseCertificate } from '../../pki/index.js';
import type { Certificate } from '../../pki/types.js';

/** Reads certificates and gives the same object for the same bytes, as long as it remembers them. */
export interface CertificateReader {
  /** @throws CountersignError CERTIFICATE_MALFORMED */
  read(der: Uint8Array): Certificate;
}

/** research/security.md §5.1: a certificate is at most 64 KiB; only usual sizes are worth remembering. */
const longest = 64 * 1024;
const longestRemembered = 8 * 1024;

/** @param capacity how many certificates are remembered; the oldest are forgotten first */
export function createCertificateReader(capacity = 1000): CertificateReader {
  const known = new Map<string, Certificate>();
  return Object.freeze({
    read: (der: Uint8Array): Certificate => {
      if (der.length > longest) {
        throw new CountersignError(
          'CERTIFICATE_MALFORMED',
          `a certificate of ${der.length} bytes is refused`,
        );
      }
      // A copy: the bytes may belong to a buffer that is used again (and the `slice` of a Buffer is none).
      if (der.length > longestRemembered) return parseCertificate(new Uint8Array(der));
      const key = asBuffer(der).toString('latin1');
      const found = known.get(key);
      if (found !== undefined) return found;
      const certificate = parseCertificate(new Uint8Array(der));
      if (known.size >= capacity) {
        const oldest = known.keys().next();
        if (oldest.done !== true) known.delete(oldest.value);
      }
      known.set(key, certificate);
      return certificate;
    },
  });
}
