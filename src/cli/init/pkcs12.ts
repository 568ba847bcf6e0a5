/** Writes PKCS#12 files: AES-256 and SHA-1 MAC, which everything from Java 8u301 on reads. */
import type { Issued } from './pki.js';

/** OpenSSL's own default; the password is long and random. */
const ITERATIONS = 2048;

/** A store with the key, its certificate and the CA's; the entry is named after the key. */
export async function makePkcs12(key: Issued, caPem: string, password: string): Promise<Uint8Array> {
  const { default: forge } = await import('node-forge');
  const chain = [key.certificatePem, caPem].map((pem) => forge.pki.certificateFromPem(pem));
  const store = forge.pkcs12.toPkcs12Asn1(forge.pki.privateKeyFromPem(key.keyPem), chain, password, {
    algorithm: 'aes256',
    count: ITERATIONS,
    friendlyName: key.name,
  });
  return Buffer.from(forge.asn1.toDer(store).getBytes(), 'latin1');
}
