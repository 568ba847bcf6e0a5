import { asBuffer } from '../../core/bytes.js';
import { CountersignError } from '../../core/errors.js';
import type { WrapAlgorithm } from '../../providers/contract.js';
import { NONE, ns, type NodeId, type XmlDocument } from '../../xml/index.js';
import type { DigestDescriptor, KeyTransportDescriptor, MgfDescriptor } from '../algorithms/descriptor.js';
import type { AlgorithmTable } from '../algorithms/table.js';
import { childElements, referencedId, requiredAttribute, structureError } from '../structure.js';
import { readEncryptedType } from './encrypted-type.js';

/** Key transport with its parameters. */
export interface Transport {
  readonly descriptor: KeyTransportDescriptor;
  /** Hash of the label; undefined without OAEP. */
  readonly digest: DigestDescriptor | undefined;
  readonly mgf: MgfDescriptor | undefined;
  readonly label: Uint8Array | undefined;
}

/** An xenc:EncryptedKey that was read, not yet unwrapped. */
export interface EncryptedKey {
  readonly element: NodeId;
  readonly id: string | undefined;
  readonly transport: Transport;
  readonly keyInfo: NodeId;
  readonly cipherValue: NodeId;
  /** Ids of the EncryptedData that the ReferenceList names; empty where there is no list. */
  readonly references: readonly string[];
}

/**
 * Reads an EncryptedKey; no key is used.
 *
 * @throws CountersignError SECURITY_STRUCTURE, ALGORITHM_UNKNOWN, REFERENCE_FORBIDDEN
 */
export function readEncryptedKey(doc: XmlDocument, element: NodeId, table: AlgorithmTable): EncryptedKey {
  if (!doc.is(element, ns.xenc, 'EncryptedKey')) throw structureError(doc, element, 'is no EncryptedKey');
  const read = readEncryptedType(doc, element);
  const [list, ...others] = read.rest;
  // CarriedKeyName among them: a name, unlike an id, can be claimed by several keys.
  if (others.length > 0 || (list !== undefined && !doc.is(list, ns.xenc, 'ReferenceList'))) {
    throw structureError(doc, element, 'has children other than one ReferenceList after its CipherData');
  }
  return {
    element,
    id: read.id,
    transport: readTransport(doc, read.method, table.byUri(read.algorithm, 'key-transport'), table),
    keyInfo: read.keyInfo,
    cipherValue: read.cipherValue,
    references: list === undefined ? [] : readReferenceList(doc, list),
  };
}

/**
 * The ids that a ReferenceList names, in order.
 *
 * @throws CountersignError SECURITY_STRUCTURE, REFERENCE_FORBIDDEN
 */
export function readReferenceList(doc: XmlDocument, list: NodeId): string[] {
  const ids = childElements(doc, list).map((reference) => {
    // A KeyReference would chain keys; children of a DataReference are transforms, which say what part is meant.
    if (!doc.is(reference, ns.xenc, 'DataReference') || doc.firstChild(reference) !== NONE) {
      throw new CountersignError('REFERENCE_FORBIDDEN', `${doc.path(reference)} is no plain DataReference`, {
        details: { place: doc.path(reference) },
      });
    }
    return referencedId(doc, reference, doc.attribute(reference, '', 'URI'));
  });
  if (ids.length === 0) throw structureError(doc, list, 'is empty');
  if (new Set(ids).size !== ids.length) throw structureError(doc, list, 'names one element twice');
  return ids;
}

