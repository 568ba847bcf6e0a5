/** The development PKI: a CA whose private key is forgotten at once, and three end entities. */
import {
  createHash,
  createPublicKey,
  generateKeyPair,
  type KeyObject,
  randomBytes,
  sign as signBytes,
} from 'node:crypto';
import { promisify } from 'node:util';
import type { DigestFunction } from '../../core/contracts.js';
import { parseCertificate } from '../../pki/certificate.js';
import { keyIdentifier } from '../../pki/identifiers.js';
import { type CertificateRequest, issueCertificate } from '../../pki/issue.js';
import { toPem } from '../../providers/stores/tls.js';

/** One key with its certificate. */
export interface Issued {
  readonly name: string;
  readonly subject: string;
  /** DER, for the token and the PKCS#12 file. */
  readonly certificate: Uint8Array;
  readonly pkcs8: Uint8Array;
  /** SHA-1 of the key bits, as in the certificate; CKA_ID on a token. */
  readonly id: Uint8Array;
  readonly certificatePem: string;
  readonly keyPem: string;
}

export interface DevelopmentPki {
  readonly caPem: string;
  readonly ca: Uint8Array;
  readonly client: Issued;
  readonly server: Issued;
  readonly tls: Issued;
}

const organisation = 'O=Countersign Development';
const caName = `CN=Countersign Development CA,${organisation}`;
const DAY = 86_400_000;
const makeKeyPair = promisify(generateKeyPair);

const digest: DigestFunction = (hash, bytes) =>
  createHash(hash.replace('-', '').toLowerCase()).update(bytes).digest();

/** Makes all keys at once, on the thread pool. `now` in milliseconds since the epoch. */
export async function makePki(bits: number, now: number): Promise<DevelopmentPki> {
  const [caKey, clientKey, serverKey, tlsKey] = await Promise.all([
    makeKey(bits),
    makeKey(bits),
    makeKey(bits),
    makeKey(bits),
  ]);
  const issuerSpki = spkiOf(caKey);
  const certify = (subject: string, key: KeyObject, rest: Partial<CertificateRequest>): Uint8Array =>
    issueCertificate(
      {
        subject,
        issuer: caName,
        serial: serialNumber(),
        // A day back, for clocks that are behind.
        notBefore: now - DAY,
        notAfter: now + 5 * 365 * DAY,
        spki: spkiOf(key),
        issuerSpki,
        signatureAlgorithm: 'sha256WithRsa',
        ...rest,
      },
      (tbs) => signBytes('sha256', tbs, caKey),
      digest,
    );
  const ca = certify(caName, caKey, {
    ca: { pathLength: 0 },
    keyUsage: ['keyCertSign', 'cRLSign'],
    notAfter: now + 10 * 365 * DAY,
  });
  const message = { keyUsage: ['digitalSignature', 'nonRepudiation', 'keyEncipherment'] };
  const entity = (
    name: string,
    key: KeyObject,
    cn = name,
    rest: Partial<CertificateRequest> = message,
  ): Issued => issued(name, key, certify(`CN=${cn},${organisation}`, key, rest));
  return {
    ca,
    caPem: toPem('CERTIFICATE', ca),
    client: entity('client', clientKey),
    server: entity('server', serverKey),
    tls: entity('tls', tlsKey, 'localhost', {
      keyUsage: ['digitalSignature', 'keyEncipherment'],
      extendedKeyUsage: ['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2'],
      dns: ['localhost'],
      ip: ['127.0.0.1'],
    }),
  };
}

/** A random password or PIN that needs no quoting anywhere. */
export function randomSecret(bytes: number): string {
  return randomBytes(bytes).toString('hex');
}

async function makeKey(bits: number): Promise<KeyObject> {
  const { privateKey } = await makeKeyPair('rsa', { modulusLength: bits });
  return privateKey;
}

function issued(name: string, key: KeyObject, certificate: Uint8Array): Issued {
  const pkcs8 = key.export({ type: 'pkcs8', format: 'der' });
  return {
    name,
    subject: parseCertificate(certificate).subject.toString(),
    certificate,
    pkcs8,
    id: keyIdentifier(spkiOf(key), digest),
    certificatePem: toPem('CERTIFICATE', certificate),
    keyPem: toPem('PRIVATE KEY', pkcs8),
  };
}

function spkiOf(key: KeyObject): Uint8Array {
  return createPublicKey(key).export({ type: 'spki', format: 'der' });
}

/** 16 random octets, positive (RFC 5280 §4.1.2.2). */
function serialNumber(): Uint8Array {
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40;
  return serial;
}
