/**
 * Decrypts what EncryptedKeys and ReferenceLists of a Security header name (WSS 1.1.1 §9.4).
 *
 * Everything that can be refused without a key is refused first, with its own code. From the first use of a private
 * key on, every failure is one DECRYPT_FAILED: padding, tag, length, inner XML and inner type must not be told apart
 * (XMLENC 1.1 §6.1.3; Jager and Somorovsky 2011).
 */
import { PIECE, wipe } from '../../core/bytes.js';
import { CountersignError, isCountersignError } from '../../core/errors.js';
import type { PartTimer } from '../../core/timer.js';
import type { Certificate } from '../../pki/types.js';
import type { KeyHandle } from '../../providers/contract.js';
import { decryptFailed } from '../../providers/failures.js';
import type { KeyRing } from '../../providers/keys.js';
import { NONE, ns, type Envelope, type NodeId, type XmlDocument } from '../../xml/index.js';
import type { CipherDescriptor } from '../algorithms/descriptor.js';
import type { DecryptedFact } from '../evidence.js';
import { readKeyInfo } from '../references/read.js';
import { matchingEntries } from '../references/resolve.js';
import { structureError } from '../structure.js';
import type { TokenIndex } from '../tokens/index-tokens.js';
import type { Toolkit } from '../toolkit.js';
import { cipherAlgorithm } from './encrypt.js';
import {
  readEncryptedData,
  readKeyOfData,
  splitCipherValue,
  type CipherParts,
  type EncryptedData,
} from './encrypted-data.js';
import { replacedBy } from './encrypted-header.js';
import {
  readEncryptedKey,
  readReferenceList,
  transportIds,
  wrapAlgorithm,
  type EncryptedKey,
} from './encrypted-key.js';

/** A decrypt step that may take an EncryptedKey. */
export interface DecryptCandidate {
  /** Name of the step, for the evidence. */
  readonly step: string;
  readonly keys: KeyRing;
  /** CBC ciphertext is taken without a verified signature over it. */
  readonly unauthenticatedCbc: boolean;
}

export interface DecryptionInput {
  readonly document: XmlDocument;
  readonly envelope: Envelope;
  readonly tokens: TokenIndex;
  /** In list order; the first one whose keys the EncryptedKey names takes it. */
  readonly candidates: readonly DecryptCandidate[];
  /** Whether a signature that was verified already covers an element (its ciphertext). */
  readonly covered: (element: NodeId) => boolean;
  readonly toolkit: Toolkit;
  readonly timer: PartTimer;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

interface Recipient {
  readonly candidate: DecryptCandidate;
  readonly certificate: Certificate;
  readonly privateKey: KeyHandle;
}

/** An EncryptedKey with our key for it. It works with one cipher only: a key carries its algorithm (ENC-06). */
interface OpenedKey {
  readonly model: EncryptedKey;
  readonly recipient: Recipient;
  readonly wrapped: Uint8Array;
  cipher: CipherDescriptor | undefined;
  handle: KeyHandle | undefined;
}

/** One EncryptedData that has passed everything that needs no key. */
interface Planned {
  readonly data: EncryptedData;
  readonly key: OpenedKey;
  /** The element that the plaintext replaces: the EncryptedData, or the EncryptedHeader around it. */
  readonly replaced: NodeId;
  readonly parts: CipherParts;
}

/** All decryption of one message. */
export class Decryption {
  readonly #input: DecryptionInput;
  readonly #keys = new Map<NodeId, OpenedKey>();
  readonly #done = new Set<NodeId>();
  /** Elements that came out of ciphertext; what is encrypted again inside them is not ours to open (ENC-10). */
  readonly #grafted: NodeId[] = [];
  #keyUsed = false;

  constructor(input: DecryptionInput) {
    this.#input = input;
  }

