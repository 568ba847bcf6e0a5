import { beforeEach, describe, expect, it } from '@jest/globals';
import { CountersignError } from '#src/core/errors.js';
import { type Certificate, type PathOptions, validatePath } from '#src/pki/index.js';
import { issue, testDigest, testKey, testNow, testVerify } from '../support/pki.js';

const ca = testKey('ca').certificate;
const subCa = testKey('sub-ca').certificate;
const leaf = testKey('leaf').certificate;
const client = testKey('client').certificate;
let checks = 0;
beforeEach(() => {
  checks = 0;
});
const options = (extra: Partial<PathOptions> = {}): PathOptions => ({
  anchors: [ca],
  pinned: [],
  intermediates: [],
  at: testNow,
  usage: 'sign',
  verify: (...args) => {
    checks += 1;
    return testVerify(...args);
  },
  digest: testDigest,
  permits: () => undefined,
  ...extra,
});
const subjects = (path: Certificate[]): string[] =>
  path.map((one) => one.subject.toString().split(',')[0] ?? '');
const accept = (certificate: Certificate, extra: Partial<PathOptions> = {}): string[] =>
  subjects(validatePath(certificate, options(extra)));
const refuse = (code: string, certificate: Certificate, extra: Partial<PathOptions> = {}): void =>
  expect(() => validatePath(certificate, options(extra))).toThrow(expect.objectContaining({ code }));

const authority = { ca: {}, keyUsage: ['keyCertSign'] } as const;
/** A CA below the test CA that holds the key of `sub-ca`, so that `leaf` chains to it. */
const variant = (extra: Parameters<typeof issue>[0] = {}): Certificate =>
  issue({ of: 'sub-ca', subject: 'CN=Sub CA,O=Countersign Tests', ...authority, ...extra });

