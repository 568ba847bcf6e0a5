/** Encrypts parts of a message for one recipient (WSS 1.1.1 §9). */
import { asBuffer, PIECE, wipe } from '../../core/bytes.js';
import { CountersignError } from '../../core/errors.js';
import type { PartTimer } from '../../core/timer.js';
import type { Certificate } from '../../pki/types.js';
import type { CipherAlgorithm, KeyHandle } from '../../providers/contract.js';
import { Base64Writer, NONE, type Envelope, type NodeId, type XmlDocument } from '../../xml/index.js';
import type { CipherDescriptor } from '../algorithms/descriptor.js';
import { insertionPoint } from '../header.js';
import { newId } from '../ids.js';
import type { ReferenceStyle } from '../references/types.js';
import { writeKeyInfo } from '../references/write.js';
import type { Toolkit } from '../toolkit.js';
import { encryptedDataFrame, type EncryptionMode } from './encrypted-data.js';
import { encryptedHeaderFrame } from './encrypted-header.js';
import { wrapAlgorithm, writeEncryptedKey, type Transport } from './encrypted-key.js';

export interface EncryptionTarget {
  readonly element: NodeId;
  readonly mode: EncryptionMode;
}

export interface EncryptionRequest {
  /** The recipient; a KeyEntry fits. */
  readonly to: { readonly certificate: Certificate; readonly publicKey: KeyHandle };
  /** Its name in the timing record. */
  readonly keyName: string;
  readonly targets: readonly EncryptionTarget[];
  readonly cipher: CipherDescriptor;
  readonly transport: Transport;
  readonly reference: ReferenceStyle;
}

