/** Reads ds:KeyInfo and wsse:SecurityTokenReference (WSS 1.1.1 §7, X.509 Token Profile 1.1.1 §3.2). */
import { CountersignError } from '../../core/errors.js';
import { ns, type NodeId, type XmlDocument } from '../../xml/index.js';
import { childElements, onlyAttributes, onlyChild, referencedId, structureError } from '../structure.js';
import { base64Encoding, x509Profile } from '../tokens/binary.js';
import type { Criterion, KeyReference } from './types.js';

export const thumbprintType =
  'http://docs.oasis-open.org/wss/oasis-wss-soap-message-security-1.1#ThumbprintSHA1';
export const skiType: string = `${x509Profile}X509SubjectKeyIdentifier`;
const certificateType = `${x509Profile}X509v3`;

type Reader = (doc: XmlDocument, element: NodeId) => Criterion[];

/** Value types of wsse:KeyIdentifier and what they say. */
const keyIdentifiers: ReadonlyMap<string, (value: Uint8Array) => Criterion> = new Map<
  string,
  (value: Uint8Array) => Criterion
>([
  [thumbprintType, (value) => ({ by: 'thumbprint', value })],
  [skiType, (value) => ({ by: 'ski', value })],
  [certificateType, (der) => ({ by: 'certificate', der })],
]);

const key = (namespace: string, local: string): string => `${namespace} ${local}`;

/** Children of wsse:SecurityTokenReference. */
const referenceReaders: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  [key(ns.wsse, 'Reference'), readReference],
  [key(ns.wsse, 'KeyIdentifier'), readKeyIdentifier],
  // zeep, and WSS4J for issuer and serial: X509Data inside the SecurityTokenReference (X.509 Token Profile §3.2.3).
  [key(ns.ds, 'X509Data'), readX509Data],
]);

/** Children of ds:KeyInfo. */
const keyInfoReaders: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  [key(ns.wsse, 'SecurityTokenReference'), readTokenReference],
  [key(ns.ds, 'X509Data'), readX509Data],
]);

/** Children of ds:X509Data. */
const x509Readers: ReadonlyMap<string, (doc: XmlDocument, element: NodeId) => Criterion> = new Map<
  string,
  (doc: XmlDocument, element: NodeId) => Criterion
>([
  [key(ns.ds, 'X509IssuerSerial'), readIssuerSerial],
  [key(ns.ds, 'X509SKI'), (doc, element) => ({ by: 'ski', value: doc.base64(element) })],
  [key(ns.ds, 'X509Certificate'), (doc, element) => ({ by: 'certificate', der: doc.base64(element) })],
  [key(ns.ds, 'X509SubjectName'), (doc, element) => ({ by: 'subject', subject: doc.text(element).trim() })],
]);

/**
 * Reads the KeyInfo of a Signature or an EncryptedKey: one SecurityTokenReference or one X509Data, nothing beside it
 * (BSP R5402, R5426; SIG-04, SIG-05).
 *
 * @throws CountersignError SECURITY_STRUCTURE, REFERENCE_FORBIDDEN, TOKEN_UNSUPPORTED, TOKEN_AMBIGUOUS, XML_BASE64,
 *   XML_NOT_TEXT
 */
export function readKeyInfo(doc: XmlDocument, keyInfo: NodeId): KeyReference {
  onlyAttributes(doc, keyInfo, ['Id']);
  const child = onlyChild(doc, keyInfo, 'BSP R5402');
  return { element: keyInfo, criteria: readerOf(keyInfoReaders, doc, child)(doc, child) };
}

/** Reads a wsse:SecurityTokenReference. @throws CountersignError as `readKeyInfo` */
export function readSecurityTokenReference(doc: XmlDocument, element: NodeId): KeyReference {
  return { element, criteria: readTokenReference(doc, element) };
}

function readerOf<T>(readers: ReadonlyMap<string, T>, doc: XmlDocument, element: NodeId): T {
  const reader = readers.get(key(doc.namespace(element), doc.localName(element)));
  if (reader !== undefined) return reader;
  // XMLDSIG §4.5.3: fetching keys from elsewhere is refused by its own name (SIG-06).
  if (doc.is(element, ns.ds, 'RetrievalMethod') || doc.is(element, ns.dsig11, 'KeyInfoReference')) {
    throw new CountersignError('REFERENCE_FORBIDDEN', `${doc.localName(element)} is not accepted`, {
      details: { element: doc.path(element) },
    });
  }
  throw new CountersignError('TOKEN_UNSUPPORTED', `${doc.path(element)} does not name a key in a known way`, {
    details: { element: doc.path(element) },
  });
}

function readTokenReference(doc: XmlDocument, element: NodeId): Criterion[] {
  onlyAttributes(doc, element, ['Usage']);
  const child = onlyChild(doc, element, 'BSP R3061');
  return readerOf(referenceReaders, doc, child)(doc, child);
}

function readReference(doc: XmlDocument, element: NodeId): Criterion[] {
  onlyAttributes(doc, element, ['URI', 'ValueType']);
  if (childElements(doc, element).length > 0) throw structureError(doc, element, 'must be empty');
  return [{ by: 'token', id: referencedId(doc, element, doc.attribute(element, '', 'URI')) }];
}

function readKeyIdentifier(doc: XmlDocument, element: NodeId): Criterion[] {
  onlyAttributes(doc, element, ['ValueType', 'EncodingType']);
  const encoding = doc.attribute(element, '', 'EncodingType');
  if (encoding !== undefined && encoding !== base64Encoding) {
    throw structureError(doc, element, 'is not encoded in base64', 'BSP R3071');
  }
  const valueType = doc.attribute(element, '', 'ValueType');
  const make = keyIdentifiers.get(valueType ?? '');
  if (make === undefined) {
    const shown = valueType?.slice(0, 200) ?? '(none)';
    throw new CountersignError('TOKEN_UNSUPPORTED', `a KeyIdentifier of type ${shown} is not supported`, {
      details: { element: doc.path(element), valueType: shown, rule: 'BSP R3063' },
    });
  }
  return [make(doc.base64(element))];
}

/** One certificate, named in up to four ways (XMLDSIG §4.5.4); every way at most once. */
function readX509Data(doc: XmlDocument, element: NodeId): Criterion[] {
  onlyAttributes(doc, element, []);
  const criteria: Criterion[] = [];
  for (const child of childElements(doc, element)) {
    const criterion = readerOf(x509Readers, doc, child)(doc, child);
    if (criteria.some((known) => known.by === criterion.by)) {
      throw new CountersignError('TOKEN_AMBIGUOUS', `${doc.path(element)} names more than one certificate`, {
        details: { element: doc.path(element) },
      });
    }
    criteria.push(criterion);
  }
  if (criteria.length === 0) throw structureError(doc, element, 'is empty');
  return criteria;
}

function readIssuerSerial(doc: XmlDocument, element: NodeId): Criterion {
  onlyAttributes(doc, element, []);
  const [issuer, serial, ...more] = childElements(doc, element);
  if (
    issuer === undefined ||
    serial === undefined ||
    more.length > 0 ||
    !doc.is(issuer, ns.ds, 'X509IssuerName') ||
    !doc.is(serial, ns.ds, 'X509SerialNumber')
  ) {
    throw structureError(doc, element, 'must hold X509IssuerName and X509SerialNumber', 'XMLDSIG §4.5.4.1');
  }
  return { by: 'issuer-serial', issuer: doc.text(issuer).trim(), serial: doc.text(serial).trim() };
}
