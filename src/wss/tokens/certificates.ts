/** Certificates of messages, read once: the same partner sends the same certificate with every message. */
import { asBuffer } from '../../core/bytes.js';
import { CountersignError } from '../../core/errors.js';
import { parseCertificate } from '../../pki/index.js';
import type { Certificate } from '../../pki/types.js';

/** Reads certificates and gives the same object for the same bytes, as long as it remembers them. */
export interface CertificateReader {
  /**
   * @param text the base64 that it was written as: `recall` knows it from then on
   * @throws CountersignError CERTIFICATE_MALFORMED
   */
  read(der: Uint8Array, text?: string): Certificate;
  /** The certificate that was read from this very base64, if it is remembered: decoding takes longer than finding it. */
  recall(text: string): Certificate | undefined;
}

/** research/security.md §5.1: a certificate is at most 64 KiB; only usual sizes are worth remembering. */
const longest = 64 * 1024;
const longestRemembered = 8 * 1024;
const longestText = (longestRemembered * 3) / 2;

/** @param capacity how many certificates are remembered; the oldest are forgotten first */
export function createCertificateReader(capacity = 1000): CertificateReader {
  const byBytes = new Memory(capacity);
  const byText = new Memory(capacity);
  const read = (der: Uint8Array): Certificate => {
    if (der.length > longest) {
      throw new CountersignError('CERTIFICATE_MALFORMED', `a certificate of ${der.length} bytes is refused`);
    }
    // A copy: the bytes may belong to a buffer that is used again (and the `slice` of a Buffer is none).
    if (der.length > longestRemembered) return parseCertificate(new Uint8Array(der));
    const key = asBuffer(der).toString('latin1');
    return byBytes.get(key) ?? byBytes.set(key, parseCertificate(new Uint8Array(der)));
  };
  return Object.freeze({
    read: (der: Uint8Array, text = ''): Certificate => {
      const certificate = read(der);
      return text === '' || text.length > longestText ? certificate : byText.set(text, certificate);
    },
    recall: (text: string): Certificate | undefined => byText.get(text),
  });
}

/** Certificates by a text; the oldest are forgotten first. */
class Memory {
  readonly #capacity: number;
  readonly #known = new Map<string, Certificate>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(text: string): Certificate | undefined {
    return this.#known.get(text);
  }

  set(text: string, certificate: Certificate): Certificate {
    if (this.#known.size >= this.#capacity) {
      const oldest = this.#known.keys().next();
      if (oldest.done !== true) this.#known.delete(oldest.value);
    }
    this.#known.set(text, certificate);
    return certificate;
  }
}
