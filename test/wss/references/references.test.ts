import { beforeAll, describe, expect, it } from '@jest/globals';
import { isCountersignError } from '#src/core/errors.js';
import type { Certificate } from '#src/pki/index.js';
import { readKeyInfo } from '#src/wss/references/read.js';
import { matchingEntries, resolveCertificate } from '#src/wss/references/resolve.js';
import type { ReferenceStyle } from '#src/wss/references/types.js';
import { writeKeyInfo } from '#src/wss/references/write.js';
import { createCertificateReader } from '#src/wss/tokens/certificates.js';
import { indexTokens, type TokenIndex } from '#src/wss/tokens/index-tokens.js';
import type { Toolkit } from '#src/wss/toolkit.js';
import { type NodeId, ns, type XmlDocument } from '#src/xml/index.js';
import { testKey } from '../../support/pki.js';
import { outcome, parseMessage, testToolkit } from '../../support/toolkit.js';

const profile = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-x509-token-profile-1.0#';
const encoding =
  'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-soap-message-security-1.0#Base64Binary';
const client = testKey('client').certificate;
const server = testKey('server').certificate;
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

let toolkit: Toolkit;
beforeAll(async () => {
  toolkit = await testToolkit();
});

interface Header {
  readonly doc: XmlDocument;
  readonly keyInfo: NodeId;
  readonly tokens: TokenIndex;
}

/** A Security header with tokens and one KeyInfo. */
function header(keyInfo: string, tokens = ''): Header {
  const doc = parseMessage(
    `<wsse:Security xmlns:wsse="${ns.wsse}" xmlns:wsu="${ns.wsu}" xmlns:ds="${ns.ds}">${tokens}${keyInfo}</wsse:Security>`,
  );
  const last = doc.children(doc.root).at(-1)!;
  return { doc, keyInfo: last, tokens: indexTokens(doc, doc.root, toolkit) };
}

const token = (id: string, content: string, type = 'X509v3', extra = ''): string =>
  `<wsse:BinarySecurityToken wsu:Id="${id}" ValueType="${profile}${type}"${extra}>${content}</wsse:BinarySecurityToken>`;
const info = (content: string): string => `<ds:KeyInfo>${content}</ds:KeyInfo>`;
const str = (content: string): string =>
  info(`<wsse:SecurityTokenReference>${content}</wsse:SecurityTokenReference>`);
const direct = (id: string): string => str(`<wsse:Reference URI="#${id}"/>`);

const resolve = (
  keyInfo: string,
  options: { tokens?: string; configured?: readonly Certificate[] } = {},
): Promise<string> =>
  outcome(() => {
    const made = header(keyInfo, options.tokens);
    const reference = readKeyInfo(made.doc, made.keyInfo);
    return resolveCertificate(reference, made.tokens, options.configured ?? [], toolkit);
  });

describe('references that we write', () => {
  it.each<ReferenceStyle>(['direct', 'issuer-serial', 'ski', 'thumbprint', 'x509-data'])(
    'reads %s back, as signature and as key ring would',
    (style) => {
      const written = writeKeyInfo(style, client, toolkit);
      expect(written.token === undefined).toBe(style !== 'direct');
      const { doc, keyInfo, tokens } = header(written.keyInfo, written.token);
      const reference = readKeyInfo(doc, keyInfo);
      const found = resolveCertificate(reference, tokens, [server, client], toolkit);
      expect(base64(found.certificate.der)).toBe(base64(client.der));
      const entries = [{ certificate: server }, { certificate: client }];
      expect(matchingEntries(reference, tokens, entries, toolkit)).toEqual([entries[1]]);
      expect(matchingEntries(reference, tokens, entries.slice(0, 1), toolkit)).toEqual([]);
      expect(tokens.unused).toEqual([]);
    },
  );
});

