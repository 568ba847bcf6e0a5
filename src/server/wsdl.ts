import { defaultLimits, type Limits } from '../core/limits.js';
import { NONE, parseDocument, type NodeId, type XmlDocument } from '../xml/index.js';

const WSDL = 'http://schemas.xmlsoap.org/wsdl/';
const WSDL_SOAP11 = 'http://schemas.xmlsoap.org/wsdl/soap/';
const WSDL_SOAP12 = 'http://schemas.xmlsoap.org/wsdl/soap12/';
const XSD = 'http://www.w3.org/2001/XMLSchema';

/** Descriptions are larger and deeper in some ways than messages, and may carry processing instructions. */
const limits: Limits = {
  ...defaultLimits,
  envelope: 16 * 1024 * 1024,
  attributes: 512,
  instructions: 100,
  comments: 10_000,
};

/** Gives the address that stands in place of another; undefined leaves it. */
export interface Rewrite {
  /** For the place where messages are sent. */
  readonly address: string;
  /** For a document that this one imports or includes. */
  readonly import: (location: string) => string | undefined;
}

/**
 * Puts the gateway's address into a WSDL or schema: every `soap:address`, and the locations of imports and includes.
 * Everything else stays, to the byte.
 *
 * @throws CountersignError XML_* when the bytes are not XML, or have a DOCTYPE
 */
export function rewriteDescription(bytes: Uint8Array, rewrite: Rewrite): Buffer {
  const document = parseDocument(bytes, { limits, utf16: true });
  for (const element of walk(document)) {
    const change = changeOf(document, element, rewrite);
    if (change === undefined) continue;
    document.removeAttribute(element, '', change.local);
    document.setAttribute(element, { namespace: '', prefix: '', local: change.local, value: change.value });
  }
  const { slices, length } = document.render();
  return Buffer.concat(slices, length);
}

/** The locations that a description imports or includes, as they are written. */
export function importedLocations(bytes: Uint8Array): string[] {
  const document = parseDocument(bytes, { limits, utf16: true });
  const found: string[] = [];
  for (const element of walk(document)) {
    const local = importAttribute(document, element);
    const value = local === undefined ? undefined : document.attribute(element, '', local);
    if (value !== undefined) found.push(value);
  }
  return found;
}

function changeOf(
  document: XmlDocument,
  element: NodeId,
  rewrite: Rewrite,
): { readonly local: string; readonly value: string } | undefined {
  if (isAddress(document, element) && document.attribute(element, '', 'location') !== undefined) {
    return { local: 'location', value: rewrite.address };
  }
  const local = importAttribute(document, element);
  if (local === undefined) return undefined;
  const value = rewrite.import(document.attribute(element, '', local) ?? '');
  return value === undefined ? undefined : { local, value };
}

const isAddress = (document: XmlDocument, element: NodeId): boolean =>
  document.is(element, WSDL_SOAP11, 'address') || document.is(element, WSDL_SOAP12, 'address');

/** The attribute that says where an imported document is. */
function importAttribute(document: XmlDocument, element: NodeId): 'location' | 'schemaLocation' | undefined {
  if (document.is(element, WSDL, 'import')) return present(document, element, 'location');
  const schema = ['import', 'include', 'redefine'].some((name) => document.is(element, XSD, name));
  return schema ? present(document, element, 'schemaLocation') : undefined;
}

function present<T extends string>(document: XmlDocument, element: NodeId, local: T): T | undefined {
  return document.attribute(element, '', local) === undefined ? undefined : local;
}

/** All elements, in document order, without recursion. */
function* walk(document: XmlDocument): Generator<NodeId> {
  let element = document.root;
  while (element !== NONE) {
    yield element;
    let next = document.firstChild(element);
    while (next === NONE && element !== document.root && element !== NONE) {
      next = document.nextSibling(element);
      if (next === NONE) element = document.parent(element);
    }
    element = next;
  }
}
