/** How a Signature or an EncryptedKey names its key. Types only. */
import type { Certificate } from '../../pki/types.js';
import type { NodeId } from '../../xml/index.js';

/** The `reference` option of `sign` and `encrypt`. */
export type ReferenceStyle = 'direct' | 'issuer-serial' | 'ski' | 'thumbprint' | 'x509-data';

/** One thing that is said about the certificate. */
export type Criterion =
  /** wsse:Reference: the token in the Security header with this id. */
  | { readonly by: 'token'; readonly id: string }
  /** The certificate itself, DER. */
  | { readonly by: 'certificate'; readonly der: Uint8Array }
  /** SHA-1 over the DER. */
  | { readonly by: 'thumbprint'; readonly value: Uint8Array }
  /** The subjectKeyIdentifier extension. */
  | { readonly by: 'ski'; readonly value: Uint8Array }
  /** `issuer` in the form of RFC 2253 / 4514, `serial` decimal. */
  | { readonly by: 'issuer-serial'; readonly issuer: string; readonly serial: string }
  /** The subject, in the same form; only ever beside or instead of others. */
  | { readonly by: 'subject'; readonly subject: string };

/** What a KeyInfo says. All criteria must hold for one and the same certificate. */
export interface KeyReference {
  /** The ds:KeyInfo or wsse:SecurityTokenReference that was read. */
  readonly element: NodeId;
  readonly criteria: readonly Criterion[];
}

/** The one certificate that a reference names. */
export interface ResolvedToken {
  readonly certificate: Certificate;
  /** Further certificates that came with it (X509PKIPathv1), for building the path. */
  readonly intermediates: readonly Certificate[];
  /** The token element of the message that holds it, if one was named. */
  readonly token: NodeId | undefined;
}
