/**
 * NIST PKITS (RFC 5280 path validation) for what path.ts does today: signatures, dates, names, self-issued certificates, basic
 * constraints, key usage, private extensions, and name constraints as far as they must refuse. Revocation and policies come later.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { isCountersignError } from '#src/core/errors.js';
import { type Certificate, parseCertificate, validatePath } from '#src/pki/index.js';
import { vectors } from '../support/paths.js';
import { derOf, testDigest, testVerify } from '../support/pki.js';

interface Case {
  readonly id: string;
  readonly name: string;
  readonly cert: string;
  readonly other_certs?: readonly string[];
  readonly error?: { readonly msg_regex: string };
}

/** Chapters whose verdicts must be the same. */
const exact = ['401', '402', '403', '405', '406', '407', '416'];
/** Name constraints: critical and not processed, so every path with them is refused; the invalid ones must be. */
const refusing = ['413'];
/** DSA is not read at all: its valid certificates are refused too. */
const isDsa = (one: Case): boolean => one.name.includes('dsa');
/** Refused by PKITS for revocation, which is not configured here. */
const byRevocation = (one: Case): boolean => /revo|CRL/i.test(one.error?.msg_regex ?? '');

const folder = vectors('pkits');
const cases =
  folder === undefined
    ? []
    : (JSON.parse(readFileSync(join(folder, 'pkits.json'), 'utf8')) as readonly Case[]);
const chapter = (one: Case): string => one.id.slice(0, 3);

function load(name: string): Certificate {
  const bytes = readFileSync(join(folder ?? '', 'certs', name));
  return parseCertificate(bytes[0] === 0x30 ? bytes : derOf(bytes.toString('latin1')));
}

/** The code of the refusal, or `accepted`. */
function verdict(one: Case): string {
  try {
    validatePath(load(one.cert), {
      anchors: [load('TrustAnchorRootCertificate.crt')],
      pinned: [],
      intermediates: (one.other_certs ?? []).map(load),
      at: Date.UTC(2026, 0, 1),
      usage: 'sign',
      verify: testVerify,
      digest: testDigest,
      permits: () => undefined,
    });
    return 'accepted';
  } catch (error) {
    if (isCountersignError(error)) return error.code;
    throw error;
  }
}

(folder === undefined ? describe.skip : describe)('PKITS', () => {
  const run = cases.filter((one) => exact.includes(chapter(one)) && !byRevocation(one));
  it.each(run.map((one) => [one.id, one.name, one] as const))('%s %s', (_, name, one) => {
    const found = verdict(one);
    if (isDsa(one)) expect(found).toBe('CERTIFICATE_MALFORMED');
    else if (one.error === undefined) expect(found).toBe('accepted');
    else expect(found).not.toBe('accepted');
    // Dates have codes of their own.
    if (name.includes('notbefore_date_test') && one.error !== undefined)
      expect(found).toBe('CERTIFICATE_NOT_YET_VALID');
    if (name.includes('notafter_date_test') && one.error !== undefined)
      expect(found).toBe('CERTIFICATE_EXPIRED');
  });

  const constrained = cases.filter(
    (one) => refusing.includes(chapter(one)) && one.error !== undefined && !byRevocation(one),
  );
  it.each(constrained.map((one) => [one.id, one.name, one] as const))('%s %s is refused', (_, _name, one) => {
    expect(verdict(one)).not.toBe('accepted');
  });

  it('runs as many cases as it says', () => {
    expect([run.length, constrained.length]).toEqual([52, 22]);
  });
});
