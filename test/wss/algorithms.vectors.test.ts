/**
 * The W3C XML Signature 1.1 interoperability files: canonical SignedInfo, SignatureValue and same-document digests with
 * our table, our canonical forms and our provider. They are enveloped and enveloping signatures with bare keys, which
 * the gateway does not take, so that the steps are done here one by one.
 */
import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { decodeBase64 } from '#src/core/bytes.js';
import { defaultLimits } from '#src/core/limits.js';
import type { KeyHandle } from '#src/providers/index.js';
import type { SignatureDescriptor } from '#src/wss/algorithms/descriptor.js';
import type { Toolkit } from '#src/wss/toolkit.js';
import {
  type C14nMethod,
  canonicalize,
  NONE,
  type NodeId,
  ns,
  parseDocument,
  type XmlDocument,
} from '#src/xml/index.js';
import { vectors } from '../support/paths.js';
import { outcome, testToolkit } from '../support/toolkit.js';

const folder = vectors('xmldsig', 'w3c-xmldsig11');
const files = ['microsoft', 'oracle', 'sun'].flatMap((name) =>
  folder === undefined
    ? []
    : readdirSync(resolve(folder, name))
        .filter((file) => file.endsWith('.xml'))
        .map((file) => `${name}/${file}`),
);
/** DSA and ECDSA with SHA-1 are none of ours. */
const foreign = /dsa_1024|(ecc_p|-p)\d+_sha1/;

const child = (doc: XmlDocument, parent: NodeId, local: string): NodeId =>
  doc.children(parent).find((one) => doc.localName(one) === local) ?? NONE;
const descend = (doc: XmlDocument, from: NodeId, ...path: string[]): NodeId =>
  path.reduce((at, local) => child(doc, at, local), from);
const octets = (
  doc: XmlDocument,
  apex: NodeId | 'document',
  method: C14nMethod,
  exclude?: NodeId,
): Buffer => {
  const pieces: Buffer[] = [];
  const sink = { write: (bytes: Uint8Array): number => pieces.push(Buffer.from(bytes)) };
  canonicalize(doc, apex, method, sink, exclude === undefined ? {} : { exclude });
  return Buffer.concat(pieces);
};
const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

let toolkit: Toolkit;
beforeAll(async () => {
  toolkit = await testToolkit();
});

function methodOf(doc: XmlDocument, element: NodeId): C14nMethod {
  const { algorithm, comments } = toolkit.algorithms.byUri(
    doc.attribute(element, '', 'Algorithm') ?? '',
    'c14n',
  );
  return { algorithm, comments };
}

const curves = [
  { oid: '1.2.840.10045.3.1.7', crv: 'P-256', size: 32 },
  { oid: '1.3.132.0.34', crv: 'P-384', size: 48 },
  { oid: '1.3.132.0.35', crv: 'P-521', size: 66 },
];

function publicKey(doc: XmlDocument, signature: NodeId): KeyHandle {
  const value = descend(doc, signature, 'KeyInfo', 'KeyValue');
  const rsa = child(doc, value, 'RSAKeyValue');
  const key = rsa === NONE ? ecKey(doc, value) : rsaKey(doc, rsa);
  const spki = createPublicKey({ key, format: 'jwk' }).export({ format: 'der', type: 'spki' });
  return toolkit.crypto.importPublicKey(spki);
}

const rsaKey = (doc: XmlDocument, element: NodeId): JsonWebKey => ({
  kty: 'RSA',
  n: base64url(doc.base64(child(doc, element, 'Modulus'))),
  e: base64url(doc.base64(child(doc, element, 'Exponent'))),
});

function ecKey(doc: XmlDocument, value: NodeId): JsonWebKey {
  const modern = child(doc, value, 'ECKeyValue');
  const named =
    modern === NONE
      ? descend(doc, value, 'ECDSAKeyValue', 'DomainParameters', 'NamedCurve')
      : child(doc, modern, 'NamedCurve');
  const uri = doc.attribute(named, '', modern === NONE ? 'URN' : 'URI') ?? '';
  const curve = curves.find(({ oid }) => uri === `urn:oid:${oid}`);
  if (curve === undefined) throw new Error(`curve ${uri}`);
  const { crv, size } = curve;
  if (modern !== NONE) {
    const point = Buffer.from(doc.base64(child(doc, modern, 'PublicKey')));
    return {
      kty: 'EC',
      crv,
      x: base64url(point.subarray(1, 1 + size)),
      y: base64url(point.subarray(1 + size)),
    };
  }
  const point = descend(doc, value, 'ECDSAKeyValue', 'PublicKey');
  const coordinate = (name: string): string => {
    const decimal = doc.attribute(child(doc, point, name), '', 'Value') ?? '0';
    return base64url(
      Buffer.from(
        BigInt(decimal)
          .toString(16)
          .padStart(size * 2, '0'),
        'hex',
      ),
    );
  };
  return { kty: 'EC', crv, x: coordinate('X'), y: coordinate('Y') };
}

