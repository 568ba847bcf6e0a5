/** The test keys of test/fixtures/keys (their README says what each is), read once a run. */
import { createHash, createPublicKey, sign as signBytes, verify as verifyBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { DigestFunction, VerifyFunction } from '#src/core/contracts.js';
import { type Certificate, parseCertificate } from '#src/pki/index.js';
import { type CertificateRequest, issueCertificate } from '#src/pki/issue.js';
import { fixture } from './paths.js';

export type TestKeyName =
  | 'ca'
  | 'client'
  | 'server'
  | 'ec'
  | 'ec384'
  | 'ed25519'
  | 'expired'
  | 'not-yet-valid'
  | 'no-ski'
  | 'wrong-usage'
  | 'other-ca'
  | 'other'
  | 'self-signed'
  | 'sub-ca'
  | 'leaf';

export interface TestKey {
  readonly certificate: Certificate;
  /** PEM texts and the files they are in. */
  readonly certificatePem: string;
  readonly keyPem: string;
  readonly certificateFile: string;
  readonly keyFile: string;
  /** PKCS#8 DER, for `importPrivateKey`. */
  readonly pkcs8: Uint8Array;
}

const cache = new Map<TestKeyName, TestKey>();

/** A moment at which all test certificates but `expired` and `not-yet-valid` are valid. */
export const testNow: number = Date.UTC(2026, 10, 30, 12);

/** One test key with its certificate. */
export function testKey(name: TestKeyName): TestKey {
  const known = cache.get(name);
  if (known !== undefined) return known;
  const certificateFile = fixture('keys', `${name}.pem`);
  const keyFile = fixture('keys', `${name}.key`);
  const certificatePem = readFileSync(certificateFile, 'utf8');
  const keyPem = readFileSync(keyFile, 'utf8');
  const made: TestKey = {
    certificate: parseCertificate(derOf(certificatePem)),
    certificatePem,
    keyPem,
    certificateFile,
    keyFile,
    pkcs8: derOf(keyPem),
  };
  cache.set(name, made);
  return made;
}

export interface IssueOptions extends Partial<Omit<CertificateRequest, 'spki' | 'issuerSpki'>> {
  /** Whose public key the certificate holds; default `client`. */
  readonly of?: TestKeyName | Uint8Array;
  /** Whose key signs; default `ca`. `issuer` defaults to that certificate's subject. */
  readonly by?: TestKeyName;
}

/** Makes a certificate on the fly, signed by a test key: for path tests. */
export function issue(options: IssueOptions = {}): Certificate {
  const { of = 'client', by = 'ca', ...rest } = options;
  const issuer = testKey(by);
  const algorithm = issuer.certificate.publicKey.kind === 'RSA' ? 'sha256WithRsa' : 'ecdsaWithSha256';
  const request: CertificateRequest = {
    subject: 'CN=issued,O=Countersign Tests',
    issuer: issuer.certificate.subject.toString(),
    serial: Uint8Array.of(1),
    notBefore: Date.UTC(2020, 0, 1),
    notAfter: Date.UTC(2060, 0, 1),
    spki: typeof of === 'string' ? testKey(of).certificate.spki : of,
    issuerSpki: issuer.certificate.spki,
    signatureAlgorithm: algorithm,
    ...rest,
  };
  return parseCertificate(
    issueCertificate(request, (tbs) => signBytes('sha256', tbs, issuer.keyPem), testDigest),
  );
}

/** Digest by node:crypto, for layers that take one as an argument. */
export const testDigest: DigestFunction = (hash, bytes) =>
  createHash(hash.replace(/^SHA-/, 'sha').replace(/^SHA3/, 'sha3').toLowerCase()).update(bytes).digest();

/** Verification by node:crypto of RSA PKCS#1, ECDSA (DER) and Ed25519 signatures on certificates. */
export const testVerify: VerifyFunction = (algorithm, spki, signature, data) => {
  const hash = 'hash' in algorithm ? algorithm.hash.replace('-', '').toLowerCase() : null;
  try {
    const key = createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' });
    return verifyBytes(hash, data, key, signature);
  } catch {
    return false;
  }
};

/** The bytes of the first PEM block. */
export function derOf(pem: string): Uint8Array {
  const body = /-----BEGIN [^-]+-----([A-Za-z0-9+/=\s]+)-----END/.exec(pem)?.[1] ?? '';
  return new Uint8Array(Buffer.from(body, 'base64'));
}
