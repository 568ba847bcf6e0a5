/** ds:Reference: read strictly, resolved to an element, digested. */
import { equal } from '../../core/bytes.js';
import { CountersignError } from '../../core/errors.js';
import { ns, type NodeId, type XmlDocument } from '../../xml/index.js';
import type { DigestDescriptor } from '../algorithms/descriptor.js';
import {
  childElements,
  onlyAttributes,
  onlyEmpty,
  referencedId,
  requiredAttribute,
  structureError,
} from '../structure.js';
import type { Toolkit } from '../toolkit.js';
import {
  checkTransform,
  readCanonicalisation,
  transformDenied,
  type Canonicalisation,
} from './c14n-method.js';
import { digestElement, type OctetTools } from './octets.js';

/** A Reference as its Signature has it; not resolved yet. */
export interface SignedReference {
  readonly element: NodeId;
  readonly id: string;
  readonly canonicalisation: Canonicalisation;
  readonly digest: DigestDescriptor;
  readonly value: Uint8Array;
}

/** XMLDSIG §4.4.3.2: without a canonicalisation a node-set becomes octets by Canonical XML 1.0. */
const implied = 'c14n';

/**
 * Reads a Reference and judges its algorithms.
 *
 * @throws CountersignError REFERENCE_FORBIDDEN, TRANSFORM_DENIED, SECURITY_STRUCTURE, SECURITY_LIMIT, ALGORITHM_UNKNOWN,
 *   ALGORITHM_DENIED, ALGORITHM_EXPIRED, DIGEST_MISMATCH, XML_BASE64, XML_NOT_TEXT
 */
export function readReference(doc: XmlDocument, element: NodeId, toolkit: Toolkit): SignedReference {
  onlyAttributes(doc, element, ['Id', 'URI', 'Type']);
  const type = doc.attribute(element, '', 'Type');
  if (type === `${ns.ds}Manifest`) {
    // BSP R5403; a Manifest's own digests are for the application to check, and cover nothing (XSW-24).
    throw new CountersignError('REFERENCE_FORBIDDEN', 'a reference to a Manifest is not accepted', {
      details: { element: doc.path(element) },
    });
  }
  const id = referencedId(doc, element, doc.attribute(element, '', 'URI'));
  const children = childElements(doc, element);
  const first = children[0];
  const transforms = first !== undefined && doc.is(first, ns.ds, 'Transforms') ? children.shift() : undefined;
  const [method, value, ...more] = children;
  if (
    method === undefined ||
    value === undefined ||
    more.length > 0 ||
    !doc.is(method, ns.ds, 'DigestMethod') ||
    !doc.is(value, ns.ds, 'DigestValue')
  ) {
    throw structureError(
      doc,
      element,
      'must hold Transforms, DigestMethod and DigestValue',
      'XMLDSIG §4.4.3',
    );
  }
  const canonicalisation = readTransforms(doc, element, transforms, toolkit);
  const digest = readDigestMethod(doc, method, toolkit);
  const octets = doc.base64(value);
  // A truncated digest is no digest (SIG-18).
  if (octets.length !== digest.length) {
    throw structureError(doc, value, `holds ${octets.length} octets, and ${digest.id} has ${digest.length}`);
  }
  return { element, id, canonicalisation, digest, value: octets };
}

function readDigestMethod(doc: XmlDocument, method: NodeId, toolkit: Toolkit): DigestDescriptor {
  onlyAttributes(doc, method, ['Algorithm']);
  onlyEmpty(doc, method);
  const digest = toolkit.algorithms.byUri(requiredAttribute(doc, method, 'Algorithm'), 'digest');
  toolkit.constraints.check(digest, 'verify', undefined, toolkit.clock.now());
  return digest;
}

/**
 * What the Transforms amount to. Only canonicalisation is accepted: whatever cuts nodes out of the part (XPath, XSLT,
 * enveloped-signature) would let something inside a covered element go unsigned.
 */
function readTransforms(
  doc: XmlDocument,
  reference: NodeId,
  transforms: NodeId | undefined,
  toolkit: Toolkit,
): Canonicalisation {
  if (transforms === undefined) return impliedCanonicalisation(doc, reference, toolkit);
  onlyAttributes(doc, transforms, []);
  const steps = childElements(doc, transforms);
  const limit = toolkit.limits.transforms;
  if (steps.length > limit) {
    throw new CountersignError('SECURITY_LIMIT', `more than ${limit} transforms in a reference`, {
      details: { limit: 'transforms', allowed: limit, found: steps.length },
    });
  }
  const [only, second] = steps;
  if (only === undefined) throw structureError(doc, transforms, 'is empty', 'XMLDSIG §4.4.3.4');
  for (const step of steps) {
    if (!doc.is(step, ns.ds, 'Transform'))
      throw structureError(doc, step, 'is no Transform', 'XMLDSIG §4.4.3.4');
  }
  const canonicalisation = readCanonicalisation(doc, only, toolkit);
  // After a canonicalisation there are octets, which no further transform may turn into nodes again.
  if (second !== undefined) {
    throw transformDenied(doc, second, requiredAttribute(doc, second, 'Algorithm'));
  }
  return canonicalisation;
}

function impliedCanonicalisation(doc: XmlDocument, reference: NodeId, toolkit: Toolkit): Canonicalisation {
  const descriptor = toolkit.algorithms.byId(implied, 'c14n');
  checkTransform(doc, reference, descriptor, toolkit);
  const { id, algorithm, comments } = descriptor;
  return { id, method: { algorithm, comments } };
}

/**
 * Resolves a reference and compares the digest.
 *
 * @returns the element that is covered
 * @throws CountersignError REFERENCE_UNRESOLVED, DIGEST_MISMATCH, SECURITY_LIMIT
 */
export function checkReference(reference: SignedReference, tools: OctetTools): NodeId {
  const { doc } = tools;
  const element = doc.elementById(reference.id);
  if (element === undefined) {
    throw new CountersignError(
      'REFERENCE_UNRESOLVED',
      `no element has the id ${reference.id.slice(0, 200)}`,
      {
        details: { id: reference.id.slice(0, 200) },
      },
    );
  }
  // XMLDSIG §4.4.3.3: a same-document reference by id leaves comments out, whatever the transform says (C14-04).
  const method = { ...reference.canonicalisation.method, comments: false };
  const digest = digestElement(tools, element, method, reference.digest);
  if (equal(digest, reference.value)) return element;
  throw new CountersignError('DIGEST_MISMATCH', `${doc.path(element)} is not as it was signed`, {
    details: { id: reference.id.slice(0, 200), element: doc.path(element), digest: reference.digest.id },
  });
}
