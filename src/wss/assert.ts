/** Asserts a policy on the evidence. The absence of a fact refuses; an empty list proves nothing. */
import type { Code } from '../core/codes.js';
import { CountersignError } from '../core/errors.js';
import { NONE, ns, type NodeId } from '../xml/index.js';
import { coversCiphertext, decryptedFacts, isEncrypted, isSigned, overlap, signedFacts } from './coverage.js';
import type { DecryptedFact, Evidence, SignedFact } from './evidence.js';
import type { Part } from './parts.js';
import { selectPart, type PartScope } from './select.js';

export type Protection = 'sign-then-encrypt' | 'encrypt-then-sign' | 'any';

/** What a `verify` step asks for. */
export interface VerifyRequirement {
  readonly step: string;
  readonly parts: readonly Part[];
  readonly protection: Protection;
  /** The Signature may be absent; one that is there must hold in full. */
  readonly optional: boolean;
}

/** What a `decrypt` step asks for. */
export interface DecryptRequirement {
  readonly step: string;
  readonly parts: readonly Part[];
  readonly unauthenticatedCbc: boolean;
}

/** How much of a target was encrypted, for the operator. */
const suffixes: Readonly<Record<DecryptedFact['mode'], string>> = {
  element: '',
  content: '/content',
  'part-of-content': ' (in part)',
};

interface Found {
  readonly part: Part;
  /** Index of the part in its step. */
  readonly index: number;
  readonly element: NodeId;
}

/**
 * Asserts one `verify` step: one Signature covers every element that the step's parts name.
 *
 * @returns the fact, or undefined when an optional Signature is absent
 * @throws CountersignError SIGNATURE_MISSING, PART_MISSING, PART_NOT_SIGNED, PROTECTION_ORDER
 */
export function assertVerified(
  scope: PartScope,
  requirement: VerifyRequirement,
  evidence: readonly Evidence[],
): SignedFact | undefined {
  const [fact, another] = signedFacts(evidence).filter((one) => one.step === requirement.step);
  if (fact === undefined) {
    if (requirement.optional) return undefined;
    throw refusal('SIGNATURE_MISSING', 'there is no Signature for this step', requirement, {});
  }
  if (another !== undefined) {
    throw refusal('SIGNATURE_UNEXPECTED', 'a step took more than one Signature', requirement, {});
  }
  const decrypted = decryptedFacts(evidence);
  for (const found of findParts(scope, requirement)) {
    if (!isSigned(scope.doc, fact, found.element, decrypted)) {
      throw refusal('PART_NOT_SIGNED', `${found.part.text} is not covered`, requirement, {
        ...whereIs(scope, found),
        found: `Covered: ${listed(fact.elements.map((element) => nameOf(scope, element)))}`,
        remedy: 'The sender must sign it, or remove it from',
      });
    }
    assertOrder(scope, requirement, fact, found, decrypted);
  }
  return fact;
}

/**
 * Asserts one `decrypt` step: everything that its parts name came out of ciphertext, and ciphertext that does not
 * authenticate itself was signed, unless the policy says by name that it need not be.
 *
 * @throws CountersignError PART_MISSING, PART_NOT_ENCRYPTED, ENCRYPTION_UNAUTHENTICATED
 */
export function assertDecrypted(
  scope: PartScope,
  requirement: DecryptRequirement,
  evidence: readonly Evidence[],
): void {
  const facts = decryptedFacts(evidence).filter((fact) => fact.step === requirement.step);
  for (const found of findParts(scope, requirement)) {
    const target = { element: found.element, content: found.part.content };
    if (isEncrypted(scope.doc, facts, target)) continue;
    const encrypted = facts.map((fact) => `${nameOf(scope, fact.target)}${suffixes[fact.mode]}`);
    throw refusal('PART_NOT_ENCRYPTED', `${found.part.text} was not encrypted`, requirement, {
      ...whereIs(scope, found),
      found: `Encrypted: ${listed(encrypted)}`,
      remedy: 'The sender must encrypt it, or remove it from',
    });
  }
  if (requirement.unauthenticatedCbc) return;
  const signed = signedFacts(evidence);
  const bare = facts.find(
    (fact) => !fact.authenticated && !signed.some((one) => coversCiphertext(scope.doc, one, fact)),
  );
  if (bare === undefined) return;
  throw refusal('ENCRYPTION_UNAUTHENTICATED', 'CBC ciphertext is not covered by a Signature', requirement, {
    element: scope.doc.path(bare.target),
    at: 'unauthenticated-cbc',
    remedy: 'The sender must use GCM or sign the ciphertext, or it must be allowed in',
    algorithms: bare.algorithms,
  });
}

/**
 * The elements of every part; a part that names none refuses unless it is optional.
 *
 * @throws CountersignError PART_MISSING
 */
function findParts(
  scope: PartScope,
  requirement: { readonly step: string; readonly parts: readonly Part[] },
): Found[] {
  const found: Found[] = [];
  for (let index = 0; index < requirement.parts.length; index++) {
    const part = requirement.parts[index] as Part;
    const elements = selectPart(scope, part);
    if (elements.length === 0 && !part.optional) {
      throw refusal('PART_MISSING', `${part.text} is not in the message`, requirement, {
        part: part.text,
        at: `parts.${index}`,
        remedy: 'The sender must put it there, or mark it ? in',
      });
    }
    for (const element of elements) found.push({ part, index, element });
  }
  return found;
}

const whereIs = (scope: PartScope, { part, index, element }: Found): Record<string, string> => ({
  part: part.text,
  at: `parts.${index}`,
  element: scope.doc.path(element),
});

const listed = (names: readonly string[]): string => (names.length === 0 ? 'nothing' : names.join(', '));

/** An element as a policy would name it, or its path where no part could. */
function nameOf({ doc, envelope, securityHeader }: PartScope, element: NodeId): string {
  if (element === envelope.body) return 'body';
  const parent = doc.parent(element);
  if (parent === securityHeader && doc.is(element, ns.wsu, 'Timestamp')) return 'timestamp';
  if (parent !== NONE && parent === envelope.header) {
    const prefix = doc.prefix(element);
    const name = doc.localName(element);
    return prefix === '' ? `header/{${doc.namespace(element)}}${name}` : `header/${prefix}:${name}`;
  }
  return doc.path(element);
}

function assertOrder(
  scope: PartScope,
  requirement: VerifyRequirement,
  fact: SignedFact,
  found: Found,
  decrypted: readonly DecryptedFact[],
): void {
  if (requirement.protection === 'any') return;
  const signedPlaintext = requirement.protection === 'sign-then-encrypt';
  const wrong = decrypted.some(
    (one) => overlap(scope.doc, one.target, found.element) && fact.version >= one.version !== signedPlaintext,
  );
  if (!wrong) return;
  throw refusal('PROTECTION_ORDER', `${found.part.text} is not ${requirement.protection}`, requirement, {
    ...whereIs(scope, found),
    at: 'protection',
    found: signedPlaintext ? 'It was encrypted first, then signed' : 'It was signed first, then encrypted',
    remedy: 'The sender must change the order, or another `protection` must be accepted in',
  });
}

function refusal(
  code: Code,
  message: string,
  requirement: { readonly step: string; readonly parts: readonly Part[] },
  details: Readonly<Record<string, string | readonly string[]>>,
): CountersignError {
  return new CountersignError(code, message, {
    details: {
      for: requirement.step,
      required: requirement.parts.map((part) => part.text),
      ...details,
    },
  });
}