describe('validatePath', () => {
  it('finds a path directly and through an intermediate', () => {
    expect(accept(client)).toEqual(['CN=client', 'CN=Test CA']);
    expect(accept(leaf, { intermediates: [client, subCa] })).toEqual(['CN=leaf', 'CN=Sub CA', 'CN=Test CA']);
    expect(accept(leaf, { anchors: [subCa] })).toEqual(['CN=leaf', 'CN=Sub CA']);
  });

  it('refuses without a path', () => {
    refuse('CERTIFICATE_UNTRUSTED', leaf);
    refuse('CERTIFICATE_UNTRUSTED', client, { anchors: [] });
    refuse('CERTIFICATE_UNTRUSTED', client, { anchors: [testKey('other-ca').certificate] });
    refuse('CERTIFICATE_UNTRUSTED', testKey('other').certificate);
    refuse('CERTIFICATE_UNTRUSTED', testKey('self-signed').certificate);
  });

  it('never takes a certificate of the message for an anchor', () => {
    refuse('CERTIFICATE_UNTRUSTED', testKey('other').certificate, {
      intermediates: [testKey('other-ca').certificate],
    });
  });

  it('refuses an anchor as a leaf, an end entity as an issuer', () => {
    refuse('CERTIFICATE_USAGE', ca);
    const signer = issue({
      of: 'other-ca',
      by: 'other-ca',
      ca: {},
      keyUsage: ['digitalSignature', 'keyCertSign'],
    });
    refuse('CERTIFICATE_UNTRUSTED', signer, { anchors: [signer] });
    refuse('CERTIFICATE_UNTRUSTED', issue({ by: 'client', of: 'ec' }), { intermediates: [client] });
    refuse('CERTIFICATE_UNTRUSTED', issue({ by: 'client', of: 'ec' }), { anchors: [client] });
  });

  it('takes a pinned leaf as it is, self-signed or not, and only that one', () => {
    const pinned = testKey('self-signed').certificate;
    expect(accept(pinned, { pinned: [pinned], anchors: [] })).toEqual(['CN=self-signed']);
    expect(accept(client, { pinned: [client], anchors: [] })).toEqual(['CN=client']);
    expect(checks).toBe(0);
    refuse('CERTIFICATE_UNTRUSTED', client, { pinned: [pinned], anchors: [] });
    // The same key and name in another certificate is not the pinned one.
    refuse('CERTIFICATE_UNTRUSTED', testKey('no-ski').certificate, { pinned: [client], anchors: [] });
  });

  it('checks the dates of each certificate, to the second', () => {
    refuse('CERTIFICATE_EXPIRED', testKey('expired').certificate);
    refuse('CERTIFICATE_EXPIRED', testKey('expired').certificate, {
      pinned: [testKey('expired').certificate],
    });
    refuse('CERTIFICATE_NOT_YET_VALID', testKey('not-yet-valid').certificate);
    accept(client, { at: client.notAfter });
    accept(client, { at: client.notAfter + 999 });
    refuse('CERTIFICATE_EXPIRED', client, { at: client.notAfter + 1000 });
    accept(client, { at: client.notBefore });
    refuse('CERTIFICATE_NOT_YET_VALID', client, { at: client.notBefore - 1 });
    refuse('CERTIFICATE_EXPIRED', leaf, { intermediates: [variant({ notAfter: testNow - 1000 })] });
    accept(leaf, { intermediates: [variant()] });
    const oldAnchor = issue({
      of: 'ca',
      subject: ca.subject.toString(),
      ...authority,
      notAfter: testNow - 1000,
    });
    refuse('CERTIFICATE_EXPIRED', client, { anchors: [oldAnchor] });
  });

  it('wants CA flag, key usage and version of issuers', () => {
    refuse('CERTIFICATE_UNTRUSTED', leaf, {
      intermediates: [issue({ of: 'sub-ca', subject: 'CN=Sub CA,O=Countersign Tests' })],
    });
    refuse('CERTIFICATE_UNTRUSTED', leaf, { intermediates: [variant({ keyUsage: ['digitalSignature'] })] });
  });

  it('keeps to the path length', () => {
    const below = issue({
      of: 'sub-ca',
      by: 'sub-ca',
      subject: 'CN=Lower,O=Countersign Tests',
      issuer: 'CN=Sub CA,O=Countersign Tests',
      ...authority,
    });
    const end = issue({ of: 'client', by: 'sub-ca', issuer: 'CN=Lower,O=Countersign Tests' });
    refuse('CERTIFICATE_UNTRUSTED', end, { intermediates: [below, subCa] });
    accept(end, { intermediates: [below, variant({ ca: { pathLength: 1 } })] });
    const anchor = issue({
      of: 'ca',
      subject: ca.subject.toString(),
      keyUsage: ['keyCertSign'],
      ca: { pathLength: 0 },
    });
    refuse('CERTIFICATE_UNTRUSTED', leaf, { intermediates: [subCa], anchors: [anchor] });
    accept(client, { anchors: [anchor] });
  });

  it('wants key usage and purpose of the leaf', () => {
    refuse('CERTIFICATE_USAGE', testKey('wrong-usage').certificate);
    accept(testKey('wrong-usage').certificate, { usage: 'encrypt' });
    refuse('CERTIFICATE_USAGE', issue({ keyUsage: ['digitalSignature'] }), { usage: 'encrypt' });
    accept(issue());
    refuse('CERTIFICATE_USAGE', issue({ extendedKeyUsage: ['1.3.6.1.5.5.7.3.8'] }));
    accept(issue({ extendedKeyUsage: ['1.3.6.1.5.5.7.3.2'] }));
    accept(issue({ extendedKeyUsage: ['2.5.29.37.0'] }));
    accept(issue({ extendedKeyUsage: ['1.3.6.1.5.5.7.3.2'] }), { usage: 'tls-client' });
    refuse('CERTIFICATE_USAGE', issue({ extendedKeyUsage: ['1.3.6.1.5.5.7.3.2'] }), { usage: 'tls-server' });
    refuse('CERTIFICATE_USAGE', leaf, {
      intermediates: [variant({ extendedKeyUsage: ['1.3.6.1.5.5.7.3.8'] })],
    });
  });

  it('refuses critical extensions that it does not process', () => {
    const unknown = { oid: '1.2.3.4', critical: true, value: Uint8Array.of(5, 0) };
    refuse('CERTIFICATE_UNTRUSTED', issue({ extra: [unknown] }));
    accept(issue({ extra: [{ ...unknown, critical: false }] }));
    refuse('CERTIFICATE_UNTRUSTED', leaf, { intermediates: [variant({ extra: [unknown] })] });
  });

  it('refuses a bad signature', () => {
    const forged = issue({ by: 'other-ca', issuer: ca.subject.toString() });
    refuse('CERTIFICATE_UNTRUSTED', forged);
  });

  it('goes on after a candidate that does not do', () => {
    expect(
      accept(leaf, {
        intermediates: [variant({ notAfter: testNow - 1000 }), variant({ keyUsage: ['cRLSign'] }), subCa],
      }),
    ).toHaveLength(3);
  });

  it('asks permits about each certificate, saying which role it has', () => {
    const asked: string[] = [];
    accept(leaf, {
      intermediates: [subCa],
      permits: (certificate, role) => asked.push(`${certificate.subject.toString().split(',')[0]} ${role}`),
    });
    expect(asked).toEqual(['CN=leaf signed', 'CN=Sub CA signed', 'CN=Test CA trusted']);
    const deny =
      (wanted: Certificate) =>
      (certificate: Certificate): void => {
        if (certificate === wanted) throw new CountersignError('KEY_TOO_WEAK', 'weak');
      };
    for (const wanted of [leaf, subCa, ca]) {
      refuse('KEY_TOO_WEAK', leaf, { intermediates: [subCa], permits: deny(wanted) });
    }
  });

  it('keeps within its budgets', () => {
    const many = Array.from({ length: 17 }, () => subCa);
    refuse('CERTIFICATE_UNTRUSTED', leaf, { intermediates: many });
    accept(leaf, { intermediates: many.slice(1) });
    // CER-06: sixteen CAs of one name and key that certify each other.
    const crossed = Array.from({ length: 16 }, (_, index) =>
      issue({
        of: index % 2 === 0 ? 'sub-ca' : 'client',
        by: index % 2 === 0 ? 'client' : 'sub-ca',
        subject: 'CN=Loop,O=X',
        issuer: 'CN=Loop,O=X',
        serial: Uint8Array.of(index + 1),
        ...authority,
      }),
    );
    const end = issue({ of: 'ec', by: 'sub-ca', issuer: 'CN=Loop,O=X' });
    const started = performance.now();
    refuse('CERTIFICATE_UNTRUSTED', end, { intermediates: crossed });
    expect(checks).toBeLessThanOrEqual(100);
    expect(performance.now() - started).toBeLessThan(1000);
  });
});
