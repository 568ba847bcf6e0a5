/** Checks a Signature in two stages: first who signed the SignedInfo, then what it covers. */
import { toHex } from '../../core/bytes.js';
import { CountersignError, isCountersignError } from '../../core/errors.js';
import type { PartTimer } from '../../core/timer.js';
import type { Certificate } from '../../pki/types.js';
import { ns, type NodeId, type XmlDocument } from '../../xml/index.js';
import type { SignatureDescriptor } from '../algorithms/descriptor.js';
import type { SignedFact } from '../evidence.js';
import { readKeyInfo } from '../references/read.js';
import { resolveCertificate } from '../references/resolve.js';
import type { ResolvedToken } from '../references/types.js';
import { childElements, onlyAttributes, requiredAttribute, structureError } from '../structure.js';
import type { TokenIndex } from '../tokens/index-tokens.js';
import type { Toolkit } from '../toolkit.js';
import type { Trust, TrustedSigner } from '../trust.js';
import { readCanonicalisation, type Canonicalisation } from './c14n-method.js';
import { canonicalOctets, type OctetBudget } from './octets.js';
import { checkReference, readReference, type SignedReference } from './reference.js';

/** What checking Signatures of one message needs. */
export interface VerifyInput {
  readonly doc: XmlDocument;
  readonly tokens: TokenIndex;
  /** One for the whole message. */
  readonly budget: OctetBudget;
  readonly toolkit: Toolkit;
  readonly timer: PartTimer;
}

/** A verify step that has no Signature yet. */
export interface VerifyCandidate {
  readonly step: string;
  readonly trust: Trust;
}

/** A Signature whose SignedInfo is authentic. What it says about the message is not checked yet. */
export interface OpenedSignature {
  readonly signature: NodeId;
  /** The step that took it. */
  readonly step: string;
  readonly signer: TrustedSigner;
  readonly references: readonly SignedReference[];
  /** SHA-256 over the canonical SignedInfo and the signer's public key, hexadecimal. */
  readonly replayId: string;
  readonly algorithms: readonly string[];
}

interface SignatureParts {
  readonly signedInfo: NodeId;
  readonly value: NodeId;
  readonly keyInfo: NodeId;
}

interface SignedInfo {
  readonly element: NodeId;
  readonly canonicalisation: Canonicalisation;
  readonly method: SignatureDescriptor;
  readonly references: readonly SignedReference[];
}

/**
 * First stage: structure, algorithms, key, trust, SignatureValue. Nothing of the message outside the Signature and
 * its token is read, so that it can run before anything is decrypted.
 *
 * @param candidates the `verify` steps without a Signature, in list order; the first whose trust accepts takes it
 * @throws CountersignError SIGNATURE_UNEXPECTED, SECURITY_STRUCTURE, SECURITY_LIMIT, REFERENCE_FORBIDDEN, TRANSFORM_DENIED,
 *   ALGORITHM_UNKNOWN, ALGORITHM_DENIED, ALGORITHM_EXPIRED, KEY_TOO_WEAK, TOKEN_*, CERTIFICATE_*, SIGNATURE_INVALID,
 *   XML_BASE64, XML_NOT_TEXT
 */
export function openSignature(
  input: VerifyInput,
  signature: NodeId,
  candidates: readonly VerifyCandidate[],
): OpenedSignature {
  const { doc, toolkit, timer } = input;
  timer.label({ provider: toolkit.crypto.provider });
  if (candidates.length === 0) {
    throw new CountersignError('SIGNATURE_UNEXPECTED', 'there are more Signatures than verify steps', {
      details: { element: doc.path(signature) },
    });
  }
  timer.part('signed-info');
  const parts = readSignature(doc, signature);
  const signedInfo = readSignedInfo(doc, parts.signedInfo, toolkit);
  const value = doc.base64(parts.value);

  timer.part('token');
  const configured = certificatesOf(candidates);
  const resolved = resolveCertificate(readKeyInfo(doc, parts.keyInfo), input.tokens, configured, toolkit);
  toolkit.constraints.check(signedInfo.method, 'verify', resolved.certificate.publicKey, toolkit.clock.now());

  timer.part('trust');
  const { step, signer } = assign(resolved, candidates, toolkit.clock.now());
  timer.label({ step });

  timer.part('signed-info');
  const octets = canonicalOctets(
    { doc, crypto: toolkit.crypto, timer, budget: input.budget },
    parts.signedInfo,
    signedInfo.canonicalisation.method,
  );
  timer.part('public-key');
  const genuine = toolkit.crypto.verify(signedInfo.method.algorithm, signer.publicKey, value, octets);
  timer.part(undefined);
  if (!genuine) {
    throw new CountersignError(
      'SIGNATURE_INVALID',
      'the SignatureValue does not fit the SignedInfo and the key',
      {
        details: {
          element: doc.path(signature),
          algorithm: signedInfo.method.id,
          subject: subjectOf(signer),
        },
      },
    );
  }
  return {
    signature,
    step,
    signer,
    references: signedInfo.references,
    replayId: replayId(octets, signer, toolkit),
    algorithms: algorithmsOf(signedInfo),
  };
}

/**
 * Second stage: every reference is resolved to an element and its digest compared.
 *
 * @returns the evidence; the elements are covered as they stand now, decrypted or not
 * @throws CountersignError REFERENCE_UNRESOLVED, DIGEST_MISMATCH, SECURITY_LIMIT
 */
export function checkReferences(input: VerifyInput, opened: OpenedSignature): SignedFact {
  const { doc, toolkit, timer, budget } = input;
  const tools = { doc, crypto: toolkit.crypto, timer, budget };
  const elements: NodeId[] = [];
  for (const reference of opened.references) elements.push(checkReference(reference, tools));
  return {
    kind: 'signed',
    step: opened.step,
    signature: opened.signature,
    elements,
    certificate: opened.signer.certificate,
    replayId: opened.replayId,
    algorithms: opened.algorithms,
    version: doc.version,
  };
}

