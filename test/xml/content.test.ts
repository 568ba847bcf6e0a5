import { describe, expect, it } from '@jest/globals';
import { NONE } from '#src/xml/index.js';
import { codeOf, parse } from './support.js';

describe('text of a leaf', () => {
  it('is decoded', () => {
    const document = parse('<a>\r\nx &amp; &#x41;é</a>');
    expect(document.text(document.root)).toBe('\nx & Aé');
    const empty = parse('<a/>');
    expect(empty.text(empty.root)).toBe('');
  });

  it.each([
    ['an element', '<a>x<b/></a>'],
    ['a comment', '<a>x<!----></a>'],
    ['an instruction', '<a>x<?p?></a>'],
    ['CDATA', '<a>x<![CDATA[y]]></a>'],
  ])('is refused with %s in it', (_what, text) => {
    const document = parse(text);
    expect(codeOf(() => document.text(document.root))).toBe('XML_NOT_TEXT');
    expect(codeOf(() => document.base64(document.root))).toBe('XML_NOT_TEXT');
  });

  it('shows edits', () => {
    const document = parse('<a><b>1</b></a>');
    const b = document.firstChild(document.root);
    document.replaceContent(b, '2&lt;');
    expect(document.text(b)).toBe('2<');
    document.insert(b, NONE, '3');
    expect(document.text(b)).toBe('2<3');
  });
});

describe('base64 of a leaf', () => {
  const read = (text: string): string => {
    const document = parse(`<a>${text}</a>`);
    return Buffer.from(document.base64(document.root)).toString('latin1');
  };

  it.each([
    ['', ''],
    ['QQ==', 'A'],
    ['QUI=', 'AB'],
    ['QUJD', 'ABC'],
    [' QU\r\nJD\t', 'ABC'],
    ['QU&#13;\nJD', 'ABC'],
    ['+/+/', '\xfb\xff\xbf'],
  ])('%j', (text, octets) => {
    expect(read(text)).toBe(octets);
  });

  it.each([
    'Q',
    'QQ',
    'QQ=',
    'QQ===',
    'QR==',
    'QUJ=',
    'QQ==QQ==',
    'Q Q',
    '-_-_',
    'QU.D',
    'QUJDé',
    '=QQ=',
    'QUJD=',
  ])('refuses %j', (text) => {
    expect(codeOf(() => read(text))).toBe('XML_BASE64');
  });

  it('is read in pieces', () => {
    const octets = Buffer.alloc(300_001, 'octets');
    expect(read(octets.toString('base64')) === octets.toString('latin1')).toBe(true);
    expect(read(octets.toString('base64').replace(/(.{76})/g, '$1\r\n')) === octets.toString('latin1')).toBe(
      true,
    );
    expect(codeOf(() => read(`${octets.toString('base64').slice(0, -4)}QR==`))).toBe('XML_BASE64');
    expect(codeOf(() => read(`${'QUJD'.repeat(12287)}QQ==QUJD`))).toBe('XML_BASE64');
  });
});

describe('text beside elements', () => {
  it.each([
    ['<a> <b>x</b>\n<!--x--></a>', false],
    ['<a> <b/>x</a>', true],
    ['<a><![CDATA[ ]]></a>', false],
    ['<a><![CDATA[x]]></a>', true],
    ['<a>&#x20;&#xA;</a>', false],
    ['<a>&#x41;</a>', true],
  ])('%s', (text, expected) => {
    const document = parse(text);
    expect(document.hasNonWhitespaceText(document.root)).toBe(expected);
  });
});
