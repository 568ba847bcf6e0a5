import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { documentFrom } from '../support/xml-generator.js';
import { algorithms, canonical, codeOf, parse } from './support.js';

const first = (text: string): [ReturnType<typeof parse>, number] => {
  const document = parse(text);
  return [document, document.firstChild(document.root)];
};

/** As libxml2 orders them: by bytes, a name before those that begin with it. */
const ordered = [
  'a',
  'ab',
  'abc',
  'abcd',
  'abcd-',
  'abcde',
  'abcdf',
  'abcé',
  'abd',
  'b',
  'é',
  'éa',
  'éaa',
  'éab',
];

describe('runs and orders', () => {
  it('copies runs of every length', () => {
    for (let length = 0; length < 150; length++) {
      const text = 'abcdefghij'.repeat(15).slice(0, length);
      expect(canonical(parse(`<r>${text}<e/>${text}</r>`))).toBe(`<r>${text}<e></e>${text}</r>`);
    }
  });

  it('orders names that begin alike', () => {
    const written = (names: readonly string[]): string => names.map((name) => ` ${name}=""`).join('');
    const prefixed = (names: readonly string[]): string => names.map((name) => ` p:${name}=""`).join('');
    for (let turn = 0; turn < ordered.length; turn++) {
      const names = [...ordered.slice(turn), ...ordered.slice(0, turn)].reverse();
      const text = `<r xmlns:p="urn:p"${prefixed(names)}${written(names)}></r>`;
      expect(canonical(parse(text))).toBe(`<r xmlns:p="urn:p"${written(ordered)}${prefixed(ordered)}></r>`);
    }
  });

  it.each([2, 16, 17, 60])('orders %d declarations', (count) => {
    const names = Array.from({ length: count }, (_, at) => `p${at}`);
    const declared = (list: readonly string[]): string =>
      list.map((name) => ` xmlns:${name}="urn:${name}"`).join('');
    expect(
      canonical(parse(`<r${declared([...names].reverse())}/>`), 'document', { algorithm: 'inclusive-1.0' }),
    ).toBe(`<r${declared([...names].sort())}></r>`);
  });
});

