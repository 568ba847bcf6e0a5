/** From parts of a policy to elements of a message. */
import { NONE, ns, type Envelope, type NodeId, type XmlDocument } from '../xml/index.js';
import type { Part, PartName } from './parts.js';

/** Where parts are looked for. */
export interface PartScope {
  readonly doc: XmlDocument;
  readonly envelope: Envelope;
  /** The Security header of our role; NONE where there is none. */
  readonly securityHeader: NodeId;
  /** The Signature of a step (undefined: of the nearest earlier `sign`, or of the first `verify`); NONE without one. */
  readonly signature: (name: string | undefined) => NodeId;
}

/**
 * The elements that a part names, by absolute position (XSW-01 to XSW-07, XSW-18): children of this Header, of this
 * Body, of our Security header, and never a descendant that merely has the same name.
 *
 * @returns in document order; empty where the part is absent
 */
export function selectPart(scope: PartScope, part: Part): NodeId[] {
  const { doc, envelope } = scope;
  const { target } = part;
  switch (target.kind) {
    case 'body':
      return [envelope.body];
    case 'timestamp':
      return childrenNamed(doc, scope.securityHeader, { namespace: ns.wsu, local: 'Timestamp' });
    case 'signature':
      return [scope.signature(target.name)].filter((element) => element !== NONE);
    case 'header':
      return childrenNamed(doc, envelope.header, target.path[0]);
    case 'body-path':
      return target.path.reduce<NodeId[]>(
        (parents, name) => parents.flatMap((parent) => childrenNamed(doc, parent, name)),
        [envelope.body],
      );
    case 'id': {
      const element = doc.elementById(target.id);
      return element === undefined ? [] : [element];
    }
  }
}

function childrenNamed(doc: XmlDocument, parent: NodeId, { namespace, local }: PartName): NodeId[] {
  const found: NodeId[] = [];
  if (parent === NONE) return found;
  for (let child = doc.firstChild(parent); child !== NONE; child = doc.nextSibling(child))
    if (doc.is(child, namespace, local)) found.push(child);
  return found;
}
