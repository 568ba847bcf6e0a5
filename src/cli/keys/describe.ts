/** What is said about a certificate, as a record and as text. */
import { toHex } from '../../core/bytes.js';
import { formatUtc } from '../../core/calendar.js';
import { equalNames, thumbprint } from '../../pki/index.js';
import type { Certificate } from '../../pki/index.js';
import { fileDigest } from '../../providers/openssl/key-files.js';

/** One certificate. Dates are ISO, UTC; fingerprints and identifiers lower-case hex. */
export interface CertificateReport {
  /** RFC 4514, as `subjects` of a trust takes it. */
  readonly subject: string;
  readonly issuer: string;
  /** Decimal, as X509SerialNumber has it. */
  readonly serial: string;
  readonly notBefore: string;
  readonly notAfter: string;
  readonly state: 'valid' | 'expired' | 'not yet valid';
  /** Whole days to notAfter; negative once it has passed. */
  readonly daysLeft: number;
  readonly key: string;
  readonly signature: string;
  readonly ca: boolean;
  readonly selfIssued: boolean;
  readonly keyUsage: readonly string[] | undefined;
  readonly extendedKeyUsage: readonly string[] | undefined;
  readonly ski: string | undefined;
  readonly sha1: string;
  readonly sha256: string;
  /** The SHA-1 one as ThumbprintSHA1 references have it. */
  readonly thumbprint: string;
}

const DAY = 86_400_000;
const purposes: Readonly<Record<string, string>> = {
  '1.3.6.1.5.5.7.3.1': 'serverAuth',
  '1.3.6.1.5.5.7.3.2': 'clientAuth',
  '1.3.6.1.5.5.7.3.3': 'codeSigning',
  '1.3.6.1.5.5.7.3.4': 'emailProtection',
  '1.3.6.1.5.5.7.3.8': 'timeStamping',
  '1.3.6.1.5.5.7.3.9': 'OCSPSigning',
  '2.5.29.37.0': 'any',
};

/** @param now milliseconds since the epoch */
export function describeCertificate(certificate: Certificate, now: number): CertificateReport {
  const { notBefore, notAfter, publicKey, keyUsage, extendedKeyUsage, subjectKeyIdentifier } = certificate;
  const sha1 = thumbprint(certificate, fileDigest, 'SHA-1');
  return {
    subject: certificate.subject.toString(),
    issuer: certificate.issuer.toString(),
    serial: certificate.serial,
    notBefore: formatUtc(notBefore),
    notAfter: formatUtc(notAfter),
    state: now < notBefore ? 'not yet valid' : now >= notAfter + 1000 ? 'expired' : 'valid',
    daysLeft: Math.floor((notAfter - now) / DAY),
    key:
      publicKey.curve === undefined
        ? `${publicKey.kind} ${publicKey.bits}`
        : `${publicKey.kind} ${publicKey.curve}`,
    signature: describeSignature(certificate),
    ca: certificate.basicConstraints?.ca ?? false,
    selfIssued: equalNames(certificate.subject, certificate.issuer),
    keyUsage: keyUsage === undefined ? undefined : [...keyUsage],
    extendedKeyUsage:
      extendedKeyUsage === undefined ? undefined : [...extendedKeyUsage].map((oid) => purposes[oid] ?? oid),
    ski: subjectKeyIdentifier === undefined ? undefined : toHex(subjectKeyIdentifier),
    sha1: toHex(sha1),
    sha256: toHex(thumbprint(certificate, fileDigest, 'SHA-256')),
    thumbprint: Buffer.from(sha1).toString('base64'),
  };
}

/** Lines of `name value`, indented. */
export function certificateLines(report: CertificateReport): string[] {
  const rows: readonly (readonly [string, string])[] = [
    ['subject', report.subject],
    ['issuer', report.selfIssued ? 'itself' : report.issuer],
    ['serial', report.serial],
    ['valid', `${report.notBefore} to ${report.notAfter} (${remaining(report)})`],
    ['key', `${report.key}, signed with ${report.signature}`],
    ['usage', [report.ca ? 'CA' : 'end entity', ...(report.keyUsage ?? ['any key usage'])].join(', ')],
    ...(report.extendedKeyUsage === undefined
      ? []
      : [['purpose', report.extendedKeyUsage.join(', ')] as const]),
    ['ski', report.ski ?? 'none: cannot be named by reference ski'],
    ['sha1', `${report.sha1}   in messages: ${report.thumbprint}`],
    ['sha256', report.sha256],
  ];
  return rows.map(([name, value]) => `  ${name.padEnd(8)} ${value}`);
}

/** `364 days left`, `expired 3 days ago`, `not yet valid`. */
export function remaining(report: Pick<CertificateReport, 'state' | 'daysLeft'>): string {
  if (report.state === 'not yet valid') return 'NOT YET VALID';
  return report.state === 'expired' ? `EXPIRED ${-report.daysLeft} days ago` : `${report.daysLeft} days left`;
}

function describeSignature({ signatureAlgorithm }: Certificate): string {
  if (signatureAlgorithm === undefined) return 'an algorithm that is not known';
  return 'hash' in signatureAlgorithm
    ? `${signatureAlgorithm.name} ${signatureAlgorithm.hash}`
    : signatureAlgorithm.name;
}
