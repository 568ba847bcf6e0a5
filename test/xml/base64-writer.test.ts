import { describe, expect, it } from '@jest/globals';
import { Base64Writer } from '#src/xml/index.js';
import { canonical, codeOf, parse, rendered } from './support.js';

const octets = Buffer.from(Array.from({ length: 200_000 }, (_, at) => (at * 7 + (at >> 8)) & 0xff));

function written(length: number, piece: number): Base64Writer {
  const writer = new Base64Writer(length);
  for (let at = 0; at < length; at += piece) writer.write(octets.subarray(at, Math.min(at + piece, length)));
  return writer;
}

describe('text of base64', () => {
  it.each([0, 1, 2, 3, 1000, 49_151, 49_152, 49_153, 200_000])(
    'is that of %d octets, in any pieces',
    (length) => {
      for (const piece of [1000, 16_384, 49_152, 200_000]) {
        expect(written(length, piece).end().toString()).toBe(octets.toString('base64', 0, length));
      }
    },
  );

  it('shares no room with another writer once it has ended, however often that is said', () => {
    const ended = written(10, 10);
    const text = ended.end().toString();
    expect(ended.end().toString()).toBe(text);
    const [one, other] = [new Base64Writer(6), new Base64Writer(6)];
    one.write(octets.subarray(0, 3));
    other.write(octets.subarray(100, 103));
    expect(() => {
      ended.write(octets);
    }).toThrow();
    expect(one.end().toString()).toBe(octets.toString('base64', 0, 3));
    expect(other.end().toString()).toBe(octets.toString('base64', 100, 103));
  });

  it.each([
    ['an element', '<r><c></c></r>'],
    ['an empty element', '<r><c/></r>'],
    ['an element with text', '<r>a<c>old]]</c>b</r>'],
    ['an element with a comment', '<r><c><!-- old --></c></r>'],
  ])('fills %s', (_, text) => {
    const document = parse(text);
    const element = document.firstChild(document.root);
    const before = document.version;
    document.fill(element, written(100_000, 1000));
    const base64 = octets.toString('base64', 0, 100_000);
    const form = text.replace(/<c.*(\/>|<\/c>)/, `<c>${base64}</c>`);
    expect(document.version).toBeGreaterThan(before);
    expect(rendered(document)).toBe(form);
    expect(canonical(document)).toBe(form);
    expect(Buffer.compare(document.base64(element), octets.subarray(0, 100_000))).toBe(0);
    expect(document.text(element)).toBe(base64);
    expect(canonical(parse(rendered(document)))).toBe(form);
  });

  it('goes where a fragment was put, and gives way to another', () => {
    const document = parse('<r><a/></r>');
    const [top = -1] = document.replaceContent(document.root, '<x><y></y></x>');
    const leaf = document.firstChild(top);
    document.fill(leaf, written(5, 5));
    expect(rendered(document)).toBe(`<r><x><y>${octets.toString('base64', 0, 5)}</y></x></r>`);
    document.fill(leaf, written(6, 6));
    expect(rendered(document)).toBe(`<r><x><y>${octets.toString('base64', 0, 6)}</y></x></r>`);
    document.replaceElement(leaf, '<z/>');
    expect(rendered(document)).toBe('<r><x><z/></x></r>');
  });

  it('does not fill an element with children, nor one that is gone', () => {
    const document = parse('<r><a><b/></a></r>');
    const a = document.firstChild(document.root);
    const b = document.firstChild(a);
    expect(
      codeOf(() => {
        document.fill(a, written(3, 3));
      }),
    ).toBe('XML_EDIT_CONFLICT');
    document.remove(b);
    document.fill(a, written(3, 3));
    expect(
      codeOf(() => {
        document.fill(b, written(3, 3));
      }),
    ).toBe('XML_EDIT_CONFLICT');
  });
});
