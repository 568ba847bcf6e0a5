import { describe, expect, it } from '@jest/globals';
import { element, sequence, objectIdentifier, utf8String } from '#src/pki/der-writer.js';
import {
  equalNames,
  issuerSerialMatches,
  matchesSubject,
  matchesWrittenName,
  parseName,
} from '#src/pki/index.js';
import type { Certificate } from '#src/pki/index.js';
import { readName } from '#src/pki/names.js';
import { issue, testKey } from '../support/pki.js';

type Value = string | { tag: number; bytes: Uint8Array };
/** A Name from RDNs in encoding order; each a list of OID and value. */
const name = (...rdns: (readonly (readonly [oid: string, value: Value])[])[]): Uint8Array =>
  sequence(
    ...rdns.map((rdn) =>
      element(
        0x31,
        ...rdn.map(([oid, value]) =>
          sequence(
            objectIdentifier(oid),
            typeof value === 'string' ? utf8String(value) : element(value.tag, value.bytes),
          ),
        ),
      ),
    ),
  );
const CN = '2.5.4.3';
const O = '2.5.4.10';
const OU = '2.5.4.11';
const EMAIL = '1.2.840.113549.1.9.1';
const printable = (text: string): Value => ({ tag: 0x13, bytes: Buffer.from(text) });
const withSubject = (der: Uint8Array): Certificate => ({
  ...testKey('client').certificate,
  subject: readName(der),
  issuer: readName(der),
});

describe('printing', () => {
  const cases: readonly (readonly [Value, string])[] = [
    ['Acme', 'CN=Acme'],
    ['Acme, Inc.', 'CN=Acme\\, Inc.'],
    [' leading', 'CN=\\ leading'],
    ['trailing ', 'CN=trailing\\ '],
    ['#1', 'CN=\\#1'],
    ['a#b', 'CN=a#b'],
    ['a+b"c\\d<e>f;g', 'CN=a\\+b\\"c\\\\d\\<e\\>f\\;g'],
    ['nul\0', 'CN=nul\\00'],
    ['line\n', 'CN=line\\0a'],
    ['Müller', 'CN=Müller'],
    ['*', 'CN=\\2A'],
    ['*.acme.org', 'CN=*.acme.org'],
    [{ tag: 0x14, bytes: Uint8Array.of(0x4d, 0xfc) }, 'CN=Mü'],
    [{ tag: 0x1e, bytes: Uint8Array.of(0x00, 0x4d, 0x20, 0xac) }, 'CN=M€'],
    [{ tag: 0x04, bytes: Uint8Array.of(1, 2) }, 'CN=#04020102'],
    [{ tag: 0x0c, bytes: Uint8Array.of(0xff) }, 'CN=#0c01ff'],
  ];
  it.each(cases)('%j as %s', (value, text) => {
    expect(readName(name([[CN, value]])).toString()).toBe(text);
  });

  it('starts with the most specific RDN and joins attributes with +', () => {
    const parsed = readName(
      name(
        [[O, 'Acme']],
        [
          [OU, 'a'],
          [OU, 'b'],
        ],
        [[CN, 'client']],
      ),
    );
    expect(parsed.toString()).toBe('CN=client,OU=a+OU=b,O=Acme');
  });

  it('has names for people and OIDs for XML', () => {
    const parsed = readName(name([[O, 'Acme']], [[EMAIL, { tag: 0x16, bytes: Buffer.from('a@b') }]]));
    expect(parsed.toString()).toBe('emailAddress=a@b,O=Acme');
    expect(parsed.rfc2253()).toBe('1.2.840.113549.1.9.1=#1603614062,O=Acme');
  });

  it('prints what the parser reads back', () => {
    for (const text of ['x, y', '#', ' ', '  a  ', '"q"', 'a\\b', '*', 'é', '\u0001']) {
      const certificate = withSubject(name([[O, 'Acme']], [[CN, text]]));
      expect(matchesSubject(certificate, parseName(certificate.subject.toString()))).toBe(true);
      expect(matchesWrittenName(certificate.subject, certificate.subject.rfc2253())).toBe(true);
    }
  });
});

