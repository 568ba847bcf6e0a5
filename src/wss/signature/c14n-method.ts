/** Reads a canonicalisation: a CanonicalizationMethod, or a Transform that is one. */
import { CountersignError, isCountersignError } from '../../core/errors.js';
import { ns, type C14nMethod, type NodeId, type XmlDocument } from '../../xml/index.js';
import type { C14nDescriptor } from '../algorithms/descriptor.js';
import { childElements, onlyAttributes, onlyEmpty, requiredAttribute, structureError } from '../structure.js';
import type { Toolkit } from '../toolkit.js';

/** A canonicalisation with its parameters. */
export interface Canonicalisation {
  readonly id: string;
  readonly method: C14nMethod;
}

const whiteSpace = /[ \t\r\n]+/u;

/**
 * Reads an element whose Algorithm must be a canonicalisation that the policy allows.
 *
 * @throws CountersignError TRANSFORM_DENIED (SIG-08 to SIG-11), ALGORITHM_EXPIRED, SECURITY_STRUCTURE, SECURITY_LIMIT
 */
export function readCanonicalisation(doc: XmlDocument, element: NodeId, toolkit: Toolkit): Canonicalisation {
  onlyAttributes(doc, element, ['Algorithm']);
  const uri = requiredAttribute(doc, element, 'Algorithm');
  const descriptor = toolkit.algorithms.find(uri, 'c14n');
  if (descriptor === undefined) throw transformDenied(doc, element, uri);
  checkTransform(doc, element, descriptor, toolkit);
  const { algorithm, comments } = descriptor;
  const [child, ...more] = childElements(doc, element);
  if (child === undefined) return { id: descriptor.id, method: { algorithm, comments } };
  if (more.length > 0 || algorithm !== 'exclusive' || !doc.is(child, ns.excC14n, 'InclusiveNamespaces')) {
    throw structureError(doc, child, 'is no parameter of this canonicalisation');
  }
  return {
    id: descriptor.id,
    method: { algorithm, comments, inclusivePrefixes: readPrefixes(doc, child, toolkit.limits.prefixes) },
  };
}

/**
 * Judges a canonicalisation for `verify`.
 *
 * @throws CountersignError TRANSFORM_DENIED, ALGORITHM_EXPIRED
 */
export function checkTransform(
  doc: XmlDocument,
  element: NodeId,
  descriptor: C14nDescriptor,
  toolkit: Toolkit,
): void {
  try {
    toolkit.constraints.check(descriptor, 'verify', undefined, toolkit.clock.now());
  } catch (error) {
    if (!isCountersignError(error) || error.code !== 'ALGORITHM_DENIED') throw error;
    throw transformDenied(doc, element, descriptor.uri, descriptor.id);
  }
}

function readPrefixes(doc: XmlDocument, element: NodeId, limit: number): readonly string[] {
  onlyAttributes(doc, element, ['PrefixList']);
  onlyEmpty(doc, element);
  const prefixes = requiredAttribute(doc, element, 'PrefixList')
    .split(whiteSpace)
    .filter((word) => word !== '');
  if (prefixes.length > limit) {
    throw new CountersignError('SECURITY_LIMIT', `more than ${limit} prefixes in a PrefixList`, {
      details: { limit: 'prefixes', allowed: limit, found: prefixes.length },
    });
  }
  return prefixes;
}

/** TRANSFORM_DENIED for an Algorithm. @param id its policy id, where an `allow` entry would help */
export function transformDenied(
  doc: XmlDocument,
  element: NodeId,
  uri: string,
  id?: string,
): CountersignError {
  const shown = uri.slice(0, 200);
  const remedy = id === undefined ? '' : `; the policy does not allow ${id} for verify`;
  return new CountersignError(
    'TRANSFORM_DENIED',
    `${doc.localName(element)} ${shown} is not accepted${remedy}`,
    {
      details: { element: doc.path(element), uri: shown, ...(id === undefined ? {} : { algorithm: id }) },
    },
  );
}
