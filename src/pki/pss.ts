import type { SignatureAlgorithm } from '../core/contracts.js';
import { childrenOf, context, type DerCursor, type DerElement, oidOf, smallInteger, tags } from './der.js';
import { hashOids, oids } from './oids.js';

export type PssAlgorithm = Extract<SignatureAlgorithm, { name: 'RSA-PSS' }>;

/**
 * RSASSA-PSS-params (RFC 4055 §3.1): what is left of an AlgorithmIdentifier. Absent fields mean SHA-1, MGF1 with SHA-1, 20.
 *
 * @returns undefined for hash functions that are not known
 * @throws DerError
 */
export function readPss(algorithm: DerCursor): PssAlgorithm | undefined {
  if (algorithm.done) return { name: 'RSA-PSS', hash: 'SHA-1', mgfHash: 'SHA-1', saltLength: 20 };
  const fields = childrenOf(algorithm.take(tags.sequence));
  algorithm.end();
  const hashField = fields.optional(context(0, true));
  const mgfField = fields.optional(context(1, true));
  const saltField = fields.optional(context(2, true));
  const trailer = fields.optional(context(3, true));
  fields.end();
  const hash = hashField === undefined ? 'SHA-1' : hashIn(childrenOf(hashField).take(tags.sequence));
  const mgfHash = mgfField === undefined ? 'SHA-1' : mgfHashIn(childrenOf(mgfField).take(tags.sequence));
  const saltLength = saltField === undefined ? 20 : smallInteger(childrenOf(saltField).take(tags.integer));
  if (hash === undefined || mgfHash === undefined || trailer !== undefined) return undefined;
  return { name: 'RSA-PSS', hash, mgfHash, saltLength };
}

function hashIn(algorithm: DerElement): ReturnType<typeof hashOids.get> {
  return hashOids.get(oidOf(childrenOf(algorithm).take(tags.oid)));
}

function mgfHashIn(algorithm: DerElement): ReturnType<typeof hashOids.get> {
  const fields = childrenOf(algorithm);
  return oidOf(fields.take(tags.oid)) === oids.mgf1 ? hashIn(fields.take(tags.sequence)) : undefined;
}