  /**
   * Takes an EncryptedKey of the Security header: decrypts what its ReferenceList names. Without a list nothing
   * happens until an EncryptedData names the key.
   *
   * @returns a fact for each EncryptedData, in the order of the list
   * @throws CountersignError before a key was used: SECURITY_STRUCTURE, SECURITY_LIMIT, REFERENCE_UNRESOLVED,
   *   REFERENCE_FORBIDDEN, TOKEN_UNAVAILABLE, ALGORITHM_UNKNOWN, ALGORITHM_DENIED, ALGORITHM_EXPIRED, KEY_TOO_WEAK,
   *   ENCRYPTION_UNAUTHENTICATED; afterwards: DECRYPT_FAILED
   */
  encryptedKey(element: NodeId): Promise<DecryptedFact[]> {
    return this.#guard(() => {
      const key = this.#key(element);
      return key.model.references.map((id) => this.#plan(this.#resolve(id), key));
    });
  }

  /** Takes a ReferenceList that is a child of the Security header: each EncryptedData names its key itself. */
  referenceList(element: NodeId): Promise<DecryptedFact[]> {
    return this.#guard(() =>
      readReferenceList(this.#input.document, element).map((id) => this.#plan(this.#resolve(id), undefined)),
    );
  }

  /** Takes an EncryptedData that names its key itself; nothing happens where it was decrypted before. */
  encryptedData(element: NodeId): Promise<DecryptedFact[]> {
    return this.#guard(() => (this.#done.has(element) ? [] : [this.#plan(element, undefined)]));
  }

  async #guard(plan: () => Planned[]): Promise<DecryptedFact[]> {
    const { timer } = this.#input;
    try {
      timer.part('token');
      const planned = plan();
      timer.part(undefined);
      const facts: DecryptedFact[] = [];
      for (const { key } of planned) if (key.handle === undefined) await this.#unwrap(key);
      for (const one of planned) {
        timer.label({ step: one.key.recipient.candidate.step });
        facts.push(this.#decrypt(one));
      }
      return facts;
    } catch (error) {
      throw this.#keyUsed && isOfTheMessage(error) ? decryptFailed() : error;
    } finally {
      timer.part(undefined);
    }
  }

