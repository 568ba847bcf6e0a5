/** What can be told about a message from its Body. */
import { NONE, ns, type Envelope, type NodeId, type XmlDocument } from '../xml/index.js';

/** The SOAP Fault of a message: the only child of its Body. NONE where the message is not a fault. */
export function faultOf(document: XmlDocument, envelope: Envelope): NodeId {
  const first = document.firstChild(envelope.body);
  const isFault =
    first !== NONE && document.nextSibling(first) === NONE && document.is(first, envelope.namespace, 'Fault');
  return isFault ? first : NONE;
}

/** Name of the first child of the Body as it is written; undefined where it is not readable, or there is none. */
export function operationOf(document: XmlDocument, envelope: Envelope): string | undefined {
  if (!document.is(envelope.body, envelope.namespace, 'Body')) return undefined;
  const first = document.firstChild(envelope.body);
  if (first === NONE || document.is(first, ns.xenc, 'EncryptedData')) return undefined;
  const prefix = document.prefix(first);
  const local = document.localName(first);
  return prefix === '' ? local : `${prefix}:${local}`;
}

/** Code and text of a fault, cut to what a log line can bear. */
export interface FaultText {
  readonly faultCode: string;
  readonly faultText: string;
}

/** What a fault says; never throws, whatever it is made of. */
export function faultText(document: XmlDocument, envelope: Envelope, fault: NodeId): FaultText {
  const [code, reason] =
    envelope.version === '1.1'
      ? [child(document, fault, '', 'faultcode'), child(document, fault, '', 'faultstring')]
      : [
          child(document, child(document, fault, ns.soap12, 'Code'), ns.soap12, 'Value'),
          child(document, child(document, fault, ns.soap12, 'Reason'), ns.soap12, 'Text'),
        ];
  return { faultCode: textOf(document, code), faultText: textOf(document, reason) };
}

function child(document: XmlDocument, parent: NodeId, namespace: string, local: string): NodeId {
  if (parent === NONE) return NONE;
  return document.children(parent).find((one) => document.is(one, namespace, local)) ?? NONE;
}

function textOf(document: XmlDocument, element: NodeId): string {
  if (element === NONE) return '';
  try {
    return document.text(element).trim().slice(0, 500);
  } catch {
    return '';
  }
}
