/** Shapes of the certificate layer. Types only. */
import type { DigestFunction, SignatureAlgorithm, VerifyFunction } from '../core/contracts.js';

/** A distinguished name. */
export interface DistinguishedName {
  /** DER of the Name, as it stands in the certificate. */
  readonly der: Uint8Array;
  /** RFC 4514 string for people and policies, most specific RDN first: `CN=client,O=Acme`. */
  toString(): string;
  /**
   * The string for XML (X509IssuerName, XML Signature 1.1 §4.5.4.1): as above, but types outside RFC 2253's table as
   * dotted OIDs with `#` hex values, which every peer reads.
   */
  rfc2253(): string;
}

/** An X.509 certificate, read once, DER-strict. Times in milliseconds since the epoch. */
export interface Certificate {
  readonly der: Uint8Array;
  readonly version: 1 | 2 | 3;
  /** The signed part, and the signature over it. */
  readonly tbs: Uint8Array;
  readonly signature: Uint8Array;
  /** Undefined when the certificate is signed with an algorithm that is not known. */
  readonly signatureAlgorithm: SignatureAlgorithm | undefined;
  readonly subject: DistinguishedName;
  readonly issuer: DistinguishedName;
  /** Serial number as a decimal string (a negative one, against RFC 5280, keeps its sign), as XML Signature writes it (§4.5.4.1). */
  readonly serial: string;
  readonly spki: Uint8Array;
  readonly publicKey: {
    readonly kind: 'RSA' | 'EC' | 'Ed25519';
    readonly bits: number;
    readonly curve?: string;
  };
  readonly notBefore: number;
  readonly notAfter: number;
  /** SubjectKeyIdentifier extension. */
  readonly subjectKeyIdentifier: Uint8Array | undefined;
  readonly authorityKeyIdentifier: Uint8Array | undefined;
  readonly basicConstraints: { readonly ca: boolean; readonly pathLength: number | undefined } | undefined;
  /** Key usage names of RFC 5280 §4.2.1.3 (`digitalSignature`, `keyEncipherment`, …); undefined when not stated. */
  readonly keyUsage: ReadonlySet<string> | undefined;
  /** OIDs of extendedKeyUsage; undefined when not stated. */
  readonly extendedKeyUsage: ReadonlySet<string> | undefined;
  /** OIDs of critical extensions that are not processed; a path with one is refused. */
  readonly unknownCritical: readonly string[];
}

/** What `validatePath` needs; it reads no clock and imports no crypto. */
export interface PathOptions {
  readonly anchors: readonly Certificate[];
  /** Leaves that are trusted as they are, self-signed ones too; their dates are still checked. */
  readonly pinned: readonly Certificate[];
  /** Certificates of the message that may complete the path. */
  readonly intermediates: readonly Certificate[];
  readonly at: number;
  /** What the leaf is used for. */
  readonly usage: 'sign' | 'encrypt' | 'tls-client' | 'tls-server';
  readonly verify: VerifyFunction;
  readonly digest: DigestFunction;
  /**
   * Judges each certificate of the path; throws to refuse. `signed`: its key and the algorithm of the signature on it are
   * relied on; `trusted`: an anchor or a pinned certificate, whose own signature proves nothing: the key alone.
   */
  readonly permits: (certificate: Certificate, role: 'signed' | 'trusted') => void;
}