/** The message that is worked on. */
export interface EncryptionScope {
  readonly document: XmlDocument;
  readonly envelope: Envelope;
  /** The Security header that the EncryptedKey goes into. */
  readonly header: NodeId;
  readonly toolkit: Toolkit;
  readonly timer: PartTimer;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Encrypts the targets under one fresh key and puts the EncryptedKey, with its token just before it, in front of what
 * the Security header has after the Timestamp. A target inside another one is encrypted with that.
 *
 * @returns the EncryptedKey
 * @throws CountersignError RECIPIENT_CERTIFICATE_EXPIRED, ALGORITHM_DENIED, ALGORITHM_EXPIRED, KEY_TOO_WEAK,
 *   PART_MISSING (no target), SECURITY_STRUCTURE (a target that SOAP does not let be encrypted)
 */
export function encryptParts(scope: EncryptionScope, request: EncryptionRequest): NodeId {
  const { document, toolkit, timer } = scope;
  checkRequest(scope, request);
  timer.label({ key: request.keyName, provider: toolkit.crypto.provider });

  timer.part('key-wrap');
  const keyBytes = toolkit.random.bytes(request.cipher.keyBits / 8);
  const wrapped = toolkit.crypto.wrapKey(wrapAlgorithm(request.transport), request.to.publicKey, keyBytes);
  const key = toolkit.crypto.importSecretKey(keyBytes);
  wipe(keyBytes);

  const keyId = newId('EK', toolkit.random);
  const references = outermost(document, request.targets).map((target) => {
    const id = newId('ED', toolkit.random);
    encryptTarget(scope, target, { id, keyId, cipher: request.cipher, key });
    return id;
  });

  timer.part('token');
  const { keyInfo, token } = writeKeyInfo(request.reference, request.to.certificate, toolkit);
  timer.part('write');
  const xml = writeEncryptedKey({ id: keyId, transport: request.transport, keyInfo, wrapped, references });
  const [element = NONE] = document.insert(scope.header, insertionPoint(document, scope.header), xml);
  if (token !== undefined) document.insert(scope.header, element, token);
  timer.part(undefined);
  return element;
}

function checkRequest(scope: EncryptionScope, request: EncryptionRequest): void {
  const { document, envelope, now } = scope;
  const { constraints } = scope.toolkit;
  const { certificate, publicKey } = request.to;
  if (now > certificate.notAfter) {
    throw new CountersignError(
      'RECIPIENT_CERTIFICATE_EXPIRED',
      'the certificate of the recipient has expired',
      {
        details: { subject: certificate.subject.toString(), notAfter: certificate.notAfter },
      },
    );
  }
  constraints.check(request.cipher, 'encrypt', undefined, now);
  constraints.check(request.transport.descriptor, 'encrypt', publicKey, now);
  for (const parameter of [request.transport.digest, request.transport.mgf]) {
    if (parameter !== undefined) constraints.check(parameter, 'encrypt', undefined, now);
  }
  if (request.targets.length === 0) throw new CountersignError('PART_MISSING', 'there is nothing to encrypt');
  // WSS 1.1.1 §9: Envelope, Header and Body must stay readable as such; the Security header names what is encrypted.
  const fixed = [envelope.root, envelope.header, envelope.body, scope.header];
  for (const { element, mode } of request.targets) {
    const readable =
      mode === 'element' ? fixed.includes(element) : fixed.includes(element) && element !== envelope.body;
    if (!readable) continue;
    throw new CountersignError(
      'SECURITY_STRUCTURE',
      `${document.path(element)} must not be encrypted as a whole`,
    );
  }
}

/** Targets that lie in no other target, each once. */
function outermost(document: XmlDocument, targets: readonly EncryptionTarget[]): EncryptionTarget[] {
  return targets.filter((target, index) =>
    targets.every((other, position) => {
      if (index === position || !document.contains(other.element, target.element)) return true;
      if (other.element !== target.element) return false;
      // The same element twice: as an element before as content, and the first of two alike.
      return other.mode === target.mode ? index < position : target.mode === 'element';
    }),
  );
}

interface ContentKey {
  readonly id: string;
  readonly keyId: string;
  readonly cipher: CipherDescriptor;
  readonly key: KeyHandle;
}

function encryptTarget(scope: EncryptionScope, target: EncryptionTarget, content: ContentKey): void {
  const { document, envelope, timer } = scope;
  const { element, mode } = target;
  timer.part('cipher');
  const frame = encryptedDataFrame({ ...content, mode });
  const isBlock =
    mode === 'element' && envelope.header !== NONE && document.parent(element) === envelope.header;
  const outer = isBlock
    ? encryptedHeaderFrame(document, element, scope.toolkit.random)
    : { start: '', end: '' };
  const text = seal(scope, document.slices(element, mode), content);
  timer.part('write');
  const fragment = outer.start + frame.start + frame.end + outer.end;
  const top =
    mode === 'content'
      ? document.replaceContent(element, fragment)
      : document.replaceElement(element, fragment);
  document.fill(lastLeaf(document, top[0] ?? NONE), text);
}

/** The CipherValue of a frame: it stands last in whatever holds it. */
function lastLeaf(document: XmlDocument, top: NodeId): NodeId {
  let leaf = top;
  for (let at = document.firstChild(top); at !== NONE; at = document.nextSibling(at)) leaf = at;
  return leaf === top ? top : lastLeaf(document, leaf);
}

/** The base64 of IV, ciphertext and tag. */
function seal(
  { document, toolkit }: EncryptionScope,
  slices: readonly Uint8Array[],
  { cipher, key }: ContentKey,
): Base64Writer {
  const iv = toolkit.random.bytes(cipher.ivLength);
  const writer = new Base64Writer(sealedLength(cipher, slices), document.scratch);
  writer.write(iv);
  const encryptor = toolkit.crypto.createEncryptor(cipherAlgorithm(cipher, iv), key);
  for (const slice of slices) {
    const bytes = asBuffer(slice);
    for (let at = 0; at < bytes.length; at += PIECE)
      writer.write(encryptor.update(bytes.subarray(at, at + PIECE)));
  }
  writer.write(encryptor.final());
  return writer;
}

/** Bytes of IV, ciphertext and tag; with CBC, padding is at least one byte (XMLENC 1.1 §5.2). */
function sealedLength(cipher: CipherDescriptor, slices: readonly Uint8Array[]): number {
  let plain = 0;
  for (const slice of slices) plain += slice.length;
  if (cipher.authenticated) return cipher.ivLength + plain + cipher.tagLength;
  const block = cipher.ivLength;
  return block + (Math.floor(plain / block) + 1) * block;
}

/** The provider's record for a cipher. */
export function cipherAlgorithm(cipher: CipherDescriptor, iv: Uint8Array): CipherAlgorithm {
  return cipher.name === 'AES-GCM' ? { name: cipher.name, iv, tagLength: 128 } : { name: cipher.name, iv };
}
