/** Reads ds:KeyInfo and wsse:SecurityTokenReference (WSS 1.1.1 §7, X.509 Token Profile 1.1.1 §3.2). */
import { CountersignError } from '../../core/errors.js';
import { ns, type NodeId, type XmlDocument } from '../../xml/index.js';
import {
  childElements,
  onlyAttributes,
  onlyChild,
  onlyEmpty,
  referencedId,
  structureError,
} from '../structure.js';
import { base64Encoding, x509Profile } from '../tokens/binary.js';
import type { Criterion, KeyReference } from './types.js';

export const thumbprintType =
  'http://docs.oasis-open.org/wss/oasis-wss-soap-message-security-1.1#ThumbprintSHA1';
export const skiType: string = `${x509Profile}X509SubjectKeyIdentifier`;
const certificateType = `${x509Profile}X509v3`;

/** Value types of wsse:KeyIdentifier and what they say. */
const keyIdentifiers: ReadonlyMap<string, (value: Uint8Array) => Criterion> = new Map<
  string,
  (value: Uint8Array) => Criterion
>([
  [thumbprintType, (value) => ({ by: 'thumbprint', value })],
  [skiType, (value) => ({ by: 'ski', value })],
  [certificateType, (der) => ({ by: 'certificate', der })],
]);

/** What reads the elements of one name. */
type Reader<T> = readonly [namespace: string, local: string, read: (doc: XmlDocument, element: NodeId) => T];

/** Children of wsse:SecurityTokenReference. */
const referenceReaders: readonly Reader<Criterion[]>[] = [
  [ns.wsse, 'Reference', readReference],
  [ns.wsse, 'KeyIdentifier', readKeyIdentifier],
  // zeep, and WSS4J for issuer and serial: X509Data inside the SecurityTokenReference (X.509 Token Profile §3.2.3).
  [ns.ds, 'X509Data', readX509Data],
];

/** Children of ds:KeyInfo. */
const keyInfoReaders: readonly Reader<Criterion[]>[] = [
  [ns.wsse, 'SecurityTokenReference', readTokenReference],
  [ns.ds, 'X509Data', readX509Data],
];

/** Children of ds:X509Data. */
const x509Readers: readonly Reader<Criterion>[] = [
  [ns.ds, 'X509IssuerSerial', readIssuerSerial],
  [ns.ds, 'X509SKI', (doc, element) => ({ by: 'ski', value: doc.base64(element) })],
  [ns.ds, 'X509Certificate', (doc, element) => ({ by: 'certificate', der: doc.base64(element) })],
  [ns.ds, 'X509SubjectName', (doc, element) => ({ by: 'subject', subject: doc.text(element).trim() })],
];

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
  return { element: keyInfo, criteria: readBy(keyInfoReaders, doc, child) };
}

/** Reads a wsse:SecurityTokenReference. @throws CountersignError as `readKeyInfo` */
export function readSecurityTokenReference(doc: XmlDocument, element: NodeId): KeyReference {
  return { element, criteria: readTokenReference(doc, element) };
}

function readBy<T>(readers: readonly Reader<T>[], doc: XmlDocument, element: NodeId): T {
  for (const [namespace, local, read] of readers)
    if (doc.is(element, namespace, local)) return read(doc, element);
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
  return readBy(referenceReaders, doc, child);
}

function readReference(doc: XmlDocument, element: NodeId): Criterion[] {
  onlyAttributes(doc, element, ['URI', 'ValueType']);
  onlyEmpty(doc, element);
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
    const criterion = readBy(x509Readers, doc, child);
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
