/** What a certificate may be used for: key usage and extended key usage (RFC 5280 §4.2.1.3, §4.2.1.12). */
import { oids } from './oids.js';
import type { Certificate, PathOptions } from './types.js';

type Usage = PathOptions['usage'];

/**
 * No purpose is registered for SOAP messages. Partners use TLS, mail and document certificates for them; a certificate
 * made for nothing but, say, code signing or time stamping is refused.
 */
const messagePurposes = [
  oids.clientAuth,
  oids.serverAuth,
  oids.emailProtection,
  oids.documentSigning,
] as const;

const purposes: Readonly<Record<Usage, readonly string[]>> = {
  sign: messagePurposes,
  encrypt: messagePurposes,
  'tls-client': [oids.clientAuth],
  'tls-server': [oids.serverAuth],
};

const leafKeyUsage: Readonly<Record<Usage, readonly string[]>> = {
  sign: ['digitalSignature', 'nonRepudiation'],
  encrypt: ['keyEncipherment', 'keyAgreement'],
  'tls-client': ['digitalSignature'],
  'tls-server': ['digitalSignature', 'keyEncipherment', 'keyAgreement'],
};

/** Why the certificate may not be used so, or undefined. A certificate that states no usage may be used for all. */
export function usageProblem(certificate: Certificate, usage: Usage): string | undefined {
  const { keyUsage } = certificate;
  const wanted = leafKeyUsage[usage];
  if (keyUsage !== undefined && !wanted.some((name) => keyUsage.has(name))) {
    return `its key usage is ${list(keyUsage)}; needed is ${wanted.join(' or ')}`;
  }
  return purposeProblem(certificate, usage);
}

/** As above for the extended key usage alone, which on a CA certificate narrows what it may issue. */
export function purposeProblem(certificate: Certificate, usage: Usage): string | undefined {
  const { extendedKeyUsage } = certificate;
  if (extendedKeyUsage === undefined || extendedKeyUsage.has(oids.anyExtendedKeyUsage)) return undefined;
  if (purposes[usage].some((purpose) => extendedKeyUsage.has(purpose))) return undefined;
  return `its extended key usage is ${list(extendedKeyUsage)}, which does not serve ${usage}`;
}

function list(names: ReadonlySet<string>): string {
  return names.size === 0 ? 'empty' : [...names].join(', ');
}
