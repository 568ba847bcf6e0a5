/** Signs parts of a message: one ds:Signature in the Security header (WSS 1.1.1 §8). */
import { asBuffer } from '../../core/bytes.js';
import { CountersignError } from '../../core/errors.js';
import type { PartTimer } from '../../core/timer.js';
import type { KeyEntry } from '../../providers/keys.js';
import { escapeAttribute, ns, NONE, type NodeId, type XmlDocument } from '../../xml/index.js';
import type { C14nDescriptor, DigestDescriptor, SignatureDescriptor } from '../algorithms/descriptor.js';
import { ensureId, newId } from '../ids.js';
import type { ReferenceStyle } from '../references/types.js';
import { writeKeyInfo } from '../references/write.js';
import type { Toolkit } from '../toolkit.js';
import { digestElement } from './octets.js';

/** Where the Signature goes. */
export interface Placement {
  /** The Security header. */
  readonly parent: NodeId;
  /** The child in front of which it is put; NONE = at the end. */
  readonly before: NodeId;
}

export interface SignRequest {
  readonly key: KeyEntry;
  /** Name of the key in the policy, for the timing record. */
  readonly keyName: string;
  /** At least one. */
  readonly elements: readonly NodeId[];
  readonly algorithm: SignatureDescriptor;
  readonly digest: DigestDescriptor;
  readonly reference: ReferenceStyle;
}

/**
 * Signs elements and inserts the Signature, its token just before it. An element without an id gets a `wsu:Id`.
 *
 * @returns the ds:Signature
 * @throws CountersignError ALGORITHM_DENIED, ALGORITHM_EXPIRED, KEY_TOO_WEAK, PART_MISSING, OPERATION_UNSUPPORTED,
 *   PROVIDER_FAILED
 */
export async function signParts(
  doc: XmlDocument,
  placement: Placement,
  request: SignRequest,
  toolkit: Toolkit,
  timer: PartTimer,
): Promise<NodeId> {
  const { key, algorithm, digest } = request;
  const { privateKey } = key;
  if (request.elements.length === 0) throw new CountersignError('PART_MISSING', 'there is nothing to sign');
  if (privateKey === undefined) {
    throw new CountersignError('OPERATION_UNSUPPORTED', `the key ${request.keyName} has no private half`);
  }
  const now = toolkit.clock.now();
  toolkit.constraints.check(algorithm, 'sign', privateKey, now);
  toolkit.constraints.check(digest, 'sign', undefined, now);
  timer.label({
    key: request.keyName,
    ...(privateKey.provider === toolkit.crypto.provider ? {} : { provider: privateKey.provider }),
  });

  const c14n = toolkit.algorithms.byId('exc-c14n', 'c14n');
  const ids = request.elements.map((element) => ensureId(doc, element, toolkit.random));
  const tools = { doc, crypto: toolkit.crypto, timer, budget: undefined };
  const method = { algorithm: c14n.algorithm, comments: c14n.comments };
  const references = request.elements.map((element, index) =>
    referenceXml(ids[index] ?? '', digestElement(tools, element, method, digest), digest, c14n),
  );

  timer.part('signed-info');
  const content = signedInfoContent(algorithm, c14n, references);
  const data = Buffer.from(`<ds:SignedInfo xmlns:ds="${ns.ds}">${content}</ds:SignedInfo>`, 'utf8');
  timer.part(undefined);
  const value = await toolkit.crypto.sign(algorithm.algorithm, privateKey, data, timer);

  timer.part('write');
  const { keyInfo, token } = writeKeyInfo(request.reference, key.certificate, toolkit);
  const signature =
    `<ds:Signature xmlns:ds="${ns.ds}" Id="${newId('SIG', toolkit.random)}">` +
    `<ds:SignedInfo>${content}</ds:SignedInfo>` +
    `<ds:SignatureValue>${asBuffer(value).toString('base64')}</ds:SignatureValue>${keyInfo}</ds:Signature>`;
  const inserted = doc.insert(placement.parent, placement.before, `${token ?? ''}${signature}`);
  timer.part(undefined);
  return inserted.at(-1) ?? NONE;
}

/**
 * What stands inside SignedInfo, written as exclusive canonicalisation would write it: attributes in order, no empty
 * tags, nothing but the prefix `ds`. So the octets that are signed are these, in front of them the start tag with its
 * one namespace declaration, and nothing has to be canonicalised.
 */
function signedInfoContent(
  algorithm: SignatureDescriptor,
  c14n: C14nDescriptor,
  references: readonly string[],
): string {
  return (
    `<ds:CanonicalizationMethod Algorithm="${c14n.uri}"></ds:CanonicalizationMethod>` +
    `<ds:SignatureMethod Algorithm="${algorithm.uri}"></ds:SignatureMethod>${references.join('')}`
  );
}

/** BSP R5416, R5423: a Reference has Transforms, and the last one is exclusive canonicalisation. */
function referenceXml(id: string, value: Uint8Array, digest: DigestDescriptor, c14n: C14nDescriptor): string {
  return (
    `<ds:Reference URI="#${escapeAttribute(id)}"><ds:Transforms>` +
    `<ds:Transform Algorithm="${c14n.uri}"></ds:Transform></ds:Transforms>` +
    `<ds:DigestMethod Algorithm="${digest.uri}"></ds:DigestMethod>` +
    `<ds:DigestValue>${asBuffer(value).toString('base64')}</ds:DigestValue></ds:Reference>`
  );
}
