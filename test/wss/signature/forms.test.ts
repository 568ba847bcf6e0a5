/** Forms that peers write and we do not: comments, RSA-PSS with parameters, inclusive canonicalisation. */
import { createPrivateKey, constants, sign as signBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { Toolkit } from '#src/wss/toolkit.js';
import { canonicalize, type C14nMethod, type NodeId, ns, type XmlDocument } from '#src/xml/index.js';
import { testKey } from '../../support/pki.js';
import { verified } from '../../support/signing.js';
import { outcome, parseMessage, testToolkit } from '../../support/toolkit.js';

interface Form {
  readonly transforms: string;
  readonly method: C14nMethod;
  readonly c14n: string;
  readonly c14nMethod: C14nMethod;
  readonly signatureMethod: string;
  readonly sign: (data: Buffer) => Buffer;
  readonly body?: string;
}

const exclusive: C14nMethod = { algorithm: 'exclusive', comments: false };
const key = createPrivateKey(testKey('client').keyPem);
const pkcs1 = (data: Buffer): Buffer => signBytes('sha256', data, key);
const pss = (data: Buffer): Buffer =>
  signBytes('sha256', data, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 });

const usual: Form = {
  transforms: `<ds:Transforms><ds:Transform Algorithm="${ns.excC14n}"/></ds:Transforms>`,
  method: exclusive,
  c14n: `<ds:CanonicalizationMethod Algorithm="${ns.excC14n}"/>`,
  c14nMethod: exclusive,
  signatureMethod: '<ds:SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"/>',
  sign: pkcs1,
};

const canonical = (doc: XmlDocument, element: NodeId, method: C14nMethod): Buffer => {
  const pieces: Buffer[] = [];
  canonicalize(doc, element, method, { write: (bytes) => void pieces.push(Buffer.from(bytes)) });
  return Buffer.concat(pieces);
};

/** Writes the Signature first and canonicalises its SignedInfo where it stands, line breaks and comments included. */
function made(toolkit: Toolkit, form: Form): string {
  const around = (signature: string): string =>
    `<soap:Envelope xmlns:soap="${ns.soap11}" xmlns:wsu="${ns.wsu}" xmlns:far="urn:far"><soap:Header>` +
    `<wsse:Security xmlns:wsse="${ns.wsse}">${signature}</wsse:Security></soap:Header>` +
    `<soap:Body wsu:Id="b">${form.body ?? '<o:order xmlns:o="urn:orders"/>'}</soap:Body></soap:Envelope>`;
  const plain = parseMessage(around(''));
  const body = canonical(plain, plain.elementById('b')!, form.method);
  const digest = Buffer.from(toolkit.crypto.digest('SHA-256', body)).toString('base64');
  const signature = (value: string): string =>
    `<ds:Signature xmlns:ds="${ns.ds}">\n<ds:SignedInfo>\n<!-- info -->\n${form.c14n}\n${form.signatureMethod}\n` +
    `<ds:Reference URI="#b">${form.transforms}<ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/>` +
    `<ds:DigestValue>${digest}</ds:DigestValue></ds:Reference></ds:SignedInfo><ds:SignatureValue>${value}</ds:SignatureValue>` +
    `<ds:KeyInfo><ds:X509Data><ds:X509Certificate>${Buffer.from(testKey('client').certificate.der).toString('base64')}` +
    `</ds:X509Certificate></ds:X509Data></ds:KeyInfo></ds:Signature>`;
  const unsigned = parseMessage(around(signature('')));
  const security = unsigned.firstChild(unsigned.firstChild(unsigned.root));
  const info = unsigned.firstChild(unsigned.firstChild(security));
  const value = form.sign(canonical(unsigned, info, form.c14nMethod));
  return around(signature(value.toString('base64')));
}

const judge = async (form: Partial<Form>, allow: string[] = []): Promise<string> => {
  const toolkit = await testToolkit({ allow });
  const message = made(toolkit, { ...usual, ...form });
  return outcome(() => verified(toolkit, message, { parts: ['body'] }));
};

describe('comments', () => {
  const body = 'a<!-- note -->b';
  const withComments = `${ns.excC14n}WithComments`;

  it('leaves them out of what a reference by id covers, whatever the transform says (C14-04)', async () => {
    expect(await judge({ body })).toBe('accepted');
    const transforms = usual.transforms.replace(ns.excC14n, withComments);
    expect(await judge({ body, transforms })).toBe('TRANSFORM_DENIED');
    expect(await judge({ body, transforms }, ['exc-c14n-comments'])).toBe('accepted');
    const method = { ...exclusive, comments: true };
    expect(await judge({ body, transforms, method }, ['exc-c14n-comments'])).toBe('DIGEST_MISMATCH');
  });

  it('keeps those of SignedInfo where the method says so', async () => {
    const c14n = usual.c14n.replace(ns.excC14n, withComments);
    const c14nMethod = { ...exclusive, comments: true };
    expect(await judge({ c14n, c14nMethod })).toBe('TRANSFORM_DENIED');
    expect(await judge({ c14n, c14nMethod }, ['exc-c14n-comments'])).toBe('accepted');
    expect(await judge({ c14n }, ['exc-c14n-comments'])).toBe('SIGNATURE_INVALID');
  });
});

