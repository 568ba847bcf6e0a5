/** wsse:BinarySecurityToken (WSS 1.1.1 §6.3): the part that all value types share. */
import { CountersignError } from '../../core/errors.js';
import { ns, type NodeId, type XmlDocument } from '../../xml/index.js';

/** The only encoding there is; also the default (WSS 1.1.1 §6.3, BSP R3030). */
export const base64Encoding =
  'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-soap-message-security-1.0#Base64Binary';

/** Value types of the X.509 Token Profile 1.1.1 §3.1 begin so. */
export const x509Profile = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-x509-token-profile-1.0#';

export const binaryToken: { readonly namespace: string; readonly local: string } = Object.freeze({
  namespace: ns.wsse,
  local: 'BinarySecurityToken',
});

/**
 * The octets of a BinarySecurityToken.
 *
 * @throws CountersignError TOKEN_MALFORMED for another encoding, XML_BASE64, XML_NOT_TEXT
 */
export function binaryTokenOctets(doc: XmlDocument, element: NodeId): Uint8Array {
  checkEncoding(doc, element);
  return doc.base64(element);
}

/** The same octets as the base64 that they are written as. @throws CountersignError TOKEN_MALFORMED, XML_NOT_TEXT */
export function binaryTokenText(doc: XmlDocument, element: NodeId): string {
  checkEncoding(doc, element);
  return doc.text(element);
}

function checkEncoding(doc: XmlDocument, element: NodeId): void {
  const encoding = doc.attribute(element, '', 'EncodingType');
  if (encoding !== undefined && encoding !== base64Encoding) {
    throw new CountersignError(
      'TOKEN_MALFORMED',
      `a BinarySecurityToken is encoded as ${encoding.slice(0, 200)}`,
      {
        details: { element: doc.path(element), rule: 'BSP R3030' },
      },
    );
  }
}
