import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { escapeAttribute, escapeText, FragmentWriter } from '#src/xml/index.js';
import { canonical, parse } from './support.js';

describe('the fragment writer', () => {
  it('writes canonical form', () => {
    const bytes = new FragmentWriter()
      .open('w:a', { 'xmlns:w': 'urn:w', x: '<"\n', y: undefined })
      .leaf('b', 'x < y & z >\r')
      .empty('c')
      .raw('<d></d>')
      .raw(Buffer.from('<e></e>'))
      .base64(Buffer.from('octets'))
      .close()
      .bytes();
    const text = Buffer.from(bytes).toString();
    expect(text).toBe(
      '<w:a xmlns:w="urn:w" x="&lt;&quot;&#xA;"><b>x &lt; y &amp; z &gt;&#xD;</b><c></c><d></d><e></e>b2N0ZXRz</w:a>',
    );
    expect(canonical(parse(text))).toBe(text);
  });

  it('joins large base64', () => {
    const octets = Buffer.alloc(200_000, 'abc');
    expect(
      Buffer.from(new FragmentWriter().base64(octets).bytes()).toString() === octets.toString('base64'),
    ).toBe(true);
  });

  it('refuses what does not balance', () => {
    expect(() => new FragmentWriter().open('a').bytes()).toThrow('the element a is open');
    expect(() => new FragmentWriter().close()).toThrow('no element is open');
  });

  it('escapes so that the value comes back', () => {
    const char = fc.constantFrom('<', '>', '&', '"', "'", '\r', '\n', '\t', 'x', 'é', ']', '\u{1f600}');
    fc.assert(
      fc.property(fc.string({ unit: char }), (value) => {
        const document = parse(`<a b="${escapeAttribute(value)}">${escapeText(value)}</a>`);
        expect(document.attribute(document.root, '', 'b')).toBe(value);
        expect(document.text(document.root)).toBe(value);
      }),
    );
  });
});