describe('matchesSubject', () => {
  const client = withSubject(name([[O, 'Acme']], [[CN, 'client']]));
  const is = (pattern: string, certificate = client): boolean =>
    matchesSubject(certificate, parseName(pattern));

  it.each([
    'CN=client,O=Acme',
    'cn=client, o=Acme',
    'CN = client , O = Acme',
    '2.5.4.3=client,O=Acme',
    'CN="client",O=Acme',
    'CN=\\63lient,O=Acme',
    'CN=#0c06636c69656e74,O=Acme',
    'CN=*,O=Acme',
    'CN=*,O=*',
  ])('accepts %s', (pattern) => expect(is(pattern)).toBe(true));
  it.each(
    [
      'CN=client',
      'O=Acme',
      'O=Acme,CN=client',
      'CN=client,O=Acme,C=DE',
      'CN=Client,O=Acme',
      'CN=client,O=acme',
      'CN=clien*,O=Acme',
      'CN=\\2A,O=Acme',
      'CN="*",O=Acme',
      'CN=client+O=Acme',
      'OU=*,O=Acme',
      '*',
      '',
    ].filter((text) => text !== '*'),
  )('refuses %s', (pattern) => expect(is(pattern)).toBe(false));

  it('is not fooled by a separator inside a value', () => {
    // CER-09: one RDN whose value reads like two.
    const evil = withSubject(name([[CN, 'client,O=Acme']]));
    expect(is('CN=client,O=Acme', evil)).toBe(false);
    expect(is('CN=client\\,O=Acme', evil)).toBe(true);
    const nul = withSubject(name([[O, 'Acme']], [[CN, 'client\0.evil']]));
    expect(is('CN=client,O=Acme', nul)).toBe(false);
    const more = withSubject(name([[O, 'evil']], [[O, 'Acme']], [[CN, 'client']]));
    expect(is('CN=client,O=Acme', more)).toBe(false);
    const multi = withSubject(
      name(
        [[O, 'Acme']],
        [
          [CN, 'client'],
          [OU, 'evil'],
        ],
      ),
    );
    expect(is('CN=client,O=Acme', multi)).toBe(false);
  });

  it('compares a multi-valued RDN as a set, each attribute once', () => {
    const multi = withSubject(
      name([
        [CN, 'a'],
        [OU, 'b'],
      ]),
    );
    expect(is('OU=b+CN=a', multi)).toBe(true);
    expect(is('CN=*+OU=b', multi)).toBe(true);
    expect(is('CN=a+CN=a', multi)).toBe(false);
    const twice = withSubject(
      name([
        [OU, 'a'],
        [OU, 'b'],
      ]),
    );
    expect(is('OU=*+OU=a', twice)).toBe(true);
    expect(is('OU=a+OU=a', twice)).toBe(false);
  });

  it('takes the string type as no difference', () => {
    expect(
      is('CN=client,O=Acme', withSubject(name([[O, printable('Acme')]], [[CN, printable('client')]]))),
    ).toBe(true);
  });

  it.each([
    'client',
    'CN',
    'CN=a,',
    'CN="a',
    'CN=a\\',
    'CN=#xyz',
    'FOO=a',
    'CN="a"b',
    'CN=\\ff',
    '1.2.=a',
    'CN=a,,O=b',
  ])('refuses to read %s', (pattern) =>
    expect(() => parseName(pattern)).toThrow(expect.objectContaining({ code: 'POLICY_INVALID' })),
  );
});

describe('issuer and serial number as peers write them', () => {
  const mail = { tag: 0x16, bytes: Buffer.from('ca@acme.org') };
  const issuer = withSubject(
    name(
      [['2.5.4.6', printable('DE')]],
      [['2.5.4.8', 'Hessen']],
      [[O, 'Acme, Inc.']],
      [[CN, 'Acme CA']],
      [[EMAIL, mail]],
    ),
  );
  const certificate: Certificate = { ...issuer, serial: '4097' };
  it.each([
    [
      'Java RFC 2253 (WSS4J)',
      '1.2.840.113549.1.9.1=#160b63614061636d652e6f7267,CN=Acme CA,O=Acme\\, Inc.,ST=Hessen,C=DE',
    ],
    ['Java RFC 1779', 'OID.1.2.840.113549.1.9.1=ca@acme.org, CN=Acme CA, O="Acme, Inc.", ST=Hessen, C=DE'],
    ['Java toString', 'EMAILADDRESS=ca@acme.org, CN=Acme CA, O="Acme, Inc.", ST=Hessen, C=DE'],
    ['.NET', 'E=ca@acme.org, CN=Acme CA, O="Acme, Inc.", S=Hessen, C=DE'],
    ['OpenSSL (xmlsec1)', 'emailAddress=ca@acme.org,CN=Acme CA,O=Acme\\, Inc.,ST=Hessen,C=DE'],
    ['BouncyCastle', 'C=DE,ST=Hessen,O=Acme\\, Inc.,CN=Acme CA,E=ca@acme.org'],
    ['spaced over lines', '\n  E=ca@acme.org,\n  CN=Acme  CA, O=acme\\, inc.,\n  ST=Hessen, C=de \n'],
    ['hex escapes', 'E=ca@acme.org,CN=Acme\\20CA,O=Acme\\2C Inc.,ST=Hessen,C=DE'],
    ['ours', issuer.subject.rfc2253()],
    ['for people', issuer.subject.toString()],
  ])('reads %s', (_, text) => {
    expect(issuerSerialMatches(certificate, text, '4097')).toBe(true);
    expect(issuerSerialMatches(certificate, text, ' 4097\n')).toBe(true);
    expect(issuerSerialMatches(certificate, text, '4098')).toBe(false);
    expect(issuerSerialMatches(certificate, text.replace('Hessen', 'Bayern'), '4097')).toBe(false);
  });

  it('takes nothing that is no name and no number', () => {
    for (const text of ['', 'CN', '*', 'E=*,CN=*,O=*,ST=*,C=*', 'x'.repeat(20_000)]) {
      expect(issuerSerialMatches(certificate, text, '4097')).toBe(false);
    }
    for (const serial of ['', '0x1001', '4097.0', '1'.repeat(100)]) {
      expect(issuerSerialMatches(certificate, issuer.subject.rfc2253(), serial)).toBe(false);
    }
  });
});

describe('equalNames', () => {
  const base = readName(name([[O, 'Acme']], [[CN, 'Test CA']]));
  it('disregards letter case, spaces and string types, as chaining may', () => {
    expect(equalNames(base, readName(name([[O, printable('ACME')]], [[CN, printable(' test   ca ')]])))).toBe(
      true,
    );
  });
  it('tells other names apart', () => {
    expect(equalNames(base, readName(name([[CN, 'Test CA']], [[O, 'Acme']])))).toBe(false);
    expect(equalNames(base, readName(name([[O, 'Acme']])))).toBe(false);
    expect(equalNames(base, readName(name([[O, 'Acme']], [[OU, 'Test CA']])))).toBe(false);
  });
  it('compares issued names', () => {
    expect(equalNames(issue().issuer, testKey('ca').certificate.subject)).toBe(true);
  });
});
