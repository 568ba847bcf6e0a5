/**
 * Path building and validation (RFC 5280 §6.1) from a leaf to a configured anchor, within budgets.
 *
 * The path is built from the leaf upwards; each candidate issuer is judged cheaply first (dates, CA flag, key usage, path
 * length, algorithms) and by signature last. A complete path then passes the whole-path checks; revocation, names and
 * policies will be further entries of that list.
 */
import { equal } from '../core/bytes.js';
import { formatUtc } from '../core/calendar.js';
import { CountersignError, isCountersignError } from '../core/errors.js';
import { equalNames } from './names.js';
import type { Certificate, PathOptions } from './types.js';
import { purposeProblem, usageProblem } from './usage.js';

/** Certificates of a path, leaf and anchor included. */
const MAX_PATH = 8;
const MAX_INTERMEDIATES = 16;
const MAX_SIGNATURE_CHECKS = 100;

/**
 * Finds and validates a path from `leaf` to an anchor, or to itself when it is pinned.
 *
 * @returns the path, leaf first, anchor last; a pinned leaf alone
 * @throws CountersignError CERTIFICATE_UNTRUSTED, CERTIFICATE_EXPIRED, CERTIFICATE_NOT_YET_VALID, CERTIFICATE_USAGE, and
 *   what `permits` throws
 */
export function validatePath(leaf: Certificate, options: PathOptions): Certificate[] {
  const pinned = options.pinned.some((certificate) => equal(certificate.der, leaf.der));
  options.permits(leaf, pinned ? 'trusted' : 'signed');
  checkDates(leaf, options.at);
  checkExtensions(leaf);
  const problem = usageProblem(leaf, options.usage);
  if (problem !== undefined)
    refuse('CERTIFICATE_USAGE', leaf, `may not be used to ${options.usage}: ${problem}`);
  return pinned ? [leaf] : new PathSearch(leaf, options).run();
}

/** A depth-first search over issuers. */
class PathSearch {
  readonly #leaf: Certificate;
  readonly #options: PathOptions;
  readonly #intermediates: readonly Certificate[];
  #checksLeft = MAX_SIGNATURE_CHECKS;
  /** The refusal of the first candidate that looked right; more telling than "no path". */
  #reason: CountersignError | undefined;

  constructor(leaf: Certificate, options: PathOptions) {
    this.#leaf = leaf;
    this.#options = options;
    if (options.intermediates.length > MAX_INTERMEDIATES) {
      refuse('CERTIFICATE_UNTRUSTED', leaf, `comes with more than ${MAX_INTERMEDIATES} further certificates`);
    }
    this.#intermediates = options.intermediates;
  }

  run(): Certificate[] {
    const path = this.#extend([this.#leaf]);
    if (path !== undefined) return path;
    throw this.#reason ?? untrusted(this.#leaf, this.#options);
  }