  #resolve(id: string): NodeId {
    const element = this.#input.document.elementById(id);
    if (element !== undefined) return element;
    throw new CountersignError('REFERENCE_UNRESOLVED', 'a reference names no element of the message', {
      details: { reference: `#${id.slice(0, 100)}` },
    });
  }

  #key(element: NodeId): OpenedKey {
    const known = this.#keys.get(element);
    if (known !== undefined) return known;
    const { document, toolkit, now } = this.#input;
    const limit = toolkit.limits['encrypted-keys'];
    if (this.#keys.size >= limit) throw overLimit('encrypted-keys', limit);
    const model = readEncryptedKey(document, element, toolkit.algorithms);
    if (this.#done.size + model.references.length > toolkit.limits['encrypted-data']) {
      throw overLimit('encrypted-data', toolkit.limits['encrypted-data']);
    }
    const { descriptor, digest, mgf } = model.transport;
    toolkit.constraints.check(descriptor, 'decrypt', undefined, now);
    if (digest !== undefined) toolkit.constraints.check(digest, 'decrypt', undefined, now);
    if (mgf !== undefined) toolkit.constraints.check(mgf, 'decrypt', undefined, now);
    const recipient = this.#recipient(model);
    if (recipient.privateKey.kind !== descriptor.key.kind) throw unavailable();
    toolkit.constraints.checkKey(recipient.privateKey, 'decrypt', now);
    const key = {
      model,
      recipient,
      wrapped: document.base64(model.cipherValue),
      cipher: undefined,
      handle: undefined,
    };
    this.#keys.set(element, key);
    return key;
  }

  /** Whose key the EncryptedKey names; without a KeyInfo, the only key there is. */
  #recipient(model: EncryptedKey): Recipient {
    const { document, tokens, toolkit } = this.#input;
    const recipients = this.#recipients();
    if (model.keyInfo === NONE) {
      const [only, ...others] = recipients;
      if (only === undefined || others.length > 0) throw unavailable();
      return only;
    }
    const [match] = matchingEntries(readKeyInfo(document, model.keyInfo), tokens, recipients, toolkit);
    if (match === undefined) throw unavailable();
    return match;
  }

  #recipients(): Recipient[] {
    const recipients: Recipient[] = [];
    for (const candidate of this.#input.candidates) {
      for (const { certificate, privateKey } of candidate.keys.entries)
        if (privateKey !== undefined) recipients.push({ candidate, certificate, privateKey });
    }
    return recipients;
  }

  /** Everything that can be judged without a key. */
  #plan(element: NodeId, listedBy: OpenedKey | undefined): Planned {
    const { document, envelope, toolkit, now, covered } = this.#input;
    const limit = toolkit.limits['encrypted-data'];
    if (this.#done.size >= limit) throw overLimit('encrypted-data', limit);
    if (this.#done.has(element)) throw structureError(document, element, 'is named twice');
    if (this.#grafted.some((top) => document.contains(top, element))) {
      throw structureError(document, element, 'stands inside decrypted content');
    }
    this.#refuseInside(element);
    const data = readEncryptedData(document, element, toolkit.algorithms);
    const key = this.#keyOf(data, listedBy);
    if (key.cipher !== undefined && key.cipher !== data.cipher) {
      throw structureError(document, key.model.element, 'is used with two algorithms');
    }
    key.cipher = data.cipher;
    toolkit.constraints.check(data.cipher, 'decrypt', undefined, now);
    // Unauthenticated ciphertext is an oracle for whoever can change it (ENC-01).
    if (!data.cipher.authenticated && !key.recipient.candidate.unauthenticatedCbc && !covered(element)) {
      throw new CountersignError(
        'ENCRYPTION_UNAUTHENTICATED',
        `${data.cipher.id} without a signature over it`,
        {
          details: { algorithm: data.cipher.id, path: document.path(element) },
        },
      );
    }
    const replaced = replacedBy(document, envelope, element, data.mode === 'element');
    const parts = splitCipherValue(document.base64(data.cipherValue), data.cipher);
    if (parts === undefined) throw decryptFailed();
    this.#done.add(element);
    return { data, key, replaced, parts };
  }

  /**
   * Nothing of a message stands inside another encrypted element (its EncryptionProperties). What does would go away
   * when that one is replaced, and the failure to decrypt it would tell that the other was decrypted (ENC-08).
   */
  #refuseInside(element: NodeId): void {
    const { document } = this.#input;
    for (let at = document.parent(element); at !== NONE; at = document.parent(at)) {
      if (document.namespace(at) !== ns.xenc) continue;
      throw structureError(document, element, 'stands inside another encrypted element');
    }
  }

  #keyOf(data: EncryptedData, listedBy: OpenedKey | undefined): OpenedKey {
    const { document } = this.#input;
    const named = readKeyOfData(document, data);
    if (named.id === undefined && named.embedded === NONE) {
      if (listedBy === undefined)
        throw structureError(document, data.element, 'does not say under which key it is');
      return listedBy;
    }
    const element = named.id === undefined ? named.embedded : this.#resolve(named.id);
    if (listedBy !== undefined && listedBy.model.element !== element) {
      throw structureError(document, data.element, 'names another key than the one that lists it');
    }
    const key = this.#key(element);
    if (
      key.model.references.length > 0 &&
      (data.id === undefined || !key.model.references.includes(data.id))
    ) {
      throw structureError(document, data.element, 'names a key that does not list it');
    }
    return key;
  }

  async #unwrap(key: OpenedKey): Promise<void> {
    if (key.cipher === undefined) return;
    const { toolkit, timer } = this.#input;
    const { privateKey, candidate } = key.recipient;
    const provider = privateKey.provider === toolkit.crypto.provider ? {} : { provider: privateKey.provider };
    timer.label({ step: candidate.step, key: candidate.keys.name, ...provider });
    this.#keyUsed = true;
    const algorithm = wrapAlgorithm(key.model.transport);
    key.handle = await toolkit.crypto.unwrapKey(
      algorithm,
      privateKey,
      key.wrapped,
      key.cipher.keyBits,
      timer,
    );
  }

  #decrypt(planned: Planned): DecryptedFact {
    const { document, timer } = this.#input;
    const { data, key, replaced } = planned;
    timer.part('cipher');
    const plaintext = this.#decipher(planned);
    timer.part('graft');
    const { mode, target } =
      data.mode === 'content' ? this.#graftContent(data, plaintext) : this.#graftElement(planned, plaintext);
    return {
      kind: 'decrypted',
      step: key.recipient.candidate.step,
      mode,
      target,
      encryptedData: data.element,
      replaced,
      authenticated: data.cipher.authenticated,
      algorithms: [data.cipher.id, ...transportIds(key.model.transport)],
      version: document.version,
    };
  }

  /** Plaintext takes the place of the ciphertext in the same array; it is used only after the tag was right. */
  #decipher({ data, key, parts }: Planned): Uint8Array {
    const { crypto } = this.#input.toolkit;
    const { iv, ciphertext, tag } = parts;
    if (key.handle === undefined) throw decryptFailed();
    const algorithm = cipherAlgorithm(data.cipher, iv);
    try {
      const cipher = crypto.createDecryptor(
        algorithm,
        key.handle,
        data.cipher.authenticated ? tag : undefined,
      );
      let length = 0;
      const put = (bytes: Uint8Array): void => {
        ciphertext.set(bytes, length);
        length += bytes.length;
      };
      for (let at = 0; at < ciphertext.length; at += PIECE)
        put(cipher.update(ciphertext.subarray(at, at + PIECE)));
      put(cipher.final());
      return ciphertext.subarray(0, length);
    } catch (error) {
      wipe(ciphertext);
      throw error;
    }
  }

  #graftContent(data: EncryptedData, plaintext: Uint8Array): Pick<DecryptedFact, 'mode' | 'target'> {
    const { document } = this.#input;
    const target = document.parent(data.element);
    if (target === NONE) throw decryptFailed();
    const alone = document.firstChild(target) === data.element && document.nextSibling(data.element) === NONE;
    const whole = alone && !document.hasNonWhitespaceText(target);
    this.#grafted.push(...document.graftContent(data.element, plaintext));
    return { mode: whole ? 'content' : 'part-of-content', target };
  }

  #graftElement({ replaced }: Planned, plaintext: Uint8Array): Pick<DecryptedFact, 'mode' | 'target'> {
    const { document, envelope } = this.#input;
    const parent = document.parent(replaced);
    const target = document.graftElement(replaced, plaintext);
    this.#grafted.push(target);
    // What decrypts to a Security header or to a second Body would change what the message is.
    const fits =
      parent === envelope.root
        ? document.is(target, envelope.namespace, 'Body')
        : !(parent === envelope.header && document.is(target, ns.wsse, 'Security'));
    if (!fits) throw decryptFailed();
    return { mode: 'element', target };
  }
}

/** Failures of a provider or of the code are no secret; everything that the message caused is. */
function isOfTheMessage(error: unknown): boolean {
  return isCountersignError(error) && error.kind.actor === 'sender';
}

const unavailable = (): CountersignError =>
  new CountersignError('TOKEN_UNAVAILABLE', 'an EncryptedKey names no key of this gateway');

const overLimit = (name: string, limit: number): CountersignError =>
  new CountersignError('SECURITY_LIMIT', `there are more than ${limit} ${name} elements`, {
    details: { limit: name, value: limit },
  });
