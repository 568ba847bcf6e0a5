/** Writes certificates: for the development PKI of `init` and for tests. Signing is the caller's. */
import { epochToCivil, formatUtc } from '../core/calendar.js';
import type { DigestFunction } from '../core/contracts.js';
import { attributeOid } from './attribute-types.js';
import {
  bitString,
  booleanTrue,
  element,
  nullElement,
  objectIdentifier,
  octetString,
  sequence,
  unsignedInteger,
  utf8String,
} from './der-writer.js';
import { context, tags } from './der.js';
import { keyIdentifier } from './identifiers.js';
import { keyUsageNames, oids } from './oids.js';
import { parseNamePattern } from './patterns.js';

/** What a new certificate says. Names in RFC 4514 form, times in milliseconds since the epoch. */
export interface CertificateRequest {
  readonly subject: string;
  readonly issuer: string;
  /** Unsigned big-endian bytes. */
  readonly serial: Uint8Array;
  readonly notBefore: number;
  readonly notAfter: number;
  /** SubjectPublicKeyInfo of the subject, and of the issuer. */
  readonly spki: Uint8Array;
  readonly issuerSpki: Uint8Array;
  readonly signatureAlgorithm: 'sha256WithRsa' | 'ecdsaWithSha256' | 'ed25519';
  readonly ca?: { readonly pathLength?: number };
  readonly keyUsage?: readonly string[];
  /** OIDs. */
  readonly extendedKeyUsage?: readonly string[];
  /** DNS names and IPv4 addresses for subjectAltName. */
  readonly dns?: readonly string[];
  readonly ip?: readonly string[];
  /** False leaves subjectKeyIdentifier and authorityKeyIdentifier out. */
  readonly keyIdentifiers?: boolean;
  /** Further extensions, as they are. */
  readonly extra?: readonly {
    readonly oid: string;
    readonly critical: boolean;
    readonly value: Uint8Array;
  }[];
}

/**
 * Makes a version 3 certificate.
 *
 * @param sign makes the signature over the given bytes with the issuer's key, fitting `signatureAlgorithm`
 * @param digest for the key identifiers (RFC 5280 §4.2.1.2, method 1)
 * @returns DER
 */
export function issueCertificate(
  request: CertificateRequest,
  sign: (tbs: Uint8Array) => Uint8Array,
  digest: DigestFunction,
): Uint8Array {
  const algorithm = algorithmIdentifier(request.signatureAlgorithm);
  const tbs = sequence(
    element(context(0, true), unsignedInteger(Uint8Array.of(2))),
    unsignedInteger(request.serial),
    algorithm,
    writeName(request.issuer),
    sequence(writeTime(request.notBefore), writeTime(request.notAfter)),
    writeName(request.subject),
    request.spki,
    element(context(3, true), sequence(...writeExtensions(request, digest))),
  );
  return sequence(tbs, algorithm, bitString(sign(tbs)));
}

function algorithmIdentifier(name: CertificateRequest['signatureAlgorithm']): Uint8Array {
  // RFC 4055 §5: RSA signatures carry NULL parameters; ECDSA and Ed25519 none.
  const parameters = name === 'sha256WithRsa' ? [nullElement()] : [];
  return sequence(objectIdentifier(oids[name]), ...parameters);
}

function writeName(text: string): Uint8Array {
  const rdns = parseNamePattern(text).map((rdn) =>
    element(
      tags.set,
      ...rdn.map(({ oid, value }) => sequence(objectIdentifier(oid), writeValue(oid, value))),
    ),
  );
  return sequence(...rdns.reverse());
}

/** UTF8String, save for the types whose syntax is IA5 or Printable (RFC 5280 appendix A, RFC 2985). */
function writeValue(oid: string, value: string | Uint8Array | undefined): Uint8Array {
  if (typeof value !== 'string') return value ?? utf8String('*');
  const bytes = Buffer.from(value, 'utf8');
  if (oid === attributeOid('C') || oid === attributeOid('serialNumber'))
    return element(tags.printableString, bytes);
  if (oid === attributeOid('emailAddress') || oid === attributeOid('DC'))
    return element(tags.ia5String, bytes);
  return utf8String(value);
}

/** UTCTime through 2049, then GeneralizedTime (RFC 5280 §4.1.2.5). */
function writeTime(millis: number): Uint8Array {
  const digits = formatUtc(millis).replace(/[-:T]/g, '');
  return epochToCivil(millis).year < 2050
    ? element(tags.utcTime, Buffer.from(digits.slice(2), 'latin1'))
    : element(tags.generalizedTime, Buffer.from(digits, 'latin1'));
}

function writeExtensions(request: CertificateRequest, digest: DigestFunction): Uint8Array[] {
  const { ca, keyUsage, extendedKeyUsage, dns = [], ip = [], extra = [] } = request;
  const out = request.keyIdentifiers === false ? [] : keyIdentifiers(request, digest);
  if (ca !== undefined) {
    const limit = ca.pathLength === undefined ? [] : [unsignedInteger(Uint8Array.of(ca.pathLength))];
    out.push(extension(oids.basicConstraints, true, sequence(booleanTrue(), ...limit)));
  }
  if (keyUsage !== undefined) out.push(extension(oids.keyUsage, true, writeKeyUsage(keyUsage)));
  if (extendedKeyUsage !== undefined) {
    out.push(extension(oids.extendedKeyUsage, false, sequence(...extendedKeyUsage.map(objectIdentifier))));
  }
  if (dns.length + ip.length > 0) {
    const names = [
      ...dns.map((name) => element(context(2, false), Buffer.from(name, 'latin1'))),
      ...ip.map((address) => element(context(7, false), Uint8Array.from(address.split('.').map(Number)))),
    ];
    out.push(extension(oids.subjectAltName, false, sequence(...names)));
  }
  return [...out, ...extra.map(({ oid, critical, value }) => extension(oid, critical, value))];
}

function keyIdentifiers(request: CertificateRequest, digest: DigestFunction): Uint8Array[] {
  const subject = octetString(keyIdentifier(request.spki, digest));
  const issuer = element(context(0, false), keyIdentifier(request.issuerSpki, digest));
  return [
    extension(oids.subjectKeyIdentifier, false, subject),
    extension(oids.authorityKeyIdentifier, false, sequence(issuer)),
  ];
}

function extension(oid: string, critical: boolean, value: Uint8Array): Uint8Array {
  return sequence(objectIdentifier(oid), ...(critical ? [booleanTrue()] : []), octetString(value));
}

function writeKeyUsage(names: readonly string[]): Uint8Array {
  const bits = names.map((name) => keyUsageNames.indexOf(name)).filter((bit) => bit >= 0);
  const highest = Math.max(...bits);
  const octets = new Uint8Array(Math.floor(highest / 8) + 1);
  for (const bit of bits) octets[bit >> 3] = (octets[bit >> 3] ?? 0) | (0x80 >> (bit & 7));
  return bitString(octets, 7 - (highest & 7));
}
