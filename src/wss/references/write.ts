/** Writes ds:KeyInfo in the five styles of a policy. */
import { asBuffer } from '../../core/bytes.js';
import type { DigestFunction } from '../../core/contracts.js';
import { keyIdentifier, thumbprint } from '../../pki/index.js';
import type { Certificate } from '../../pki/types.js';
import { escapeAttribute, escapeText, ns } from '../../xml/index.js';
import { newId } from '../ids.js';
import { base64Encoding, x509Profile } from '../tokens/binary.js';
import type { Toolkit } from '../toolkit.js';
import { skiType, thumbprintType } from './read.js';
import type { ReferenceStyle } from './types.js';

/** Fragments that declare what they use, except the prefix `ds`, which the element around KeyInfo declares. */
export interface WrittenReference {
  /** The ds:KeyInfo element. */
  readonly keyInfo: string;
  /** The BinarySecurityToken to put just before the element that refers to it; only with `direct`. */
  readonly token: string | undefined;
}

interface Context {
  readonly certificate: Certificate;
  readonly toolkit: Toolkit;
  readonly digest: DigestFunction;
}

const base64 = (bytes: Uint8Array): string => asBuffer(bytes).toString('base64');

const encoded = new WeakMap<Certificate, string>();

/** The certificate in base64, made once. */
function certificateText(certificate: Certificate): string {
  const known = encoded.get(certificate);
  if (known !== undefined) return known;
  const text = base64(certificate.der);
  encoded.set(certificate, text);
  return text;
}

const tokenReference = (content: string): string =>
  `<wsse:SecurityTokenReference xmlns:wsse="${ns.wsse}">${content}</wsse:SecurityTokenReference>`;

const keyInfo = (content: string): string => `<ds:KeyInfo>${content}</ds:KeyInfo>`;

/** BSP R3063, R3070: a KeyIdentifier says its value type and its encoding. */
const identifier = (valueType: string, value: Uint8Array): string =>
  `<wsse:KeyIdentifier EncodingType="${base64Encoding}" ValueType="${valueType}">${base64(value)}</wsse:KeyIdentifier>`;

const writers: Readonly<Record<ReferenceStyle, (context: Context) => WrittenReference>> = {
  direct: ({ certificate, toolkit }) => {
    const id = newId('X509', toolkit.random);
    const valueType = `${x509Profile}X509v3`;
    // BSP R3029, R3031: a BinarySecurityToken says its encoding and its value type; R3059: the reference repeats it.
    const token =
      `<wsse:BinarySecurityToken xmlns:wsse="${ns.wsse}" xmlns:wsu="${ns.wsu}" EncodingType="${base64Encoding}"` +
      ` ValueType="${valueType}" wsu:Id="${id}">${certificateText(certificate)}</wsse:BinarySecurityToken>`;
    const reference = `<wsse:Reference URI="#${escapeAttribute(id)}" ValueType="${valueType}"></wsse:Reference>`;
    return { keyInfo: keyInfo(tokenReference(reference)), token };
  },
  'issuer-serial': ({ certificate }) => {
    // BSP R5409, R5417: issuer and serial stand in X509Data inside the SecurityTokenReference; RFC 4514 form (R5421).
    const data =
      `<ds:X509Data><ds:X509IssuerSerial><ds:X509IssuerName>${escapeText(certificate.issuer.toString())}` +
      `</ds:X509IssuerName><ds:X509SerialNumber>${certificate.serial}</ds:X509SerialNumber></ds:X509IssuerSerial></ds:X509Data>`;
    return { keyInfo: keyInfo(tokenReference(data)), token: undefined };
  },
  ski: ({ certificate, digest }) => {
    const value = certificate.subjectKeyIdentifier ?? keyIdentifier(certificate.spki, digest);
    return { keyInfo: keyInfo(tokenReference(identifier(skiType, value))), token: undefined };
  },
  thumbprint: ({ certificate, digest }) => {
    const value = thumbprint(certificate, digest);
    return { keyInfo: keyInfo(tokenReference(identifier(thumbprintType, value))), token: undefined };
  },
  'x509-data': ({ certificate }) => {
    const data = `<ds:X509Data><ds:X509Certificate>${certificateText(certificate)}</ds:X509Certificate></ds:X509Data>`;
    return { keyInfo: keyInfo(data), token: undefined };
  },
};

/**
 * Writes the KeyInfo that names a certificate.
 *
 * The prefix `ds` must be bound where the KeyInfo is put; everything else is declared by the fragments.
 */
export function writeKeyInfo(
  style: ReferenceStyle,
  certificate: Certificate,
  toolkit: Toolkit,
): WrittenReference {
  const digest: DigestFunction = (hash, bytes) => toolkit.crypto.digest(hash, bytes);
  return writers[style]({ certificate, toolkit, digest });
}
