/** Strict reading of security elements: what a schema does not name is refused, and leaves hold text alone. */
import { CountersignError } from '../core/errors.js';
import { NONE, type NodeId, type XmlDocument } from '../xml/index.js';

/** SECURITY_STRUCTURE at an element. @param rule the clause that it breaks */
export function structureError(
  doc: XmlDocument,
  element: NodeId,
  problem: string,
  rule?: string,
): CountersignError {
  const place = doc.path(element);
  return new CountersignError('SECURITY_STRUCTURE', `${place} ${problem}`, {
    details: { element: place, ...(rule === undefined ? {} : { rule }) },
  });
}

/**
 * The children of an element that holds elements only.
 *
 * @throws CountersignError SECURITY_STRUCTURE when there is text between them
 */
export function childElements(doc: XmlDocument, element: NodeId): NodeId[] {
  refuseText(doc, element);
  return doc.children(element);
}

function refuseText(doc: XmlDocument, element: NodeId): void {
  if (doc.hasNonWhitespaceText(element))
    throw structureError(doc, element, 'holds text between its elements');
}

/**
 * The only child of an element.
 *
 * @throws CountersignError SECURITY_STRUCTURE
 */
export function onlyChild(doc: XmlDocument, element: NodeId, rule: string): NodeId {
  refuseText(doc, element);
  const child = doc.firstChild(element);
  if (child !== NONE && doc.nextSibling(child) === NONE) return child;
  throw structureError(doc, element, 'must hold exactly one element', rule);
}

/**
 * Refuses an element that holds anything.
 *
 * @throws CountersignError SECURITY_STRUCTURE
 */
export function onlyEmpty(doc: XmlDocument, element: NodeId): void {
  refuseText(doc, element);
  if (doc.firstChild(element) !== NONE) throw structureError(doc, element, 'must be empty');
}

/**
 * Refuses attributes that the schema does not name. Those of other namespaces (`wsu:Id`, `xml:lang`) are no matter.
 *
 * @throws CountersignError SECURITY_STRUCTURE
 */
export function onlyAttributes(doc: XmlDocument, element: NodeId, allowed: readonly string[]): void {
  const unknown = doc.unknownAttribute(element, allowed);
  if (unknown === undefined) return;
  throw structureError(
    doc,
    element,
    `has an attribute ${unknown.slice(0, 100)} that its schema does not name`,
  );
}

/**
 * An attribute that must be there.
 *
 * @throws CountersignError SECURITY_STRUCTURE
 */
export function requiredAttribute(doc: XmlDocument, element: NodeId, local: string): string {
  const value = doc.attribute(element, '', local);
  if (value === undefined) throw structureError(doc, element, `has no ${local}`);
  return value;
}

/** `#` and an id, exactly: no XPointer, no percent-encoding (XSW-11, XSW-17). */
const sameDocument = /^#[-.\p{L}\p{N}\p{Mn}\p{Mc}_·]+$/u;
/** Nearly all of them; the other pattern costs several times as much. */
const plainReference = /^#[-.\w]+$/;

/**
 * The id in a reference to an element of the same message.
 *
 * @throws CountersignError REFERENCE_FORBIDDEN for every other kind of URI
 */
export function referencedId(doc: XmlDocument, element: NodeId, uri: string | undefined): string {
  if (uri !== undefined && (plainReference.test(uri) || sameDocument.test(uri))) return uri.slice(1);
  throw new CountersignError(
    'REFERENCE_FORBIDDEN',
    uri === undefined
      ? 'a reference has no URI'
      : `a reference names ${JSON.stringify(uri.slice(0, 200))}; only #id within the message is accepted`,
    { details: { element: doc.path(element), uri: uri?.slice(0, 200) } },
  );
}
