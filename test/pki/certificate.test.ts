import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { bitString, element, objectIdentifier, octetString, sequence } from '#src/pki/der-writer.js';
import { matchesKeyIdentifier, parseCertificate, thumbprint } from '#src/pki/index.js';
import { issue, testDigest, testKey, type TestKeyName } from '../support/pki.js';

const names: readonly TestKeyName[] = [
  'ca',
  'client',
  'ec',
  'ec384',
  'ed25519',
  'expired',
  'leaf',
  'sub-ca',
  'no-ski',
];

describe('parseCertificate', () => {
  it.each(names)('reads %s as node:crypto does', (name) => {
    const { certificate } = testKey(name);
    const peer = new X509Certificate(Buffer.from(certificate.der));
    expect(BigInt(certificate.serial)).toBe(BigInt(`0x${peer.serialNumber}`));
    expect(certificate.notBefore).toBe(Date.parse(peer.validFrom));
    expect(certificate.notAfter).toBe(Date.parse(peer.validTo));
    expect(Buffer.from(certificate.spki)).toEqual(peer.publicKey.export({ type: 'spki', format: 'der' }));
    expect(certificate.basicConstraints?.ca ?? false).toBe(peer.ca);
    const sha1 = Buffer.from(thumbprint(certificate, testDigest)).toString('hex').toUpperCase();
    expect(sha1).toBe(peer.fingerprint.replaceAll(':', ''));
  });

  it('reads keys and extensions', () => {
    expect(testKey('client').certificate).toMatchObject({
      version: 3,
      publicKey: { kind: 'RSA', bits: 2048 },
      signatureAlgorithm: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
      keyUsage: new Set(['digitalSignature', 'nonRepudiation', 'keyEncipherment']),
      unknownCritical: [],
    });
    expect(testKey('ec').certificate.publicKey).toEqual({ kind: 'EC', bits: 256, curve: 'P-256' });
    expect(testKey('ed25519').certificate.publicKey).toEqual({ kind: 'Ed25519', bits: 256 });
    expect(testKey('sub-ca').certificate.basicConstraints).toEqual({ ca: true, pathLength: 0 });
    expect(issue({ notAfter: Date.UTC(2055, 5, 1) }).notAfter).toBe(Date.UTC(2055, 5, 1));
    expect(issue({ extendedKeyUsage: ['1.2.3'] }).extendedKeyUsage).toEqual(new Set(['1.2.3']));
    expect(
      issue({ extra: [{ oid: '1.2.3.4', critical: true, value: Uint8Array.of(5, 0) }] }).unknownCritical,
    ).toEqual(['1.2.3.4']);
  });

  it('finds a certificate by key identifier, stated or computed', () => {
    const { certificate } = testKey('client');
    expect(matchesKeyIdentifier(certificate, certificate.subjectKeyIdentifier!, testDigest)).toBe(true);
    const without = testKey('no-ski').certificate;
    expect(without.subjectKeyIdentifier).toBeUndefined();
    expect(matchesKeyIdentifier(without, certificate.subjectKeyIdentifier!, testDigest)).toBe(true);
    expect(
      matchesKeyIdentifier(testKey('server').certificate, certificate.subjectKeyIdentifier!, testDigest),
    ).toBe(false);
  });

  const good = testKey('client').certificate.der;
  const refuse = (der: Uint8Array): void =>
    expect(() => parseCertificate(der)).toThrow(expect.objectContaining({ code: 'CERTIFICATE_MALFORMED' }));
  const duplicate = { oid: '1.2.3', critical: false, value: Uint8Array.of(5, 0) };
  const spki = (algorithm: Uint8Array, key: Uint8Array): Uint8Array => sequence(algorithm, bitString(key));
  const rsa = sequence(objectIdentifier('1.2.840.113549.1.1.1'), element(5));
  const integer = (...bytes: number[]): Uint8Array => element(2, Uint8Array.from(bytes));

  const bad: readonly (readonly [string, () => unknown])[] = [
    ['nothing', () => parseCertificate(new Uint8Array(0))],
    ['a truncated certificate', () => parseCertificate(good.subarray(0, -1))],
    ['trailing bytes', () => parseCertificate(Buffer.concat([good, Uint8Array.of(0)]))],
    ['an indefinite length', () => parseCertificate(Uint8Array.of(0x30, 0x80, 0, 0))],
    ['a length that is not the shortest', () => parseCertificate(Uint8Array.of(0x30, 0x81, 0x01, 0x00))],
    ['a huge length', () => parseCertificate(Uint8Array.of(0x30, 0x85, 1, 0, 0, 0, 0))],
    ['more than 64 KiB', () => parseCertificate(sequence(octetString(new Uint8Array(70_000))))],
    ['a duplicate extension', () => issue({ extra: [duplicate, duplicate] })],
    ['an empty extended key usage', () => issue({ extendedKeyUsage: [] })],
    [
      'an RSA exponent of 1',
      () => issue({ of: spki(rsa, sequence(integer(0, 200, 1), integer(1))), keyIdentifiers: false }),
    ],
    [
      'an even RSA exponent',
      () => issue({ of: spki(rsa, sequence(integer(0, 200, 1), integer(4))), keyIdentifiers: false }),
    ],
    [
      'a negative RSA modulus',
      () => issue({ of: spki(rsa, sequence(integer(200, 1), integer(3))), keyIdentifiers: false }),
    ],
    [
      'explicit curve parameters',
      () =>
        issue({
          of: spki(sequence(objectIdentifier('1.2.840.10045.2.1'), sequence(integer(1))), Uint8Array.of(4)),
        }),
    ],
    [
      'a kind of key that is not known',
      () => issue({ of: spki(sequence(objectIdentifier('1.2.840.10040.4.1')), Uint8Array.of(4)) }),
    ],
  ];
  it.each(bad)('refuses %s', (_, make) => {
    expect(make).toThrow(expect.objectContaining({ code: 'CERTIFICATE_MALFORMED' }));
  });
  it('accepts their twin', () => expect(parseCertificate(good).serial).toBe('4098'));

  it('refuses a certificate that was cut anywhere', () => {
    for (let length = 0; length < good.length; length += 7) refuse(good.subarray(0, length));
  });

  it('reads or refuses any changed byte, and never fails otherwise', () => {
    for (let at = 0; at < good.length; at += 1) {
      for (const change of [1, 0x80, 0x55, 0xff]) {
        const changed = Uint8Array.from(good);
        changed[at] = (changed[at] ?? 0) ^ change;
        try {
          parseCertificate(changed).subject.toString();
        } catch (error) {
          expect(error).toMatchObject({ code: 'CERTIFICATE_MALFORMED' });
        }
      }
    }
  });
});
