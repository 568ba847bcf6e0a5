/** Object identifiers of certificates, keys and signatures. */
import type { SignatureAlgorithm } from '../core/contracts.js';

export const oids = {
  rsaEncryption: '1.2.840.113549.1.1.1',
  rsaPss: '1.2.840.113549.1.1.10',
  mgf1: '1.2.840.113549.1.1.8',
  sha256WithRsa: '1.2.840.113549.1.1.11',
  ecPublicKey: '1.2.840.10045.2.1',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  ed25519: '1.3.101.112',
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  certificatePolicies: '2.5.29.32',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  anyExtendedKeyUsage: '2.5.29.37.0',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
  emailProtection: '1.3.6.1.5.5.7.3.4',
  documentSigning: '1.3.6.1.5.5.7.3.36',
} as const;

/** Hash functions by object identifier. */
export const hashOids: ReadonlyMap<string, 'SHA-1' | 'SHA-224' | 'SHA-256' | 'SHA-384' | 'SHA-512'> = new Map(
  [
    ['1.3.14.3.2.26', 'SHA-1'],
    ['2.16.840.1.101.3.4.2.4', 'SHA-224'],
    ['2.16.840.1.101.3.4.2.1', 'SHA-256'],
    ['2.16.840.1.101.3.4.2.2', 'SHA-384'],
    ['2.16.840.1.101.3.4.2.3', 'SHA-512'],
  ],
);

/** Signature algorithms whose object identifier says all; MD2 and MD5 are left out on purpose. */
export const signatureOids: ReadonlyMap<string, SignatureAlgorithm> = new Map<string, SignatureAlgorithm>([
  ['1.2.840.113549.1.1.5', { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-1' }],
  ['1.2.840.113549.1.1.14', { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-224' }],
  [oids.sha256WithRsa, { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }],
  ['1.2.840.113549.1.1.12', { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-384' }],
  ['1.2.840.113549.1.1.13', { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-512' }],
  ['1.2.840.10045.4.1', { name: 'ECDSA', hash: 'SHA-1', format: 'der' }],
  ['1.2.840.10045.4.3.1', { name: 'ECDSA', hash: 'SHA-224', format: 'der' }],
  [oids.ecdsaWithSha256, { name: 'ECDSA', hash: 'SHA-256', format: 'der' }],
  ['1.2.840.10045.4.3.3', { name: 'ECDSA', hash: 'SHA-384', format: 'der' }],
  ['1.2.840.10045.4.3.4', { name: 'ECDSA', hash: 'SHA-512', format: 'der' }],
  [oids.ed25519, { name: 'Ed25519' }],
]);

/** Named curves: RFC 5480 §2.1.1.1 and those that certificates of partners may carry. Whether one may be used is policy. */
export const curveOids: ReadonlyMap<string, { readonly name: string; readonly bits: number }> = new Map([
  ['1.2.840.10045.3.1.7', { name: 'P-256', bits: 256 }],
  ['1.3.132.0.34', { name: 'P-384', bits: 384 }],
  ['1.3.132.0.35', { name: 'P-521', bits: 521 }],
  ['1.2.840.10045.3.1.1', { name: 'P-192', bits: 192 }],
  ['1.3.132.0.33', { name: 'P-224', bits: 224 }],
  ['1.3.132.0.10', { name: 'secp256k1', bits: 256 }],
  ['1.3.36.3.3.2.8.1.1.7', { name: 'brainpoolP256r1', bits: 256 }],
  ['1.3.36.3.3.2.8.1.1.11', { name: 'brainpoolP384r1', bits: 384 }],
  ['1.3.36.3.3.2.8.1.1.13', { name: 'brainpoolP512r1', bits: 512 }],
]);

/** Names of the key usage bits (RFC 5280 §4.2.1.3), by bit number. */
export const keyUsageNames: readonly string[] = [
  'digitalSignature',
  'nonRepudiation',
  'keyEncipherment',
  'dataEncipherment',
  'keyAgreement',
  'keyCertSign',
  'cRLSign',
  'encipherOnly',
  'decipherOnly',
];