describe('references of peers', () => {
  const issuerSerial = (certificate: Certificate): string =>
    `<ds:X509IssuerSerial><ds:X509IssuerName>${certificate.issuer.toString()}</ds:X509IssuerName>` +
    `<ds:X509SerialNumber>${certificate.serial}</ds:X509SerialNumber></ds:X509IssuerSerial>`;
  const certificate = (der: Uint8Array): string =>
    `<ds:X509Certificate>\n${base64(der)}\n</ds:X509Certificate>`;
  const data = (...content: string[]): string => `<ds:X509Data>${content.join('\n')}</ds:X509Data>`;

  it("takes zeep's issuer, serial and certificate, in a SecurityTokenReference or directly", async () => {
    const both = data(issuerSerial(client), certificate(client.der));
    expect(await resolve(str(both))).toBe('accepted');
    expect(await resolve(info(both))).toBe('accepted');
  });

  it('takes X509SKI, and the certificate as a KeyIdentifier', async () => {
    const ski = data(`<ds:X509SKI>${base64(client.subjectKeyIdentifier ?? new Uint8Array())}</ds:X509SKI>`);
    expect(await resolve(str(ski), { configured: [server, client] })).toBe('accepted');
    const whole = `<wsse:KeyIdentifier ValueType="${profile}X509v3" EncodingType="${encoding}">${base64(client.der)}</wsse:KeyIdentifier>`;
    expect(await resolve(str(whole))).toBe('accepted');
  });

  it('takes a subject name that fits the certificate', async () => {
    const subject = (name: string): string => `<ds:X509SubjectName>${name}</ds:X509SubjectName>`;
    const named = (name: string): string => info(data(subject(name), certificate(client.der)));
    expect(await resolve(named(client.subject.toString()))).toBe('accepted');
    expect(await resolve(named('CN=somebody else'))).toBe('TOKEN_UNAVAILABLE');
  });

  it('says who can act where a certificate is only identified and not known', () => {
    const made = header(str(data(issuerSerial(server))));
    const reference = readKeyInfo(made.doc, made.keyInfo);
    let remedy: unknown;
    try {
      resolveCertificate(reference, made.tokens, [client], toolkit);
    } catch (error) {
      remedy = isCountersignError(error) ? error.details['remedy'] : undefined;
    }
    expect(remedy).toMatch(/^The sender must send its certificate along/);
  });

  it('finds a token that is only identified', async () => {
    const tokens = token('a', base64(client.der)) + token('b', base64(server.der));
    expect(await resolve(str(data(issuerSerial(server))), { tokens })).toBe('accepted');
    expect(await resolve(str(data(issuerSerial(server))), { tokens, configured: [server] })).toBe('accepted');
  });

  it.each<[string, () => string, string]>([
    [
      'a certificate and the serial of another (SIG-05)',
      () => info(data(issuerSerial(server), certificate(client.der))),
      'TOKEN_UNAVAILABLE',
    ],
    [
      'two certificates (SIG-05)',
      () => info(data(certificate(client.der), certificate(server.der))),
      'TOKEN_AMBIGUOUS',
    ],
    ['an empty X509Data', () => info(data()), 'SECURITY_STRUCTURE'],
    ['a CRL', () => info(data('<ds:X509CRL>AAAA</ds:X509CRL>')), 'TOKEN_UNSUPPORTED'],
    [
      'a serial without issuer',
      () =>
        info(data('<ds:X509IssuerSerial><ds:X509SerialNumber>1</ds:X509SerialNumber></ds:X509IssuerSerial>')),
      'SECURITY_STRUCTURE',
    ],
    [
      'two children in the reference',
      () => str('<wsse:Reference URI="#a"/><wsse:Reference URI="#a"/>'),
      'SECURITY_STRUCTURE',
    ],
    ['no child in the reference', () => str(''), 'SECURITY_STRUCTURE'],
    ['text in the reference', () => str('x<wsse:Reference URI="#a"/>'), 'SECURITY_STRUCTURE'],
    ['an embedded token', () => str('<wsse:Embedded/>'), 'TOKEN_UNSUPPORTED'],
    ['a key name', () => str('<ds:KeyName>x</ds:KeyName>'), 'TOKEN_UNSUPPORTED'],
    ['a foreign Reference', () => str('<x:Reference xmlns:x="urn:x" URI="#a"/>'), 'TOKEN_UNSUPPORTED'],
    ['a remote reference', () => str('<wsse:Reference URI="http://host/token"/>'), 'REFERENCE_FORBIDDEN'],
    ['a reference without URI', () => str('<wsse:Reference/>'), 'REFERENCE_FORBIDDEN'],
    [
      'a KeyInfoReference (SIG-06)',
      () => info(`<d:KeyInfoReference xmlns:d="${ns.dsig11}" URI="#a"/>`),
      'REFERENCE_FORBIDDEN',
    ],
    ['an id that is none', () => direct('nowhere'), 'TOKEN_UNAVAILABLE'],
    [
      'a KeyIdentifier without type',
      () => str('<wsse:KeyIdentifier>AAAA</wsse:KeyIdentifier>'),
      'TOKEN_UNSUPPORTED',
    ],
    [
      'a SAML KeyIdentifier',
      () =>
        str(
          `<wsse:KeyIdentifier ValueType="http://docs.oasis-open.org/wss/oasis-wss-saml-token-profile-1.1#SAMLID">a</wsse:KeyIdentifier>`,
        ),
      'TOKEN_UNSUPPORTED',
    ],
    [
      'a hexadecimal KeyIdentifier',
      () =>
        str(
          `<wsse:KeyIdentifier ValueType="${profile}X509v3" EncodingType="urn:hex">00</wsse:KeyIdentifier>`,
        ),
      'SECURITY_STRUCTURE',
    ],
    [
      'a KeyIdentifier that is no base64',
      () => str(`<wsse:KeyIdentifier ValueType="${profile}X509v3">A*==</wsse:KeyIdentifier>`),
      'XML_BASE64',
    ],
    [
      'a certificate that is none',
      () => info(data('<ds:X509Certificate>AAAA</ds:X509Certificate>')),
      'CERTIFICATE_MALFORMED',
    ],
    [
      'a comment in the certificate (XSW-13)',
      () => info(data(certificate(client.der).replace('\n', '<!---->'))),
      'XML_NOT_TEXT',
    ],
  ])('refuses %s', async (_, keyInfo, code) => {
    expect(await resolve(keyInfo())).toBe(code);
  });
});

