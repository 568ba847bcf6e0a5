import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { escapeAttribute, escapeText } from '#src/xml/index.js';
import { canonical, parse } from './support.js';

describe('written values', () => {
  it('escapes so that the value comes back', () => {
    const char = fc.constantFrom('<', '>', '&', '"', "'", '\r', '\n', '\t', 'x', 'é', ']', '\u{1f600}');
    fc.assert(
      fc.property(fc.string({ unit: char }), (value) => {
        const text = `<a b="${escapeAttribute(value)}">${escapeText(value)}</a>`;
        const document = parse(text);
        expect(document.attribute(document.root, '', 'b')).toBe(value);
        expect(document.text(document.root)).toBe(value);
        expect(canonical(document)).toBe(text);
      }),
    );
  });
});
