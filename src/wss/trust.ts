/** Whose signatures a policy takes. */
import { equal } from '../core/bytes.js';
import type { DigestFunction, VerifyFunction } from '../core/contracts.js';
import { CountersignError } from '../core/errors.js';
import { matchesSubject, validatePath, type NamePattern } from '../pki/index.js';
import type { Certificate } from '../pki/types.js';
import type { Crypto, KeyHandle } from '../providers/contract.js';
import type { AlgorithmTable } from './algorithms/table.js';
import type { AlgorithmConstraints } from './constraints.js';

/** A certificate that was accepted. */
export interface TrustedSigner {
  readonly certificate: Certificate;
  /** Leaf first, anchor last; a pinned leaf alone. */
  readonly path: readonly Certificate[];
  readonly publicKey: KeyHandle;
}

/** A named trust of the policy. */
export interface Trust {
  readonly name: string;
  /** Certificates that references may identify without carrying them; being here is no trust. */
  readonly certificates: readonly Certificate[];
  /**
   * Accepts a signer's certificate. The answer is remembered for as long as the path stays valid.
   *
   * @param intermediates certificates of the message that may complete the path
   * @param now milliseconds since the epoch
   * @throws CountersignError CERTIFICATE_UNTRUSTED, CERTIFICATE_EXPIRED, CERTIFICATE_NOT_YET_VALID, CERTIFICATE_SUBJECT,
   *   CERTIFICATE_USAGE, CERTIFICATE_MALFORMED, ALGORITHM_DENIED, ALGORITHM_UNKNOWN, KEY_TOO_WEAK
   */
  accept(certificate: Certificate, intermediates: readonly Certificate[], now: number): TrustedSigner;
}

export interface TrustOptions {
  readonly name: string;
  readonly anchors: readonly Certificate[];
  /** Leaves trusted as they are. */
  readonly pinned: readonly Certificate[];
  /** Further certificates of the configuration that references may identify (issuer and serial, SKI, thumbprint). */
  readonly known?: readonly Certificate[];
  /** Subjects that may sign among those that an anchor vouches for; ignored with `anySubject`. */
  readonly subjects: readonly NamePattern[];
  readonly anySubject: boolean;
}

/** What judging a certificate needs. */
export interface TrustTools {
  readonly crypto: Crypto;
  readonly algorithms: AlgorithmTable;
  readonly constraints: AlgorithmConstraints;
}

interface Remembered {
  readonly signer: TrustedSigner;
  readonly from: number;
  readonly until: number;
}

/** Signers remembered per trust; the oldest are forgotten first. */
const capacity = 1000;

/**
 * Makes a trust.
 *
 * @throws CountersignError POLICY_INVALID for a trust that could accept nobody, or anybody without saying so (XSW-22)
 */
export function makeTrust(options: TrustOptions, tools: TrustTools): Trust {
  const { name, anchors, pinned, subjects, anySubject } = options;
  if (anchors.length === 0 && pinned.length === 0) {
    throw new CountersignError('POLICY_INVALID', `trust ${name} names neither anchors nor certificates`);
  }
  if (anchors.length > 0 && subjects.length === 0 && !anySubject) {
    throw new CountersignError(
      'POLICY_INVALID',
      `trust ${name} has anchors: it needs subjects, or any-subject: true`,
    );
  }
  return new ConfiguredTrust(options, tools);
}

class ConfiguredTrust implements Trust {
  readonly name: string;
  readonly certificates: readonly Certificate[];
  readonly #options: TrustOptions;
  readonly #tools: TrustTools;
  readonly #remembered = new Map<Certificate, Remembered>();

  constructor(options: TrustOptions, tools: TrustTools) {
    this.name = options.name;
    this.certificates = [...options.pinned, ...(options.known ?? [])];
    this.#options = options;
    this.#tools = tools;
  }

  accept(certificate: Certificate, intermediates: readonly Certificate[], now: number): TrustedSigner {
    const known = this.#remembered.get(certificate);
    if (known !== undefined && now >= known.from && now < known.until) return known.signer;
    const path = this.#validate(certificate, intermediates, now);
    // A path of one is a pinned leaf: it was named itself, its subject need not be.
    if (path.length > 1) this.#checkSubject(certificate);
    const publicKey = this.#tools.crypto.importPublicKey(certificate.spki);
    const signer = Object.freeze({ certificate, path, publicKey });
    this.#remember(signer, now);
    return signer;
  }

  #validate(certificate: Certificate, intermediates: readonly Certificate[], now: number): Certificate[] {
    const { anchors, pinned } = this.#options;
    const { crypto, constraints, algorithms } = this.#tools;
    const verify: VerifyFunction = (algorithm, spki, signature, data) =>
      crypto.verify(algorithm, crypto.importPublicKey(spki), signature, data);
    const digest: DigestFunction = (hash, bytes) => crypto.digest(hash, bytes);
    const permits = (judged: Certificate, role: 'signed' | 'trusted'): void => {
      const leaf = equal(judged.der, certificate.der);
      constraints.checkKey(judged.publicKey, leaf ? 'verify' : 'certificate', now);
      // Nobody relies on the signature of an anchor or a pinned certificate (RFC 5280 §6.1.1 d).
      if (role === 'trusted') return;
      const { signatureAlgorithm } = judged;
      const id = signatureAlgorithm === undefined ? undefined : algorithms.signatureId(signatureAlgorithm);
      if (id === undefined) {
        throw new CountersignError(
          'ALGORITHM_UNKNOWN',
          'a certificate is signed with an algorithm that is not known',
          {
            details: { subject: judged.subject.toString() },
          },
        );
      }
      constraints.check(id, 'certificate', undefined, now);
    };
    return validatePath(certificate, {
      anchors,
      pinned,
      intermediates,
      at: now,
      usage: 'sign',
      verify,
      digest,
      permits,
    });
  }

  #checkSubject(certificate: Certificate): void {
    const { anySubject, subjects, name } = this.#options;
    if (anySubject || subjects.some((pattern) => matchesSubject(certificate, pattern))) return;
    const subject = certificate.subject.toString();
    throw new CountersignError(
      'CERTIFICATE_SUBJECT',
      `${subject} is not among the subjects of trust ${name}`,
      {
        details: { subject, trust: name },
      },
    );
  }

  #remember(signer: TrustedSigner, now: number): void {
    const { certificate, path } = signer;
    // An exception that made the path acceptable may end before the certificates do.
    const ends = this.#tools.constraints.rows
      .map((row) => row.until ?? Infinity)
      .filter((until) => until > now);
    if (this.#remembered.size >= capacity) {
      const oldest = this.#remembered.keys().next();
      if (oldest.done !== true) this.#remembered.delete(oldest.value);
    }
    this.#remembered.set(certificate, {
      signer,
      from: Math.max(...path.map((one) => one.notBefore)),
      until: Math.min(...path.map((one) => one.notAfter), ...ends),
    });
  }
}