describe('tokens', () => {
  /** DER of a SEQUENCE. */
  const sequence = (...items: Uint8Array[]): Buffer => {
    const content = Buffer.concat(items);
    return Buffer.concat([Buffer.from([0x30, 0x82, content.length >> 8, content.length & 0xff]), content]);
  };
  const path = (bytes: Uint8Array): string => token('a', base64(bytes), 'X509PKIPathv1');

  it('reads a path, end entity last', () => {
    const ca = testKey('ca').certificate;
    const { doc, keyInfo, tokens } = header(direct('a'), path(sequence(ca.der, client.der)));
    const found = resolveCertificate(readKeyInfo(doc, keyInfo), tokens, [], toolkit);
    expect(base64(found.certificate.der)).toBe(base64(client.der));
    expect(found.intermediates.map(({ der }) => base64(der))).toEqual([base64(ca.der)]);
  });

  it.each<[string, () => string, string]>([
    [
      'octets after the path',
      () => path(Buffer.concat([sequence(client.der), Buffer.from([0])])),
      'TOKEN_MALFORMED',
    ],
    ['an empty path', () => path(Buffer.from([0x30, 0])), 'TOKEN_MALFORMED'],
    ['a path cut short', () => path(sequence(client.der).subarray(0, 100)), 'TOKEN_MALFORMED'],
    [
      'nine certificates',
      () => path(sequence(...Array.from({ length: 9 }, () => client.der))),
      'TOKEN_MALFORMED',
    ],
    ['a length that is not minimal', () => path(Buffer.from([0x30, 0x81, 0x01, 0x00])), 'TOKEN_MALFORMED'],
    ['another encoding', () => token('a', 'AAAA', 'X509v3', ' EncodingType="urn:hex"'), 'TOKEN_MALFORMED'],
    ['another type', () => token('a', 'AAAA', 'PKCS7'), 'TOKEN_UNSUPPORTED'],
    ['no certificate', () => token('a', 'AAAA'), 'CERTIFICATE_MALFORMED'],
    ['junk in the base64', () => token('a', `${base64(client.der)}*`), 'XML_BASE64'],
    ['a child element', () => token('a', `${base64(client.der)}<x/>`), 'XML_NOT_TEXT'],
  ])('refuses %s', async (_, tokens, code) => {
    expect(await resolve(direct('a'), { tokens: tokens() })).toBe(code);
  });

  it('does not read a token that nothing names', async () => {
    const tokens = token('a', base64(client.der)) + token('b', 'AAAA', 'PKCS7');
    expect(await resolve(direct('a'), { tokens })).toBe('accepted');
    expect(header(direct('a'), tokens).tokens.unused).toHaveLength(2);
  });

  it('knows no token outside the Security header', async () => {
    expect(await resolve(direct('a'), { tokens: `<x>${token('a', base64(client.der))}</x>` })).toBe(
      'TOKEN_UNAVAILABLE',
    );
  });

  it('refuses more tokens than the limit', async () => {
    const many = Array.from({ length: 17 }, (_, at) => token(`t${at}`, base64(client.der))).join('');
    expect(await resolve(direct('t0'), { tokens: many })).toBe('SECURITY_LIMIT');
  });

  it('remembers certificates by their bytes', () => {
    const copy = Buffer.from(client.der);
    const first = toolkit.certificates.read(copy);
    expect(toolkit.certificates.read(client.der)).toBe(first);
    // The caller's buffer may be used for something else.
    copy.fill(0);
    expect(base64(first.der)).toBe(base64(client.der));
  });

  it('remembers a certificate by each way in which its base64 was written', () => {
    const reader = createCertificateReader(2);
    const plain = base64(client.der);
    const broken = plain.replace(/.{64}/g, '$&\n');
    const certificate = reader.read(client.der, plain);
    expect(reader.recall(plain)).toBe(certificate);
    expect(reader.recall(broken)).toBeUndefined();
    expect(reader.read(client.der, broken)).toBe(certificate);
    expect(reader.recall(broken)).toBe(certificate);
    expect(reader.recall(base64(server.der))).toBeUndefined();
    reader.read(server.der, base64(server.der));
    expect(reader.recall(plain)).toBeUndefined();
    expect(reader.recall(broken)).toBe(certificate);
  });

  it('remembers nothing of a text that was no certificate', async () => {
    const tokens = token('a', base64(Buffer.from('no certificate')));
    expect(await resolve(direct('a'), { tokens })).toBe('CERTIFICATE_MALFORMED');
    expect(await resolve(direct('a'), { tokens })).toBe('CERTIFICATE_MALFORMED');
  });
});
