/** TLS keys: always from their file, in the form that node:tls takes. */
import { CountersignError } from '../../core/errors.js';
import type { FileHomeInput } from './homes.js';
import { readFileHome } from './read.js';

/** PEM texts; `cert` holds the leaf and its issuers. */
export interface TlsKey {
  readonly key: string;
  readonly cert: string;
}

/**
 * Reads a TLS key, decrypted, so that old PKCS#12 stores, which OpenSSL 3 refuses, serve as well.
 *
 * @throws CountersignError KEY_…
 */
export async function openTlsKey(name: string, home: FileHomeInput | undefined): Promise<TlsKey> {
  const selected = home === undefined ? undefined : await readFileHome(name, home);
  if (selected?.pkcs8 === undefined) {
    throw new CountersignError(
      'KEY_HOME_MISSING',
      `key ${name} is used for TLS and needs a file home with a private key`,
      {
        details: { key: name },
      },
    );
  }
  return {
    key: toPem('PRIVATE KEY', selected.pkcs8),
    cert: [selected.certificate, ...selected.chain].map(({ der }) => toPem('CERTIFICATE', der)).join(''),
  };
}

/** A PEM block with lines of 64 characters (RFC 7468 §2). */
export function toPem(label: string, der: Uint8Array): string {
  const lines = Buffer.from(der)
    .toString('base64')
    .replace(/.{1,64}/g, '$&\n');
  return `-----BEGIN ${label}-----\n${lines}-----END ${label}-----\n`;
}