/** XMLDSIG §4.2, without ds:Object: nothing in a Security header needs one (XSW-05, XSW-14, XSW-24). */
function readSignature(doc: XmlDocument, signature: NodeId): SignatureParts {
  onlyAttributes(doc, signature, ['Id']);
  const [signedInfo, value, keyInfo, surplus] = childElements(doc, signature);
  if (
    signedInfo === undefined ||
    value === undefined ||
    keyInfo === undefined ||
    surplus !== undefined ||
    !doc.is(signedInfo, ns.ds, 'SignedInfo') ||
    !doc.is(value, ns.ds, 'SignatureValue') ||
    !doc.is(keyInfo, ns.ds, 'KeyInfo')
  ) {
    const problem = 'must hold SignedInfo, SignatureValue and KeyInfo, each once';
    throw structureError(doc, signature, problem, 'XMLDSIG §4.2, BSP R5402');
  }
  onlyAttributes(doc, value, ['Id']);
  return { signedInfo, value, keyInfo };
}

function readSignedInfo(doc: XmlDocument, element: NodeId, toolkit: Toolkit): SignedInfo {
  onlyAttributes(doc, element, ['Id']);
  const [c14n, method, ...references] = childElements(doc, element);
  if (
    c14n === undefined ||
    method === undefined ||
    !doc.is(c14n, ns.ds, 'CanonicalizationMethod') ||
    !doc.is(method, ns.ds, 'SignatureMethod') ||
    references.length === 0
  ) {
    const problem = 'must hold CanonicalizationMethod, SignatureMethod and at least one Reference';
    throw structureError(doc, element, problem, 'XMLDSIG §4.4');
  }
  const limit = toolkit.limits.references;
  if (references.length > limit) {
    throw new CountersignError('SECURITY_LIMIT', `more than ${limit} references in a Signature`, {
      details: { limit: 'references', allowed: limit, found: references.length },
    });
  }
  return {
    element,
    canonicalisation: readCanonicalisation(doc, c14n, toolkit),
    method: readMethod(doc, method, toolkit),
    references: references.map((reference) => {
      if (doc.is(reference, ns.ds, 'Reference')) return readReference(doc, reference, toolkit);
      throw structureError(doc, reference, 'is no Reference', 'XMLDSIG §4.4');
    }),
  };
}

function readMethod(doc: XmlDocument, method: NodeId, toolkit: Toolkit): SignatureDescriptor {
  onlyAttributes(doc, method, ['Algorithm']);
  const stated = toolkit.algorithms.byUri(requiredAttribute(doc, method, 'Algorithm'), 'signature');
  const [parameter] = childElements(doc, method);
  if (stated.refine === undefined && parameter !== undefined) {
    // HMACOutputLength above all: a MAC of few bits is none (BSP R5401, SIG-02).
    throw new CountersignError(
      'ALGORITHM_DENIED',
      `${doc.localName(parameter)} is not accepted in a SignatureMethod`,
      {
        details: { element: doc.path(parameter), algorithm: stated.id },
      },
    );
  }
  const descriptor = stated.refine?.(doc, method, toolkit.algorithms) ?? stated;
  if (!toolkit.constraints.permits(descriptor.id, 'verify', toolkit.clock.now())) {
    // Says why, before a key is looked for; what it counts is counted once, with the key.
    toolkit.constraints.check(descriptor, 'verify', undefined, toolkit.clock.now());
  }
  return descriptor;
}

/** The first candidate whose trust accepts the certificate; else why the likeliest one did not. */
function assign(
  resolved: ResolvedToken,
  candidates: readonly VerifyCandidate[],
  now: number,
): { readonly step: string; readonly signer: TrustedSigner } {
  let refusal: CountersignError | undefined;
  for (const { step, trust } of candidates) {
    try {
      return { step, signer: trust.accept(resolved.certificate, resolved.intermediates, now) };
    } catch (error) {
      if (!isCountersignError(error)) throw error;
      // "Expired" or "wrong subject" tells more than "no path" of a trust that was never meant.
      if (refusal === undefined || refusal.code === 'CERTIFICATE_UNTRUSTED') refusal = error;
    }
  }
  if (refusal === undefined)
    throw new CountersignError('SIGNATURE_UNEXPECTED', 'no verify step takes the Signature');
  throw refusal;
}

function certificatesOf(candidates: readonly VerifyCandidate[]): readonly Certificate[] {
  const [only] = candidates;
  return candidates.length === 1 && only !== undefined
    ? only.trust.certificates
    : candidates.flatMap(({ trust }) => trust.certificates);
}

const subjectOf = (signer: TrustedSigner): string => signer.certificate.subject.toString();

/**
 * The signer is named by its public key: KeyInfo is not signed, so another certificate for the same key could be put
 * there. SignatureValue is left out: an ECDSA value can be changed and still verify.
 */
function replayId(signedInfo: Uint8Array, signer: TrustedSigner, toolkit: Toolkit): string {
  return toHex(toolkit.crypto.digest('SHA-256', Buffer.concat([signedInfo, signer.certificate.spki])));
}

function algorithmsOf({ method, canonicalisation, references }: SignedInfo): readonly string[] {
  const ids = [method.id];
  const add = (id: string): void => {
    if (!ids.includes(id)) ids.push(id);
  };
  add(canonicalisation.id);
  for (const reference of references) {
    add(reference.digest.id);
    add(reference.canonicalisation.id);
  }
  return ids;
}