function secret(file: string, method: SignatureDescriptor): KeyHandle {
  const bits = /hmac-sha(\d+)/.exec(method.id)?.[1] ?? '';
  const microsoft = file.startsWith('microsoft/');
  const name = resolve(folder ?? '', `microsoft/secret-sha${bits}.hmac`);
  const bytes = microsoft
    ? readFileSync(name)
    : Buffer.from(file.startsWith('oracle/') ? 'testkey' : 'secret');
  return toolkit.crypto.importSecretKey(bytes);
}

function referenced(doc: XmlDocument, signature: NodeId, reference: NodeId): Buffer {
  const uri = doc.attribute(reference, '', 'URI') ?? '';
  const implied: C14nMethod = { algorithm: 'inclusive-1.0', comments: false };
  const transforms = child(doc, reference, 'Transforms');
  const last = transforms === NONE ? undefined : doc.children(transforms).at(-1);
  const known =
    last === undefined
      ? undefined
      : toolkit.algorithms.find(doc.attribute(last, '', 'Algorithm') ?? '', 'c14n');
  const method = known === undefined ? implied : { algorithm: known.algorithm, comments: false };
  if (uri === '') return octets(doc, 'document', method, signature);
  return octets(doc, doc.elementById(uri.slice(1)) ?? NONE, method);
}

(folder === undefined ? describe.skip : describe)('W3C XML Signature 1.1', () => {
  const ids = { anywhere: [], unqualified: [{ local: 'Id', namespaces: [ns.ds] }] };
  const parse = (file: string): { doc: XmlDocument; signature: NodeId } => {
    const doc = parseDocument(readFileSync(resolve(folder ?? '', file)), { limits: defaultLimits, ids });
    const signature = doc.is(doc.root, ns.ds, 'Signature') ? doc.root : child(doc, doc.root, 'Signature');
    return { doc, signature };
  };
  const ours = files.filter((file) => !foreign.test(file));

  it('has the files that are known', () => {
    expect(files.length).toBeGreaterThan(70);
    expect(ours.length).toBeGreaterThan(55);
  });

  it.each(files.filter((file) => foreign.test(file)))('does not know the algorithm of %s', async (file) => {
    const { doc, signature } = parse(file);
    const uri =
      doc.attribute(descend(doc, signature, 'SignedInfo', 'SignatureMethod'), '', 'Algorithm') ?? '';
    expect(await outcome(() => toolkit.algorithms.byUri(uri, 'signature'))).toBe('ALGORITHM_UNKNOWN');
  });

  it.each(ours)('verifies %s, and not when it is changed', (file) => {
    const { doc, signature } = parse(file);
    const info = child(doc, signature, 'SignedInfo');
    const uri = doc.attribute(child(doc, info, 'SignatureMethod'), '', 'Algorithm') ?? '';
    const method = toolkit.algorithms.byUri(uri, 'signature');
    const data = octets(doc, info, methodOf(doc, child(doc, info, 'CanonicalizationMethod')));
    const value = doc.base64(child(doc, signature, 'SignatureValue'));
    const key = method.key.kind === 'secret' ? secret(file, method) : publicKey(doc, signature);
    expect(toolkit.crypto.verify(method.algorithm, key, value, data)).toBe(true);
    data[data.length - 20]! ^= 1;
    expect(toolkit.crypto.verify(method.algorithm, key, value, data)).toBe(false);

    for (const reference of doc.children(info).filter((one) => doc.localName(one) === 'Reference')) {
      const digest = toolkit.algorithms.byUri(
        doc.attribute(child(doc, reference, 'DigestMethod'), '', 'Algorithm') ?? '',
        'digest',
      );
      const expected = decodeBase64(doc.text(child(doc, reference, 'DigestValue')));
      const found = toolkit.crypto.digest(digest.hash, referenced(doc, signature, reference));
      expect(Buffer.from(found).toString('hex')).toBe(Buffer.from(expected ?? []).toString('hex'));
    }
  });
});
