import { CountersignError } from '../../core/errors.js';
import { NONE, ns, type NodeId, type XmlDocument } from '../../xml/index.js';
import { childElements, onlyAttributes, onlyChild, requiredAttribute, structureError } from '../structure.js';

/** What EncryptedData and EncryptedKey have in common: xenc:EncryptedType (XMLENC 1.1 §3.1). */
export interface EncryptedType {
  readonly element: NodeId;
  readonly id: string | undefined;
  readonly type: string | undefined;
  readonly method: NodeId;
  /** Algorithm of the EncryptionMethod, as it stands. */
  readonly algorithm: string;
  /** NONE where there is none. */
  readonly keyInfo: NodeId;
  readonly cipherValue: NodeId;
  /** Children after CipherData and EncryptionProperties. */
  readonly rest: readonly NodeId[];
}

/**
 * Reads the common part by the schema's own order; each child at most once, found as a child and nowhere deeper.
 *
 * @throws CountersignError SECURITY_STRUCTURE, REFERENCE_FORBIDDEN (CipherReference)
 */
export function readEncryptedType(doc: XmlDocument, element: NodeId): EncryptedType {
  onlyAttributes(doc, element, ['Id', 'Type', 'MimeType', 'Encoding', 'Recipient']);
  const children = childElements(doc, element);
  let next = 0;
  const take = (namespace: string, local: string): NodeId => {
    const child = children[next];
    if (child === undefined || !doc.is(child, namespace, local)) return NONE;
    next++;
    return child;
  };
  const method = take(ns.xenc, 'EncryptionMethod');
  const keyInfo = take(ns.ds, 'KeyInfo');
  const cipherData = take(ns.xenc, 'CipherData');
  // Signed or not, properties are no part of the message's meaning here (XMLENC 1.1 §3.7).
  take(ns.xenc, 'EncryptionProperties');
  if (method === NONE) throw structureError(doc, element, 'has no EncryptionMethod', 'BSP R5601, R5603');
  if (cipherData === NONE) throw structureError(doc, element, 'has no CipherData where it is due');
  return {
    element,
    id: doc.attribute(element, '', 'Id'),
    type: doc.attribute(element, '', 'Type'),
    method,
    algorithm: requiredAttribute(doc, method, 'Algorithm'),
    keyInfo,
    cipherValue: readCipherData(doc, cipherData),
    rest: children.slice(next),
  };
}

function readCipherData(doc: XmlDocument, cipherData: NodeId): NodeId {
  const value = onlyChild(doc, cipherData, 'XMLENC §3.3');
  // What is fetched from elsewhere was not checked, and fetching is an attack of its own (ENC-12).
  if (doc.is(value, ns.xenc, 'CipherReference')) {
    throw new CountersignError('REFERENCE_FORBIDDEN', 'CipherReference is not accepted', {
      details: { place: doc.path(value) },
    });
  }
  if (!doc.is(value, ns.xenc, 'CipherValue')) throw structureError(doc, cipherData, 'has no CipherValue');
  return value;
}
