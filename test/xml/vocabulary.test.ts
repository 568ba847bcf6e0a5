/** What a parser remembers of one document must not show in the next: neither what it says nor what is refused. */
import { describe, expect, it } from '@jest/globals';
import { defaultLimits } from '#src/core/limits.js';
import { canonicalize, ns, parseDocument, type IdRules, type XmlDocument } from '#src/xml/index.js';
import { canonical, codeOf, ids, parse } from './support.js';

/** Reads a text and gives the parser back, as a chain does. */
function read(text: string, more: Partial<typeof defaultLimits> = {}, rules: IdRules = ids): string {
  const document: XmlDocument = parseDocument(Buffer.from(text), {
    limits: { ...defaultLimits, ...more },
    ids: rules,
  });
  try {
    return canonical(document);
  } finally {
    document.release();
  }
}

const message = `<s:E xmlns:s="urn:s" xmlns:p="urn:p"><s:B p:x="1" y="2"><p:c></p:c><p:d></p:d></s:B></s:E>`;
const form = `<s:E xmlns:s="urn:s"><s:B xmlns:p="urn:p" y="2" p:x="1"><p:c></p:c><p:d></p:d></s:B></s:E>`;

describe('what a parser remembers', () => {
  it('reads the same message alike each time', () => {
    for (let turn = 0; turn < 5; turn++) expect(read(message)).toBe(form);
  });

  it.each([
    ['an element', '<p:c>', '<p:e>', '</p:c>', '</p:e>'],
    ['a longer name', '<p:c>', '<p:cc>', '</p:c>', '</p:cc>'],
    ['a namespace name', '"urn:p"', '"urn:q"', '"urn:p"', '"urn:q"'],
    ['a longer namespace name', '"urn:p"', '"urn:pp"', '"urn:p"', '"urn:pp"'],
    ['an attribute', ' y=', ' w=', ' y=', ' w='],
  ])('tells %s from what stood there before', (_, before, after, other, then) => {
    read(message);
    const change = (text: string): string => text.replace(before, after).replace(other, then);
    expect(read(change(message))).toBe(change(form));
    expect(read(message)).toBe(form);
  });

  it('does not keep declarations in force', () => {
    read(message);
    expect(codeOf(() => read('<p:c></p:c>'))).toBe('XML_NOT_WELL_FORMED');
    expect(codeOf(() => read(`<p:c xmlns:p="urn:p"><s:d/>`))).toBe('XML_NOT_WELL_FORMED');
    expect(codeOf(() => read('<p:c></p:c>'))).toBe('XML_NOT_WELL_FORMED');
    expect(codeOf(() => read('<r p:x="1"></r>'))).toBe('XML_NOT_WELL_FORMED');
  });

  it('does not take a namespace name for written as it is where it is written otherwise', () => {
    const text = (value: string): string => `<p:r xmlns:p=${value}></p:r>`;
    for (const value of [`"urn:a'b"`, `'urn:a"b'`, '"urn:a&amp;b"', '"urn:a&#39;b"']) {
      for (let turn = 0; turn < 3; turn++)
        expect(read(text(value))).toMatch(/^<p:r xmlns:p="urn:a('|&quot;|&amp;)b">/);
    }
    expect(codeOf(() => read(text('"urn:a&b"')))).toBe('XML_NOT_WELL_FORMED');
    expect(codeOf(() => read(text('"urn:a"b"')))).toBe('XML_NOT_WELL_FORMED');
  });

  it('does not take for a name what was a namespace name only', () => {
    const uri = '<r xmlns:p="1x:y" xmlns="1x"></r>';
    for (let turn = 0; turn < 3; turn++) {
      expect(codeOf(() => parse(uri).release())).toBeUndefined();
      expect(codeOf(() => read('<r><1x></1x></r>'))).toBe('XML_NOT_WELL_FORMED');
      expect(codeOf(() => read('<1x></1x>'))).toBe('XML_NOT_WELL_FORMED');
    }
  });

  it('learns nothing of a document that is refused', () => {
    for (let turn = 0; turn < 3; turn++) {
      expect(codeOf(() => read('<r><good></good><b@d></b@d></r>'))).toBe('XML_NOT_WELL_FORMED');
      expect(read('<r><good></good></r>')).toBe('<r><good></good></r>');
    }
  });

  it('counts limits for each document', () => {
    for (let turn = 0; turn < 3; turn++) {
      expect(read(message)).toBe(form);
      expect(codeOf(() => read(message, { names: 7 }))).toBe('XML_LIMIT');
      expect(read(message, { names: 8 })).toBe(form);
      expect(codeOf(() => read(message, { name: 6 }))).toBe('XML_LIMIT');
      expect(codeOf(() => read(message, { namespaces: 1 }))).toBe('XML_LIMIT');
      expect(read(message, { namespaces: 2 })).toBe(form);
      expect(codeOf(() => read(message, { uri: 4 }))).toBe('XML_LIMIT');
    }
  });

  it('asks the rules of the document which attributes are ids', () => {
    const text = `<r xmlns:wsu="${ns.wsu}" wsu:Id="a" key="b"></r>`;
    const byKey: IdRules = { anywhere: [{ namespace: '', local: 'key' }], unqualified: [] };
    for (let turn = 0; turn < 3; turn++) {
      for (const [rules, id] of [
        [ids, 'a'],
        [byKey, 'b'],
      ] as const) {
        const document = parseDocument(Buffer.from(text), { limits: defaultLimits, ids: rules });
        expect(document.idOf(document.root)).toBe(id);
        document.release();
      }
    }
  });

  it('is bounded, and forgets', () => {
    const stranger = (at: number): string =>
      `<x${at} a${at}="" xmlns:p${at}="urn:${at}"><p${at}:y${'z'.repeat(at % 90)}/></x${at}>`;
    for (let at = 0; at < 2500; at++) {
      const text = stranger(at);
      expect(read(text)).toContain(`<p${at}:y`);
      if (at % 100 === 0) expect(read(message)).toBe(form);
    }
    for (let turn = 0; turn < 3; turn++) expect(read(message)).toBe(form);
  });

  it('survives names that are made to collide', () => {
    // The hash looks at four bytes and the length (atoms.ts).
    const names = Array.from(
      { length: 60 },
      (_, at) => `aa${String.fromCharCode(97 + (at % 26))}${Math.floor(at / 26)}aaaaa`,
    );
    const text = `<r>${names.map((name) => `<${name}></${name}>`).join('')}</r>`;
    for (let turn = 0; turn < 4; turn++) {
      expect(read(text)).toBe(text);
      expect(read(message)).toBe(form);
    }
  });

  it('canonicalises after a canonicalisation that failed', () => {
    const document = parse(message);
    const failing = {
      write: (): void => {
        throw new Error('full');
      },
    };
    expect(() => {
      canonicalize(document, 'document', { algorithm: 'exclusive', comments: false }, failing);
    }).toThrow('full');
    expect(canonical(document)).toBe(form);
    document.release();
    expect(read(message)).toBe(form);
  });
});
