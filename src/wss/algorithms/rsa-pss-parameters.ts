/** The RSASSA-PSS identifier that says its parameters in a child element (RFC 9231 §2.3.9). */
import { CountersignError } from '../../core/errors.js';
import { ns, type NodeId, type XmlDocument } from '../../xml/index.js';
import { childElements, onlyAttributes, onlyChild, requiredAttribute, structureError } from '../structure.js';
import type { DigestDescriptor, SignatureDescriptor } from './descriptor.js';
import type { AlgorithmTable } from './table.js';

const namespace = 'http://www.w3.org/2007/05/xmldsig-more#';
const rsaKey = Object.freeze({ kind: 'RSA' } as const);

/** The children of RSAPSSParams, in their order; each may be absent. */
const names = ['DigestMethod', 'MaskGenerationFunction', 'SaltLength', 'TrailerField'] as const;
type Name = (typeof names)[number];

/**
 * Only the parameters that the plain identifiers stand for are accepted: MGF1 with the digest's own hash, a salt as
 * long as the digest, trailer 1 (SIG-15).
 */
function refine(doc: XmlDocument, method: NodeId, table: AlgorithmTable): SignatureDescriptor {
  const [params, ...more] = childElements(doc, method);
  // RFC 9231 §2.3.9: everything has a default, the element itself included.
  if (params === undefined) return pssWith(doc, method, table.byId('sha256', 'digest'), table);
  if (more.length > 0 || !doc.is(params, namespace, 'RSAPSSParams')) {
    throw structureError(doc, method, 'must hold RSAPSSParams and nothing else', 'RFC 9231 §2.3.9');
  }
  const found = fields(doc, params);
  const digest = digestOf(doc, found.get('DigestMethod'), table);
  const mask = found.get('MaskGenerationFunction');
  const salt = integer(doc, found.get('SaltLength'), digest.length);
  const trailer = integer(doc, found.get('TrailerField'), 1);
  if (maskDigest(doc, mask, table).hash !== digest.hash || salt !== digest.length || trailer !== 1) {
    throw new CountersignError(
      'ALGORITHM_DENIED',
      'RSA-PSS is accepted with MGF1 of the same hash, a salt as long as the digest and trailer 1',
      { details: { element: doc.path(params), digest: digest.id, salt, trailer } },
    );
  }
  return pssWith(doc, method, digest, table);
}

function fields(doc: XmlDocument, params: NodeId): Map<Name, NodeId> {
  onlyAttributes(doc, params, []);
  const found = new Map<Name, NodeId>();
  let next = 0;
  for (const child of childElements(doc, params)) {
    const index = names.findIndex((name, at) => at >= next && isField(doc, child, name));
    const name = names[index];
    if (name === undefined) throw structureError(doc, child, 'is no parameter of RSA-PSS', 'RFC 9231 §2.3.9');
    found.set(name, child);
    next = index + 1;
  }
  return found;
}

const isField = (doc: XmlDocument, element: NodeId, name: Name): boolean =>
  doc.is(element, name === 'DigestMethod' ? ns.ds : namespace, name);

function digestOf(doc: XmlDocument, method: NodeId | undefined, table: AlgorithmTable): DigestDescriptor {
  if (method === undefined) return table.byId('sha256', 'digest');
  onlyAttributes(doc, method, ['Algorithm']);
  return table.byUri(requiredAttribute(doc, method, 'Algorithm'), 'digest');
}

function maskDigest(doc: XmlDocument, mask: NodeId | undefined, table: AlgorithmTable): DigestDescriptor {
  if (mask === undefined) return table.byId('sha256', 'digest');
  onlyAttributes(doc, mask, ['Algorithm']);
  const uri = requiredAttribute(doc, mask, 'Algorithm');
  if (uri !== `${namespace}MGF1`) {
    throw new CountersignError(
      'ALGORITHM_UNKNOWN',
      `${uri.slice(0, 200)} is not a known mask generation function`,
    );
  }
  return digestOf(doc, onlyChild(doc, mask, 'RFC 9231 §2.3.9'), table);
}

function integer(doc: XmlDocument, element: NodeId | undefined, otherwise: number): number {
  if (element === undefined) return otherwise;
  const text = doc.text(element);
  if (!/^\d{1,4}$/u.test(text)) throw structureError(doc, element, 'is not a small number');
  return Number(text);
}

function pssWith(
  doc: XmlDocument,
  method: NodeId,
  digest: DigestDescriptor,
  table: AlgorithmTable,
): SignatureDescriptor {
  const { hash, length } = digest;
  const id = table.signatureId({ name: 'RSA-PSS', hash, mgfHash: hash, saltLength: length });
  if (id !== undefined) return table.byId(id, 'signature');
  throw new CountersignError('ALGORITHM_UNKNOWN', `RSA-PSS with ${digest.id} is not known`, {
    details: { element: doc.path(method), digest: digest.id },
  });
}

export const rsaPssParameterAlgorithms: readonly SignatureDescriptor[] = Object.freeze([
  Object.freeze({
    kind: 'signature',
    id: 'rsa-pss',
    uri: `${namespace}rsa-pss`,
    status: 'current',
    clause: 'RFC 9231 §2.3.9',
    key: rsaKey,
    algorithm: Object.freeze({ name: 'RSA-PSS', hash: 'SHA-256', mgfHash: 'SHA-256', saltLength: 32 }),
    refine,
  } satisfies SignatureDescriptor),
]);