describe('canonical form', () => {
  it.each([
    [
      'escapes',
      `<a b='"&#9;&#10;&#13;&lt;>&amp;'>&quot;&apos;&gt;&#13;&amp;></a>`,
      `<a b="&quot;&#x9;&#xA;&#xD;&lt;>&amp;">"'&gt;&#xD;&amp;&gt;</a>`,
    ],
    ['line ends', '<a b="x\r\ny\rz\n\t">1\r\n2\r3</a>', '<a b="x y z  ">1\n2\n3</a>'],
    ['CDATA', '<a><![CDATA[<&>\r\n]]]]></a>', '<a>&lt;&amp;&gt;\n]]</a>'],
    ['empty elements', '<a><b/><c d="" /></a>', '<a><b></b><c d=""></c></a>'],
    ['end tags', '<a ><b></b ></a\n>', '<a><b></b></a>'],
    [
      'attribute order',
      '<a z="" b="" xmlns:q="urn:a" xmlns:p="urn:b" p:a="" q:b=""/>',
      '<a xmlns:p="urn:b" xmlns:q="urn:a" b="" z="" q:b="" p:a=""></a>',
    ],
    [
      'code points beyond UTF-16 order',
      '<a xmlns:p="urn:\u{10000}" xmlns:q="urn:\uff5e" p:x="" q:x=""/>',
      '<a xmlns:p="urn:\u{10000}" xmlns:q="urn:\uff5e" q:x="" p:x=""></a>',
    ],
    ['code points of local names', '<a \u{10000}="" \uf900=""/>', '<a \uf900="" \u{10000}=""></a>'],
    [
      'superfluous declarations',
      '<p:a xmlns:p="urn:p"><p:b xmlns:p="urn:p"/></p:a>',
      '<p:a xmlns:p="urn:p"><p:b></p:b></p:a>',
    ],
    [
      'rebound prefixes',
      '<p:a xmlns:p="urn:p"><p:b xmlns:p="urn:q"/><p:c/></p:a>',
      '<p:a xmlns:p="urn:p"><p:b xmlns:p="urn:q"></p:b><p:c></p:c></p:a>',
    ],
    [
      'no default any more',
      '<a xmlns="urn:a"><b xmlns=""/><c/></a>',
      '<a xmlns="urn:a"><b xmlns=""></b><c></c></a>',
    ],
    ['escaped namespace names', '<a xmlns="urn:a?x&amp;y&#9;"/>', '<a xmlns="urn:a?x&amp;y&#x9;"></a>'],
    ['instructions', '<?p?><a><?q  x \r\n?></a><?r y?>', '<?p?>\n<a><?q x \n?></a>\n<?r y?>'],
    ['comments', '<!--1--><a><!--2\r\n--></a> <!--3-->', '<!--1-->\n<a><!--2\n--></a>\n<!--3-->'],
  ])('%s', (_what, text, expected) => {
    for (const algorithm of algorithms)
      expect(canonical(parse(text), 'document', { algorithm })).toBe(expected);
  });

  it('renders what is used, exclusively', () => {
    const [document, b] = first(
      '<a xmlns="urn:d" xmlns:p="urn:p" xmlns:q="urn:q" xmlns:r="urn:r"><p:b q:x="1"><c/></p:b></a>',
    );
    expect(canonical(document, b)).toBe(
      '<p:b xmlns:p="urn:p" xmlns:q="urn:q" q:x="1"><c xmlns="urn:d"></c></p:b>',
    );
    expect(canonical(document, b, { inclusivePrefixes: ['r', '#default', 'none'] })).toBe(
      '<p:b xmlns="urn:d" xmlns:p="urn:p" xmlns:q="urn:q" xmlns:r="urn:r" q:x="1"><c></c></p:b>',
    );
    expect(canonical(document, b, { algorithm: 'inclusive-1.0' })).toBe(
      '<p:b xmlns="urn:d" xmlns:p="urn:p" xmlns:q="urn:q" xmlns:r="urn:r" q:x="1"><c></c></p:b>',
    );
  });

  it('takes over attributes of the xml prefix', () => {
    const [document, b] = first(
      '<a xml:lang="en" xml:id="i" xml:base="http://x/y/"><b z="" xml:base="../w" xml:space="preserve"/></a>',
    );
    expect(canonical(document, b, { algorithm: 'inclusive-1.0' })).toBe(
      '<b z="" xml:base="../w" xml:id="i" xml:lang="en" xml:space="preserve"></b>',
    );
    expect(canonical(document, b, { algorithm: 'inclusive-1.1' })).toBe(
      '<b z="" xml:base="http://x/w" xml:lang="en" xml:space="preserve"></b>',
    );
    expect(canonical(document, b)).toBe('<b z="" xml:base="../w" xml:space="preserve"></b>');
  });

  it('leaves an element out', () => {
    const document = parse('<a>1<b>2<c/></b>3<d/></a>');
    const [b, d] = document.children(document.root) as [number, number];
    expect(canonical(document, document.root, {}, b)).toBe('<a>13<d></d></a>');
    expect(canonical(document, document.root, {}, d)).toBe('<a>1<b>2<c></c></b>3</a>');
    document.insert(b, -1, '<e/>');
    expect(canonical(document, document.root, {}, b)).toBe('<a>13<d></d></a>');
    expect(canonical(document, b, {}, b)).toBe('');
  });

  it('refuses relative namespace names', () => {
    for (const text of ['<a xmlns="x"/>', '<a xmlns:p="../x"/>', '<a><b xmlns="1x:y"/></a>']) {
      for (const algorithm of algorithms) {
        expect(codeOf(() => canonical(parse(text), 'document', { algorithm }))).toBe(
          'XML_RELATIVE_NAMESPACE',
        );
      }
    }
    const [document, b] = first('<a xmlns="x"><p:b xmlns:p="urn:p"/></a>');
    expect(canonical(document, b)).toBe('<p:b xmlns:p="urn:p"></p:b>');
  });

  it('comes in pieces of at most 48 KiB that join', () => {
    const document = parse(`<a>${'x'.repeat(200_000)}<b/>${'<c d="1"/>'.repeat(20_000)}</a>`, {
      children: 30_000,
    });
    expect(canonical(document)).toBe(`<a>${'x'.repeat(200_000)}<b></b>${'<c d="1"></c>'.repeat(20_000)}</a>`);
  });

  it('of canonical form is the same', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(255), { maxLength: 260 }), (tape) => {
        for (const algorithm of algorithms) {
          const once = canonical(parse(documentFrom(tape)), 'document', { algorithm });
          expect(canonical(parse(once), 'document', { algorithm })).toBe(once);
        }
      }),
      { numRuns: 300 },
    );
  });
});
