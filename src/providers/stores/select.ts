/** Finds a key's own certificate and its chain among what a store holds. */
import { equal } from '../../core/bytes.js';
import { parseCertificate } from '../../pki/certificate.js';
import { equalNames } from '../../pki/names.js';
import type { Certificate } from '../../pki/types.js';
import { fitsPublicKey } from '../openssl/key-files.js';
import { malformed, storeError } from './failures.js';
import type { KeyMaterial, StoredKey } from './material.js';

/** A leaf with its issuers, and its private key where there is one. */
export interface Selected {
  readonly certificate: Certificate;
  readonly chain: readonly Certificate[];
  readonly pkcs8: Uint8Array | undefined;
}

/**
 * The entry of a store that a policy names.
 *
 * @param alias friendlyName, in any letter case as Java compares it; undefined: the only key, or the only certificate
 * @throws CountersignError KEY_ALIAS_MISSING, KEY_MISMATCH, KEY_FILE_MALFORMED, CERTIFICATE_MALFORMED
 */
export function selectEntry(material: KeyMaterial, alias: string | undefined): Selected {
  const key = chooseKey(material, alias);
  if (key === undefined) return withoutKey(material, alias);
  const certificates = material.certificates.map(({ der }) => parseCertificate(der));
  const index = material.certificates.findIndex(
    ({ id }, at) => certificates[at] !== undefined && mayBelong(key.id, id) && fits(key, certificates[at]),
  );
  const certificate = certificates[index] ?? certificates.find((candidate) => fits(key, candidate));
  if (certificate === undefined) {
    if (certificates.length === 0) throw malformed('holds a private key and no certificate');
    throw storeError('KEY_MISMATCH', 'holds no certificate that fits its private key');
  }
  return { certificate, chain: chainOf(certificate, certificates), pkcs8: key.pkcs8 };
}

/** Whether certificate and private key are a pair. @throws CountersignError KEY_FILE_MALFORMED */
export function fits(key: Pick<StoredKey, 'pkcs8'>, certificate: Certificate): boolean {
  const answer = fitsPublicKey(key.pkcs8, certificate.spki);
  if (answer === undefined) throw malformed('holds a private key that cannot be read');
  return answer;
}

/** The issuers of a certificate among others, nearest first. */
export function chainOf(leaf: Certificate, others: readonly Certificate[]): Certificate[] {
  const chain: Certificate[] = [];
  let current = leaf;
  for (;;) {
    const child = current;
    if (equalNames(child.subject, child.issuer)) return chain;
    const issuer = others.find(
      (other) =>
        equalNames(other.subject, child.issuer) && !equal(other.der, leaf.der) && !chain.includes(other),
    );
    if (issuer === undefined) return chain;
    chain.push(issuer);
    current = issuer;
  }
}

function chooseKey(material: KeyMaterial, alias: string | undefined): StoredKey | undefined {
  const { keys } = material;
  if (alias === undefined) {
    if (keys.length > 1) {
      throw storeError(
        'KEY_ALIAS_MISSING',
        `holds ${keys.length} keys; say which by alias: ${names(material)}`,
      );
    }
    return keys[0];
  }
  return (
    keys.find((key) => sameAlias(key.alias, alias)) ??
    // Some tools name only the certificate.
    keys.find((key) =>
      material.certificates.some(
        (entry) =>
          sameAlias(entry.alias, alias) &&
          key.id !== undefined &&
          mayBelong(key.id, entry.id) &&
          entry.id !== undefined,
      ),
    )
  );
}

function withoutKey(material: KeyMaterial, alias: string | undefined): Selected {
  const found =
    alias === undefined
      ? material.certificates
      : material.certificates.filter((entry) => sameAlias(entry.alias, alias));
  const [entry] = found;
  if (entry === undefined && alias === undefined) throw malformed('holds no key and no certificate');
  if (entry === undefined) {
    throw storeError('KEY_ALIAS_MISSING', `has no entry "${alias ?? ''}"; it has: ${names(material)}`);
  }
  if (
    found.length > 1 &&
    alias === undefined &&
    material.certificates.some(({ alias: name }) => name !== undefined)
  ) {
    throw storeError(
      'KEY_ALIAS_MISSING',
      `holds ${found.length} certificates; say which by alias: ${names(material)}`,
    );
  }
  const certificate = parseCertificate(entry.der);
  const others = material.certificates.map(({ der }) => parseCertificate(der));
  return { certificate, chain: chainOf(certificate, others), pkcs8: undefined };
}

function mayBelong(keyId: Uint8Array | undefined, certificateId: Uint8Array | undefined): boolean {
  return keyId === undefined || certificateId === undefined || equal(keyId, certificateId);
}

function sameAlias(a: string | undefined, b: string): boolean {
  return a !== undefined && a.toLowerCase() === b.toLowerCase();
}

function names(material: KeyMaterial): string {
  const all = [...material.keys, ...material.certificates].map(({ alias }) => alias ?? '(no name)');
  return [...new Set(all)].join(', ');
}
