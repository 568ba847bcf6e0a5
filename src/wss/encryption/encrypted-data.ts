import { EMPTY } from '../../core/bytes.js';
import { NONE, ns, type NodeId, type XmlDocument } from '../../xml/index.js';
import type { CipherDescriptor } from '../algorithms/descriptor.js';
import type { AlgorithmTable } from '../algorithms/table.js';
import { childElements, onlyChild, referencedId, structureError } from '../structure.js';
import { readEncryptedType } from './encrypted-type.js';

/** What was encrypted: the children of an element, or an element. */
export type EncryptionMode = 'content' | 'element';

/** An xenc:EncryptedData that was read, not yet decrypted. */
export interface EncryptedData {
  readonly element: NodeId;
  readonly id: string | undefined;
  readonly mode: EncryptionMode;
  readonly cipher: CipherDescriptor;
  /** NONE where the key is named by the EncryptedKey's ReferenceList alone. */
  readonly keyInfo: NodeId;
  readonly cipherValue: NodeId;
}

const types: Readonly<Record<string, EncryptionMode>> = {
  [`${ns.xenc}Content`]: 'content',
  [`${ns.xenc}Element`]: 'element',
};

/** Type of an EncryptedData that holds `mode`. */
export const typeOf = (mode: EncryptionMode): string =>
  mode === 'content' ? `${ns.xenc}Content` : `${ns.xenc}Element`;

/**
 * Reads an EncryptedData; no key is used.
 *
 * @throws CountersignError SECURITY_STRUCTURE, ALGORITHM_UNKNOWN, REFERENCE_FORBIDDEN
 */
export function readEncryptedData(doc: XmlDocument, element: NodeId, table: AlgorithmTable): EncryptedData {
  if (!doc.is(element, ns.xenc, 'EncryptedData')) throw structureError(doc, element, 'is no EncryptedData');
  const read = readEncryptedType(doc, element);
  if (read.rest.length > 0) throw structureError(doc, element, 'has children that do not belong there');
  // Without a Type the plaintext is octets of some kind: nothing that could be put into a message (ENC-15).
  const mode = read.type === undefined ? undefined : types[read.type];
  if (mode === undefined)
    throw structureError(doc, element, 'has a Type that is neither Element nor Content');
  const cipher = table.byUri(read.algorithm, 'cipher');
  checkKeySize(doc, read.method, cipher);
  return { element, id: read.id, mode, cipher, keyInfo: read.keyInfo, cipherValue: read.cipherValue };
}

/** The only parameter of a cipher is KeySize, and it may not contradict the algorithm (ENC-16). */
function checkKeySize(doc: XmlDocument, method: NodeId, cipher: CipherDescriptor): void {
  if (doc.firstChild(method) === NONE) return;
  const keySize = onlyChild(doc, method, 'XMLENC §3.2');
  if (!doc.is(keySize, ns.xenc, 'KeySize')) throw structureError(doc, method, 'has unknown parameters');
  if (doc.text(keySize).trim() === String(cipher.keyBits)) return;
  throw structureError(doc, keySize, `contradicts ${cipher.id}`);
}

/** The start of an EncryptedData up to its cipher value, and its end. */
export function encryptedDataFrame(fields: {
  readonly id: string;
  readonly mode: EncryptionMode;
  readonly cipher: CipherDescriptor;
  /** Id of the EncryptedKey. */
  readonly keyId: string;
}): { readonly start: string; readonly end: string } {
  const { id, mode, cipher, keyId } = fields;
  // KeyInfo is not needed where a ReferenceList names the data (BSP R5629), but .NET stacks look for it.
  return {
    start:
      `<xenc:EncryptedData xmlns:xenc="${ns.xenc}" Id="${id}" Type="${typeOf(mode)}">` +
      `<xenc:EncryptionMethod Algorithm="${cipher.uri}"></xenc:EncryptionMethod>` +
      `<ds:KeyInfo xmlns:ds="${ns.ds}"><wsse:SecurityTokenReference xmlns:wsse="${ns.wsse}"` +
      ` xmlns:wsse11="${ns.wsse11}" wsse11:TokenType="${encryptedKeyToken}">` +
      `<wsse:Reference URI="#${keyId}"></wsse:Reference></wsse:SecurityTokenReference></ds:KeyInfo>` +
      '<xenc:CipherData><xenc:CipherValue>',
    end: '</xenc:CipherValue></xenc:CipherData></xenc:EncryptedData>',
  };
}

/** TokenType of a reference to an EncryptedKey (WSS 1.1.1 §7.7, BSP R3069). */
const encryptedKeyToken = 'http://docs.oasis-open.org/wss/oasis-wss-soap-message-security-1.1#EncryptedKey';

/** The EncryptedKey that an EncryptedData names in its KeyInfo: embedded, by reference, or not at all. */
export interface KeyOfData {
  /** An xenc:EncryptedKey inside the KeyInfo; NONE where there is none. */
  readonly embedded: NodeId;
  /** Id of an EncryptedKey elsewhere. */
  readonly id: string | undefined;
}

/**
 * Reads the KeyInfo of an EncryptedData.
 *
 * @throws CountersignError SECURITY_STRUCTURE, REFERENCE_FORBIDDEN, for every other way of naming a key
 */
export function readKeyOfData(doc: XmlDocument, data: EncryptedData): KeyOfData {
  if (data.keyInfo === NONE) return { embedded: NONE, id: undefined };
  const child = onlyChild(doc, data.keyInfo, 'BSP R5424');
  if (doc.is(child, ns.xenc, 'EncryptedKey')) return { embedded: child, id: undefined };
  if (!doc.is(child, ns.wsse, 'SecurityTokenReference')) {
    throw structureError(doc, data.keyInfo, 'does not name an EncryptedKey');
  }
  const reference = onlyChild(doc, child, 'BSP R3061');
  if (!doc.is(reference, ns.wsse, 'Reference') || childElements(doc, reference).length > 0) {
    throw structureError(doc, child, 'does not name an EncryptedKey');
  }
  return { embedded: NONE, id: referencedId(doc, reference, doc.attribute(reference, '', 'URI')) };
}

/** An IV, the ciphertext, a tag; views of one array. */
export interface CipherParts {
  readonly iv: Uint8Array;
  readonly ciphertext: Uint8Array;
  readonly tag: Uint8Array;
}

/** Splits a cipher value; undefined when it is too short to be one. */
export function splitCipherValue(value: Uint8Array, cipher: CipherDescriptor): CipherParts | undefined {
  const end = value.length - cipher.tagLength;
  if (end < cipher.ivLength) return undefined;
  return {
    iv: value.subarray(0, cipher.ivLength),
    ciphertext: value.subarray(cipher.ivLength, end),
    tag: cipher.tagLength === 0 ? EMPTY : value.subarray(end),
  };
}
