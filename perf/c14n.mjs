/** Canonical form: given a parsed document, and from bytes to digest, against xml-crypto and libxml2. */
import { createHash } from 'node:crypto';

import { DOMParser } from '@xmldom/xmldom';
import xmlCrypto from 'xml-crypto';

import { defaultLimits } from '../dist/core/limits.js';
import { canonicalize, findEnvelope, ns, parseDocument } from '../dist/xml/index.js';

import { document as envelope, sizes } from './documents.mjs';
import { interleave, row } from './harness.mjs';

const limits = { ...defaultLimits, envelope: 64 * 1024 * 1024 };
const ids = { anywhere: [{ namespace: ns.wsu, local: 'Id' }], unqualified: [] };
const method = { algorithm: 'exclusive', comments: false };

function ours(document, apex) {
  const digest = createHash('sha256');
  canonicalize(document, apex, method, { write: (bytes) => digest.update(bytes) });
  return digest.digest('base64');
}

function ourWay(message) {
  const document = parseDocument(message, { limits, ids });
  const digest = ours(document, findEnvelope(document).body);
  document.release();
  return digest;
}

function theirBody(message) {
  const dom = new DOMParser().parseFromString(message.toString(), 'text/xml');
  return dom.getElementsByTagNameNS(ns.soap11, 'Body')[0];
}

const theirs = new xmlCrypto.ExclusiveCanonicalization();
const theirDigest = (body) =>
  createHash('sha256').update(theirs.process(body, {}).toString()).digest('base64');

/** @returns rows for 1 KB … 1 MB */
export async function bench({ short = false } = {}) {
  const { XmlDocument: Libxml } = await import('libxml2-wasm');
  const rows = [];
  for (const { name, bytes } of sizes) {
    const message = envelope(bytes);
    const parsed = parseDocument(message, { limits, ids });
    const apex = findEnvelope(parsed).body;
    const body = theirBody(message);
    const libxml = Libxml.fromBuffer(message);
    const libxmlBody = libxml.get('//s:Body', { s: ns.soap11 });
    const expected = createHash('sha256')
      .update(libxmlBody.canonicalizeToString({ mode: 1 }))
      .digest('base64');
    const canonical = canonicalOf(parsed, apex);
    if (ourWay(message) !== expected) throw new Error('our digest differs from that of libxml2');
    if (theirDigest(body) !== expected)
      throw new Error('the digest of xml-crypto differs from that of libxml2');
    const again = parseDocument(canonical, { limits });
    const n = Math.max(1, Math.floor((short ? 5e5 : 2e6) / bytes));
    const { cpu } = await interleave(
      {
        digest: (count) => repeat(count, () => createHash('sha256').update(canonical).digest('base64')),
        c14n: (count) => repeat(count, () => canonicalize(parsed, apex, method, nowhere)),
        'canonical c14n': (count) => repeat(count, () => canonicalize(again, again.root, method, nowhere)),
        whole: (count) => repeat(count, () => ourWay(message)),
        'xml-crypto c14n': (count) => repeat(count, () => theirs.process(body, {}).toString()),
        'xml-crypto whole': (count) => repeat(count, () => theirDigest(theirBody(message))),
        libxml2: (count) => repeat(count, () => libxmlBody.canonicalizeToString({ mode: 1 })),
      },
      {
        rounds: short ? 3 : 9,
        iterations: {
          digest: n * 20,
          c14n: n * 20,
          'canonical c14n': n * 20,
          whole: n * 10,
          'xml-crypto c14n': n,
          'xml-crypto whole': n,
          libxml2: n,
        },
      },
    );
    const against = (key) => ({ name: key, cpu: cpu[key] });
    rows.push(row('c14n', `parse to digest ${name} / xml-crypto`, cpu.whole, against('xml-crypto whole')));
    rows.push(row('c14n', `c14n ${name} / xml-crypto`, cpu.c14n, against('xml-crypto c14n')));
    rows.push(row('c14n', `c14n ${name} / libxml2`, cpu.c14n, against('libxml2')));
    rows.push(row('c14n', `c14n of canonical ${name} / SHA-256`, cpu['canonical c14n'], against('digest')));
    rows.push(row('c14n', `parse to digest ${name} / SHA-256`, cpu.whole, against('digest')));
    libxml.dispose();
  }
  return rows;
}

const nowhere = { write() {} };

function repeat(count, action) {
  for (let i = 0; i < count; i++) action();
}

function canonicalOf(document, apex) {
  const chunks = [];
  canonicalize(document, apex, method, { write: (bytes) => chunks.push(Buffer.from(bytes)) });
  return Buffer.concat(chunks);
}