describe('inclusive canonicalisation', () => {
  const uri = 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315';
  const method: C14nMethod = { algorithm: 'inclusive-1.0', comments: false };
  const inclusive = {
    transforms: usual.transforms.replace(ns.excC14n, uri),
    c14n: usual.c14n.replace(ns.excC14n, uri),
    method,
    c14nMethod: method,
  };

  it('is for a policy to allow', async () => {
    expect(await judge(inclusive)).toBe('TRANSFORM_DENIED');
    expect(await judge(inclusive, ['c14n for verify'])).toBe('accepted');
    expect(await judge(inclusive, ['c14n for verify until 2026-01-01'])).toBe('ALGORITHM_EXPIRED');
  });

  it('is what the absence of transforms means', async () => {
    const bare = { transforms: '', method };
    expect(await judge(bare)).toBe('TRANSFORM_DENIED');
    expect(await judge(bare, ['c14n'])).toBe('accepted');
    expect(await judge({ transforms: '' }, ['c14n'])).toBe('DIGEST_MISMATCH');
  });
});

describe('prefix lists (C14-05)', () => {
  const list = (prefixes: string): Partial<Form> => ({
    transforms: usual.transforms.replace(
      '"/></ds:Transforms>',
      `"><ec:InclusiveNamespaces xmlns:ec="${ns.excC14n}" PrefixList="${prefixes}"/></ds:Transform></ds:Transforms>`,
    ),
    method: { ...exclusive, inclusivePrefixes: prefixes.trim().split(/\s+/) },
  });

  it.each([
    ['far', 'accepted'],
    [' far  soap #default nowhere ', 'accepted'],
    [Array.from({ length: 64 }, (_, at) => `p${at}`).join(' '), 'accepted'],
    [Array.from({ length: 65 }, (_, at) => `p${at}`).join(' '), 'SECURITY_LIMIT'],
  ])('judges %s: %s', async (prefixes, code) => {
    expect(await judge(list(prefixes))).toBe(code);
  });

  it('are part of what is signed', async () => {
    expect(await judge({ ...list('far'), method: exclusive })).toBe('DIGEST_MISMATCH');
  });

  it('have no children, and belong to exclusive canonicalisation', async () => {
    const transforms =
      list('far').transforms?.replace('"far"/>', '"far"><x/></ec:InclusiveNamespaces>') ?? '';
    expect(await judge({ transforms })).toBe('SECURITY_STRUCTURE');
    const foreign = list('far').transforms?.replace('ec:InclusiveNamespaces', 'ec:Other') ?? '';
    expect(await judge({ transforms: foreign })).toBe('SECURITY_STRUCTURE');
  });
});

describe('RSA-PSS with parameters (SIG-15)', () => {
  const more = 'http://www.w3.org/2007/05/xmldsig-more#';
  const method = (params: string): Partial<Form> => ({
    signatureMethod: `<ds:SignatureMethod Algorithm="${more}rsa-pss">${params}</ds:SignatureMethod>`,
    sign: pss,
  });
  const params = (content: string): string => `<p:RSAPSSParams xmlns:p="${more}">${content}</p:RSAPSSParams>`;
  const digest = (hash: string): string =>
    `<ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#${hash}"/>`;
  const mask = (hash: string): string =>
    `<p:MaskGenerationFunction Algorithm="${more}MGF1">${digest(hash)}</p:MaskGenerationFunction>`;

  it.each([
    ['no parameters at all', ''],
    ['empty parameters', params('')],
    [
      'all of them',
      params(
        `${digest('sha256')}${mask('sha256')}<p:SaltLength>32</p:SaltLength><p:TrailerField>1</p:TrailerField>`,
      ),
    ],
  ])('accepts %s', async (_, content) => {
    expect(await judge(method(content))).toBe('accepted');
  });

  it.each([
    ['another mask', params(digest('sha256') + mask('sha512')), 'ALGORITHM_DENIED'],
    ['a salt of 0', params('<p:SaltLength>0</p:SaltLength>'), 'ALGORITHM_DENIED'],
    ['a salt of 1000', params('<p:SaltLength>1000</p:SaltLength>'), 'ALGORITHM_DENIED'],
    ['a salt that is no number', params('<p:SaltLength>x</p:SaltLength>'), 'SECURITY_STRUCTURE'],
    ['another trailer', params('<p:TrailerField>2</p:TrailerField>'), 'ALGORITHM_DENIED'],
    [
      'another order',
      params('<p:TrailerField>1</p:TrailerField><p:SaltLength>32</p:SaltLength>'),
      'SECURITY_STRUCTURE',
    ],
    ['an unknown parameter', params('<p:Extra/>'), 'SECURITY_STRUCTURE'],
    ['parameters twice', params('') + params(''), 'SECURITY_STRUCTURE'],
    ['an unknown hash', params(digest('md5')), 'ALGORITHM_UNKNOWN'],
    ['an unknown mask', params('<p:MaskGenerationFunction Algorithm="urn:mgf"/>'), 'ALGORITHM_UNKNOWN'],
    ['the digest of another', params(digest('sha512') + mask('sha512')), 'SIGNATURE_INVALID'],
  ])('refuses %s', async (_, content, code) => {
    expect(await judge(method(content))).toBe(code);
  });
});