  #extend(path: readonly Certificate[]): Certificate[] | undefined {
    const child = path[path.length - 1];
    if (child === undefined || path.length >= MAX_PATH) return undefined;
    for (const anchor of this.#issuersOf(child, this.#options.anchors)) {
      // A leaf that is itself an anchor is not trusted through itself: anchors issue, they do not sign messages.
      if (equal(anchor.der, this.#leaf.der)) continue;
      if (this.#accepts(anchor, path, 'trusted')) return [...path, anchor];
    }
    for (const issuer of this.#issuersOf(child, this.#intermediates)) {
      if (
        path.some(
          (certificate) =>
            equal(certificate.spki, issuer.spki) && equalNames(certificate.subject, issuer.subject),
        )
      )
        continue;
      if (!this.#accepts(issuer, path, 'signed')) continue;
      const found = this.#extend([...path, issuer]);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Candidates by name; those whose key identifier fits come first (RFC 5280 §4.2.1.1: a hint, not a rule). */
  #issuersOf(child: Certificate, candidates: readonly Certificate[]): Certificate[] {
    const wanted = child.authorityKeyIdentifier;
    const misfit = (candidate: Certificate): boolean => {
      const found = candidate.subjectKeyIdentifier;
      return wanted !== undefined && found !== undefined && !equal(wanted, found);
    };
    return candidates
      .filter((candidate) => equalNames(candidate.subject, child.issuer))
      .toSorted((a, b) => Number(misfit(a)) - Number(misfit(b)));
  }

  #accepts(issuer: Certificate, path: readonly Certificate[], role: 'signed' | 'trusted'): boolean {
    try {
      this.#options.permits(issuer, role);
      checkDates(issuer, this.#options.at);
      checkExtensions(issuer);
      checkIssuer(issuer, path, role);
      const problem = role === 'signed' ? purposeProblem(issuer, this.#options.usage) : undefined;
      if (problem !== undefined) refuse('CERTIFICATE_USAGE', issuer, `may not issue this: ${problem}`);
      this.#checkSignature(path[path.length - 1] ?? this.#leaf, issuer);
      return true;
    } catch (error) {
      if (!isCountersignError(error)) throw error;
      this.#reason ??= error;
      return false;
    }
  }

  #checkSignature(child: Certificate, issuer: Certificate): void {
    const { signatureAlgorithm } = child;
    if (signatureAlgorithm === undefined) {
      refuse('ALGORITHM_UNKNOWN', child, 'is signed with an algorithm that is not known');
    }
    if (this.#checksLeft === 0) {
      refuse('CERTIFICATE_UNTRUSTED', this.#leaf, `needs more than ${MAX_SIGNATURE_CHECKS} signature checks`);
    }
    this.#checksLeft -= 1;
    if (!this.#options.verify(signatureAlgorithm, issuer.spki, child.signature, child.tbs)) {
      refuse('CERTIFICATE_UNTRUSTED', child, `is not signed by ${issuer.subject.toString()}`);
    }
  }
}

/** Both ends of the validity period are in it (RFC 5280 §4.1.2.5). */
function checkDates(certificate: Certificate, at: number): void {
  if (at < certificate.notBefore) {
    refuse('CERTIFICATE_NOT_YET_VALID', certificate, `is valid from ${formatUtc(certificate.notBefore)} on`);
  }
  // notAfter names a whole second.
  if (at >= certificate.notAfter + 1000) {
    refuse('CERTIFICATE_EXPIRED', certificate, `expired at ${formatUtc(certificate.notAfter)}`);
  }
}

function checkExtensions(certificate: Certificate): void {
  if (certificate.unknownCritical.length > 0) {
    const list = certificate.unknownCritical.join(', ');
    refuse('CERTIFICATE_UNTRUSTED', certificate, `has a critical extension that is not processed: ${list}`);
  }
}

/** RFC 5280 §6.1.4 k to n: the issuer is a CA, may sign certificates, and allows a path this long. */
function checkIssuer(issuer: Certificate, path: readonly Certificate[], role: 'signed' | 'trusted'): void {
  const constraints = issuer.basicConstraints;
  // An anchor is trusted by configuration; a version 1 one cannot say that it is a CA.
  const ca = constraints?.ca ?? (role === 'trusted' && issuer.version === 1);
  if (!ca) refuse('CERTIFICATE_UNTRUSTED', issuer, 'is not a CA certificate');
  if (issuer.keyUsage !== undefined && !issuer.keyUsage.has('keyCertSign')) {
    refuse('CERTIFICATE_UNTRUSTED', issuer, 'may not sign certificates (key usage)');
  }
  const below = path.slice(1).filter((certificate) => !equalNames(certificate.subject, certificate.issuer));
  if (constraints?.pathLength !== undefined && below.length > constraints.pathLength) {
    refuse('CERTIFICATE_UNTRUSTED', issuer, `allows ${constraints.pathLength} CA certificates below it`);
  }
}

function untrusted(leaf: Certificate, options: PathOptions): CountersignError {
  const isAnchor = options.anchors.some((anchor) => equal(anchor.der, leaf.der));
  return new CountersignError(
    'CERTIFICATE_UNTRUSTED',
    isAnchor
      ? `${leaf.subject.toString()} is an anchor: anchors issue certificates; to take messages that it signs, list it in certificates`
      : `no path from ${leaf.subject.toString()}, issued by ${leaf.issuer.toString()}, to a configured anchor`,
    { details: { subject: leaf.subject.toString(), issuer: leaf.issuer.toString() } },
  );
}

function refuse(
  code:
    | 'ALGORITHM_UNKNOWN'
    | 'CERTIFICATE_EXPIRED'
    | 'CERTIFICATE_NOT_YET_VALID'
    | 'CERTIFICATE_UNTRUSTED'
    | 'CERTIFICATE_USAGE',
  certificate: Certificate,
  problem: string,
): never {
  const subject = certificate.subject.toString();
  throw new CountersignError(code, `certificate ${subject} ${problem}`, {
    details: { subject, serial: certificate.serial },
  });
}
