/** Bytes that are looked at several at a time: what is special must be seen at every place. */
import { describe, expect, it } from '@jest/globals';
import { canonical, codeOf, parse } from './support.js';

const bad = 'XML_NOT_WELL_FORMED';
const places = Array.from({ length: 70 }, (_, at) => at);

const around = (at: number, what: string): string =>
  'QUJD'.repeat(20).slice(0, at) + what + 'REVG'.repeat(12);

describe('long text', () => {
  it.each([
    ['a control character', '\x01'],
    ['a null', '\0'],
    ['an end of CDATA', ']]>'],
    ['a reference that is none', '&x;'],
    ['an ampersand', '& '],
    ['U+FFFE', '\ufffe'],
    ['U+FFFF', '\uffff'],
  ])('with %s is refused at every place', (_, what) => {
    for (const at of places) expect(codeOf(() => parse(`<a>${around(at, what)}</a>`))).toBe(bad);
  });

  it.each([
    ['a carriage return', '\r', '\n'],
    ['`>`', '>', '&gt;'],
    ['a reference', '&#65;', 'A'],
    ['brackets', ']]', ']]'],
    ['a comment', '<!--c-->', '<!--c-->'],
    ['an element', '<b/>', '<b></b>'],
    ['a character of the private use area', '\uf8ff', '\uf8ff'],
    ['U+FFFD', '\ufffd', '\ufffd'],
  ])('with %s is read at every place', (_, what, form) => {
    for (const at of places)
      expect(canonical(parse(`<a>${around(at, what)}</a>`))).toBe(`<a>${around(at, form)}</a>`);
  });

  it('ends with the bytes, wherever that is', () => {
    for (const at of places) expect(codeOf(() => parse(`<a>${around(at, '')}`))).toBe(bad);
  });
});

describe('names that were met before', () => {
  const names = ['a', 'ab', 'abc', 'abcd', 'abcde', 'abcdefg', 'abcdefgh', 'abcdefghijk', 'p:abcdefghijklm'];

  it.each(names)('differ by any byte and by length: %s', (name) => {
    const root = (content: string): string => `<r xmlns:p="urn:x">${content}</r>`;
    expect(codeOf(() => parse(root(`<${name}></${name}>`.repeat(3))))).toBeUndefined();
    for (let at = 0; at < name.length; at++) {
      const other = `${name.slice(0, at)}Z${name.slice(at + 1)}`;
      expect(codeOf(() => parse(root(`<${name}></${other}>`)))).toBe(bad);
      const cut = name.slice(0, at);
      expect(codeOf(() => parse(root(`<${name}></${cut}>`)))).toBe(bad);
    }
    expect(codeOf(() => parse(root(`<${name}></${name}x>`)))).toBe(bad);
  });

  it.each(names)('are not taken for others in the place where they were: %s', (name) => {
    const others = [`${name}x`, `${name.slice(0, -1)}Z`, `Z${name.replace('p:', '').slice(1)}`, name];
    const body = others.map((other) => `<e><${name}></${name}><${other}></${other}></e>`).join('');
    const text = `<r xmlns:p="urn:x">${body}</r>`;
    const document = parse(text);
    const seen = document
      .children(document.root)
      .flatMap((e) => document.children(e).map((c) => document.localName(c)));
    const local = (each: string): string => each.slice(each.indexOf(':') + 1);
    expect(seen).toEqual(others.flatMap((other) => [local(name), local(other)]));
  });
});