/** OAEP parameters as XMLENC 1.1 §5.5.2 has them: what is not stated is SHA-1, and the empty label. */
function readTransport(
  doc: XmlDocument,
  method: NodeId,
  descriptor: KeyTransportDescriptor,
  table: AlgorithmTable,
): Transport {
  const children = childElements(doc, method);
  /** The child of that name; a second one stays behind, and whatever stays behind refuses. */
  const take = (namespace: string, local: string): NodeId | undefined => {
    const index = children.findIndex((child) => doc.is(child, namespace, local));
    return index < 0 ? undefined : children.splice(index, 1)[0];
  };
  const oaep = descriptor.name === 'RSA-OAEP';
  const digest = oaep ? take(ns.ds, 'DigestMethod') : undefined;
  const mgf = descriptor.mgf === 'stated' ? take(ns.xenc11, 'MGF') : undefined;
  const label = oaep ? take(ns.xenc, 'OAEPparams') : undefined;
  if (children.length > 0)
    throw structureError(doc, method, `has parameters that ${descriptor.id} does not take`);
  if (!oaep) return { descriptor, digest: undefined, mgf: undefined, label: undefined };
  return {
    descriptor,
    digest:
      digest === undefined
        ? table.byId('sha1', 'digest')
        : table.byUri(requiredAttribute(doc, digest, 'Algorithm'), 'digest'),
    mgf:
      mgf === undefined
        ? table.byId('mgf1-sha1', 'mgf')
        : table.byUri(requiredAttribute(doc, mgf, 'Algorithm'), 'mgf'),
    label: label === undefined ? undefined : doc.base64(label),
  };
}

/** The provider's record for a transport. */
export function wrapAlgorithm(transport: Transport): WrapAlgorithm {
  const { descriptor, digest, mgf, label } = transport;
  if (descriptor.name === 'RSAES-PKCS1-v1_5' || digest === undefined || mgf === undefined) {
    return { name: 'RSAES-PKCS1-v1_5' };
  }
  const algorithm = { name: 'RSA-OAEP', hash: digest.hash, mgfHash: mgf.hash } as const;
  return label === undefined ? algorithm : { ...algorithm, label };
}

/** Policy ids of a transport and its parameters, for constraints, log and counters. */
export function transportIds(transport: Transport): string[] {
  const { descriptor, digest, mgf } = transport;
  const ids: string[] = [descriptor.id];
  if (digest !== undefined) ids.push(digest.id);
  if (mgf !== undefined) ids.push(mgf.id);
  return ids;
}

/** What an EncryptedKey is written from. */
export interface EncryptedKeyFields {
  /** An NCName, as all ids that we make. */
  readonly id: string;
  readonly transport: Transport;
  /** The ds:KeyInfo that names the recipient; the prefix `ds` is declared around it. */
  readonly keyInfo: string;
  readonly wrapped: Uint8Array;
  /** Ids of the EncryptedData under this key. */
  readonly references: readonly string[];
}

/** Writes an EncryptedKey; it declares every prefix that it uses. */
export function writeEncryptedKey({
  id,
  transport,
  keyInfo,
  wrapped,
  references,
}: EncryptedKeyFields): string {
  let list = '';
  for (const reference of references) list += `<xenc:DataReference URI="#${reference}"></xenc:DataReference>`;
  return (
    `<xenc:EncryptedKey xmlns:xenc="${ns.xenc}" xmlns:ds="${ns.ds}" Id="${id}">` +
    `<xenc:EncryptionMethod Algorithm="${transport.descriptor.uri}">${parametersOf(transport)}</xenc:EncryptionMethod>` +
    `${keyInfo}<xenc:CipherData><xenc:CipherValue>${asBuffer(wrapped).toString('base64')}</xenc:CipherValue>` +
    `</xenc:CipherData><xenc:ReferenceList>${list}</xenc:ReferenceList></xenc:EncryptedKey>`
  );
}

/** The children of the EncryptionMethod. */
function parametersOf({ descriptor, digest, mgf }: Transport): string {
  // Not written where it is the default of the older identifier: some of its readers stumble over it.
  const isImplied = descriptor.mgf === 'sha1' && digest?.id === descriptor.defaultDigest;
  const method =
    digest === undefined || isImplied ? '' : `<ds:DigestMethod Algorithm="${digest.uri}"></ds:DigestMethod>`;
  if (mgf === undefined || descriptor.mgf !== 'stated') return method;
  return `${method}<xenc11:MGF xmlns:xenc11="${ns.xenc11}" Algorithm="${mgf.uri}"></xenc11:MGF>`;
}
