/** What the evidence says about one element. Pure functions of facts and identities. */
import type { NodeId, XmlDocument } from '../xml/index.js';
import type { DecryptedFact, Evidence, SignedFact } from './evidence.js';

/** An element, or its children. */
export interface Target {
  readonly element: NodeId;
  readonly content: boolean;
}

export const signedFacts = (evidence: readonly Evidence[]): SignedFact[] =>
  evidence.filter((fact) => fact.kind === 'signed');

export const decryptedFacts = (evidence: readonly Evidence[]): DecryptedFact[] =>
  evidence.filter((fact) => fact.kind === 'decrypted');

/**
 * Whether everything at `element` came out of the ciphertext of `fact`. Where something stood in the clear beside what
 * was decrypted (`part-of-content`), it cannot be told apart any more, so that nothing counts as encrypted.
 */
export function wasEncrypted(doc: XmlDocument, fact: DecryptedFact, { element, content }: Target): boolean {
  if (fact.mode === 'part-of-content' || !doc.contains(fact.target, element)) return false;
  return fact.mode === 'element' || content || element !== fact.target;
}

/**
 * Whether a target was encrypted by one of the facts, or (its content) child by child, as CXF encrypts the element in
 * the Body. An element without children is encrypted only if its emptiness was.
 */
export function isEncrypted(doc: XmlDocument, facts: readonly DecryptedFact[], target: Target): boolean {
  if (facts.some((fact) => wasEncrypted(doc, fact, target))) return true;
  if (!target.content || doc.hasNonWhitespaceText(target.element)) return false;
  const children = doc.children(target.element);
  return (
    children.length > 0 &&
    children.every((element) => facts.some((fact) => wasEncrypted(doc, fact, { element, content: false })))
  );
}

/**
 * Whether a Signature covers an element: it references the element, or one around it, or (encrypt, then sign) the
 * ciphertext that the element came out of.
 */
export function isSigned(
  doc: XmlDocument,
  fact: SignedFact,
  element: NodeId,
  decrypted: readonly DecryptedFact[],
): boolean {
  return fact.elements.some(
    (signed) =>
      doc.contains(signed, element) ||
      decrypted.some(
        (one) =>
          isCiphertext(one, signed) &&
          fact.version < one.version &&
          wasEncrypted(doc, one, { element, content: false }),
      ),
  );
}

/** Whether a Signature was made over the ciphertext of `one`, not over what came out of it. */
export function coversCiphertext(doc: XmlDocument, fact: SignedFact, one: DecryptedFact): boolean {
  if (fact.version >= one.version) return false;
  return fact.elements.some((signed) => isCiphertext(one, signed) || holdsCiphertext(doc, signed, one));
}

/** Whether an element is the EncryptedData, or the EncryptedHeader around it (WSS 1.1.1 §9.3), that was replaced. */
const isCiphertext = (one: DecryptedFact, element: NodeId): boolean =>
  element === one.encryptedData || element === one.replaced;

/** Whether what was decrypted stood inside `signed`; the target of `content` is itself a place around it. */
const holdsCiphertext = (doc: XmlDocument, signed: NodeId, one: DecryptedFact): boolean =>
  doc.contains(signed, one.target) && (one.mode !== 'element' || signed !== one.target);

/** Whether the two elements are one inside the other. */
export const overlap = (doc: XmlDocument, a: NodeId, b: NodeId): boolean =>
  doc.contains(a, b) || doc.contains(b, a);

/**
 * Whether a ciphertext that is about to be decrypted is covered by a Signature checked so far: what CBC asks for
 * before a key is used.
 */
export function ciphertextIsSigned(
  doc: XmlDocument,
  evidence: readonly Evidence[],
  encryptedData: NodeId,
): boolean {
  return signedFacts(evidence).some((fact) =>
    fact.elements.some((signed) => doc.contains(signed, encryptedData)),
  );
}
