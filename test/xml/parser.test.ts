import { describe, expect, it } from '@jest/globals';
import { defaultLimits } from '#src/core/limits.js';
import { ns, parseDocument } from '#src/xml/index.js';
import { codeOf, ids, parse, rendered } from './support.js';

const refusals: readonly (readonly [string, string | Buffer, string?])[] = [
  ['nothing', ''],
  ['no root', '<!-- c -->'],
  ['an open element', '<a>'],
  ['an open tag', '<a b="1"'],
  ['a wrong end tag', '<a></b>'],
  ['an end tag that is longer', '<a></ab>'],
  ['crossed elements', '<a><b></a></b>'],
  ['two roots', '<a/><b/>'],
  ['text after the root', '<a/>x'],
  ['text before the root', 'x<a/>'],
  ['a null after the root', '<a/>\0'],
  ['`<` in a value', '<a b="<"/>'],
  ['an unquoted value', '<a b=1/>'],
  ['a value that is not closed', '<a b="1/>'],
  ['an attribute without value', '<a b/>'],
  ['no space between attributes', '<a b="1"c="2"/>'],
  ['an attribute twice', '<a b="1" b="2"/>'],
  ['an attribute twice by expanded name', '<a xmlns:p="urn:x" xmlns:q="urn:x" p:b="1" q:b="2"/>'],
  ['an unbound prefix', '<p:a/>'],
  ['an unbound prefix of an attribute', '<a p:b=""/>'],
  ['an unbound prefix after its scope', '<a><b xmlns:p="urn:x"/><p:c/></a>'],
  ['an element of the prefix xmlns', '<xmlns:a/>'],
  ['two colons', '<a xmlns:p="urn:x"><p:b:c/></a>'],
  ['an empty prefix', '<a><:b/></a>'],
  ['an empty local name', '<a xmlns:p="urn:x"><p:/></a>'],
  ['a name that begins with a digit', '<1a/>'],
  ['a local name that begins with a digit', '<a xmlns:p="urn:x"><p:1/></a>'],
  ['a name with a character that is none', '<a×/>'],
  ['a prefix bound to nothing', '<a xmlns:p=""/>'],
  ['xml bound otherwise', '<a xmlns:xml="urn:x"/>'],
  ['the namespace of xml bound otherwise', `<a xmlns:p="${ns.xml}"/>`],
  ['xmlns declared', `<a xmlns:xmlns="${ns.xmlns}"/>`],
  ['the namespace of declarations', `<a xmlns="${ns.xmlns}"/>`],
  ['an unknown entity', '<a>&nbsp;</a>'],
  ['a bare ampersand', '<a>a & b</a>'],
  ['an ampersand at the end', '<a>&'],
  ['a reference without name', '<a>&;</a>'],
  ['a reference without digits', '<a>&#;</a>'],
  ['a reference without hexadecimal digits', '<a>&#x;</a>'],
  ['a reference with a capital X', '<a>&#X41;</a>'],
  ['a reference to null', '<a>&#0;</a>'],
  ['a reference to a control character', '<a>&#1;</a>'],
  ['a reference to a surrogate', '<a>&#xD800;</a>'],
  ['a reference to U+FFFE', '<a>&#xFFFE;</a>'],
  ['a reference beyond Unicode', '<a>&#x110000;</a>'],
  ['a reference of huge digits', `<a>&#${'9'.repeat(400)};</a>`],
  ['a control character', '<a>\x01</a>'],
  ['a control character in a value', '<a b="\x0b"/>'],
  ['U+FFFF', '<a>\uffff</a>'],
  ['U+FFFE in a value', '<a b="\ufffe"/>'],
  ['`]]>` in text', '<a>]]></a>'],
  ['an open CDATA section', '<a><![CDATA[x</a>'],
  ['CDATA outside of the root', '<![CDATA[x]]><a/>'],
  ['`--` in a comment', '<a><!-- a -- b --></a>'],
  ['a comment that ends in `--->`', '<a><!-- a ---></a>'],
  ['an open comment', '<a><!-- a</a>'],
  ['a control character in a comment', '<a><!--\x02--></a>'],
  ['an open instruction', '<a><?pi</a>'],
  ['an instruction without target', '<a><? pi?></a>'],
  ['an instruction with a colon', '<a><?p:i?></a>'],
  ['a declaration in content', '<a><?xml version="1.0"?></a>'],
  ['a declaration in capitals', '<?XML version="1.0"?><a/>'],
  ['a declaration after a blank', ' <?xml version="1.0"?><a/>'],
  ['a declaration without version', '<?xml encoding="UTF-8"?><a/>'],
  ['a declaration out of order', '<?xml version="1.0" standalone="yes" encoding="UTF-8"?><a/>'],
  ['XML 1.1', '<?xml version="1.1"?><a/>'],
  ['two byte order marks', '\ufeff\ufeff<a/>'],
  ['`<!` that begins nothing', '<a><!ELEMENT a ANY></a>'],
  ['a document type', '<!DOCTYPE a><a/>', 'XML_DOCTYPE'],
  ['a document type with a bomb', '<!DOCTYPE a [<!ENTITY b "cc">]><a>&b;</a>', 'XML_DOCTYPE'],
  ['another encoding', '<?xml version="1.0" encoding="ISO-8859-1"?><a/>', 'XML_ENCODING'],
  ['an overlong form', Buffer.from([0x3c, 0x61, 0x3e, 0xc0, 0x80, 0x3c, 0x2f, 0x61, 0x3e]), 'XML_ENCODING'],
  ['a surrogate in UTF-8', Buffer.from('<a>\xed\xa0\x80</a>', 'latin1'), 'XML_ENCODING'],
  ['a truncated character', Buffer.from('<a>\xe2\x82</a>', 'latin1'), 'XML_ENCODING'],
  ['a stray Latin-1 byte', Buffer.from('<a>\xe9</a>', 'latin1'), 'XML_ENCODING'],
  ['UTF-16', Buffer.from('\ufeff<a/>', 'utf16le'), 'XML_ENCODING'],
  ['UTF-16 without mark', Buffer.from('<a/>', 'utf16le'), 'XML_ENCODING'],
];

describe('what is not well-formed', () => {
  it.each(refusals)('refuses %s', (_what, text, code = 'XML_NOT_WELL_FORMED') => {
    expect(codeOf(() => parse(text))).toBe(code);
  });

  it('says where', () => {
    expect(() => parse('<a><b></c></a>')).toThrow('an end tag does not fit its start tag (byte 6)');
  });

  it('refuses every truncation of a message', () => {
    const text =
      '<?xml version="1.0"?><a xmlns:p="urn:x" b=\'&lt;\'><p:c>x&#xD;<![CDATA[y]]></p:c><!-- z --></a>';
    expect(codeOf(() => parse(text))).toBeUndefined();
    for (let length = 0; length < text.length; length++) {
      expect([length, codeOf(() => parse(text.slice(0, length)))]).toEqual([length, 'XML_NOT_WELL_FORMED']);
    }
  });
});

describe('what is well-formed', () => {
  it.each([
    ['a byte order mark', '\ufeff<a/>'],
    ['a declaration', '<?xml version="1.0" encoding="utf-8" standalone=\'no\' ?><a/>'],
    ['white space in tags', '<a\n b = "1"\t></a >'],
    ['both quotes', `<a b='"' c="'"/>`],
    ['`>` in text and values', '<a b=">">a>b]] ></a>'],
    ['brackets', '<a>]] ]]&gt;</a>'],
    ['names beyond ASCII', '<é xmlns:ü="urn:x" ü:漢="1">\u{10000}</é>'],
    ['U+FFFD and U+F000', '<a b="\ufffd">\uf000</a>'],
    ['xml declared as it is', `<a xmlns:xml="${ns.xml}" xml:lang="en"/>`],
    [
      'names of prototypes',
      '<__proto__ constructor="1" xmlns:toString="urn:x"><toString:valueOf/></__proto__>',
    ],
    ['long references', `<a>&#${'0'.repeat(300)}65;</a>`],
  ])('parses %s', (_what, text) => {
    expect(rendered(parse(text))).toBe(text);
  });

  it('takes UTF-16 with a mark where that is allowed', () => {
    for (const bytes of [
      Buffer.from('\ufeff<?xml version="1.0" encoding="UTF-16"?><a>é</a>', 'utf16le'),
      Buffer.from('\ufeff<a>é</a>', 'utf16le').swap16(),
    ]) {
      const document = parseDocument(bytes, { limits: defaultLimits, utf16: true });
      expect(document.text(document.root)).toBe('é');
      expect(document.transcoded).toBe(true);
      expect(rendered(document)).toBe('<a>é</a>');
    }
  });
});

describe('the tree', () => {
  const document = parse(
    '<s:a xmlns:s="urn:s" xmlns="urn:d" x="1" s:x="&lt;2"><b>t</b><s:c xmlns=""><d/></s:c></s:a>',
  );
  const [b, c] = document.children(document.root) as [number, number];
  const [d] = document.children(c) as [number];

  it('resolves names', () => {
    expect(document.is(document.root, 'urn:s', 'a')).toBe(true);
    expect(document.is(document.root, 'urn:d', 'a')).toBe(false);
    expect([document.namespace(b), document.namespace(c), document.namespace(d)]).toEqual([
      'urn:d',
      'urn:s',
      '',
    ]);
    expect([document.prefix(c), document.localName(c)]).toEqual(['s', 'c']);
  });

  it('reads attributes', () => {
    expect(document.attribute(document.root, '', 'x')).toBe('1');
    expect(document.attribute(document.root, 'urn:s', 'x')).toBe('<2');
    expect(document.attribute(document.root, 'urn:d', 'x')).toBeUndefined();
    expect(document.attributes(document.root)).toHaveLength(2);
  });

  it('knows what is in scope', () => {
    expect(document.namespaceInScope(b, '')).toBe('urn:d');
    expect(document.namespaceInScope(d, '')).toBeUndefined();
    expect(document.namespaceInScope(d, 's')).toBe('urn:s');
    expect(document.namespaceInScope(d, 'xml')).toBe(ns.xml);
    expect(document.prefixFor(d, 'urn:s')).toBe('s');
    expect(document.prefixFor(d, 'urn:d')).toBeUndefined();
  });

  it('knows who is inside of whom', () => {
    expect(document.contains(document.root, d)).toBe(true);
    expect(document.contains(d, d)).toBe(true);
    expect(document.contains(b, d)).toBe(false);
    expect(document.path(d)).toBe('/s:a/s:c/d');
  });

  it('is empty once released', () => {
    const other = parse('<a/>');
    other.release();
    expect(() => other.localName(other.root)).toThrow('no element');
    expect(() => other.render()).toThrow('no such source');
  });

  it('leaves nothing behind for the next one, however many names it had', () => {
    for (const names of [100, 400, 2000]) {
      const many = Array.from({ length: names }, (_unused, at) => `<n${at}/>`).join('');
      parse(`<s:a xmlns:s="urn:s">${many}</s:a>`).release();
      const next = parse('<s:a xmlns:s="urn:t" xml:lang="en"/>');
      expect(next.namespace(next.root)).toBe('urn:t');
      expect(next.attribute(next.root, ns.xml, 'lang')).toBe('en');
      next.release();
    }
  });
});

describe('ids', () => {
  const id = (attributes: string): string =>
    `<a xmlns:u="${ns.wsu}" xmlns:d="${ns.ds}"><b ${attributes}/></a>`;

  it('are what the rules say', () => {
    expect(parse(id('u:Id="x"')).elementById('x')).toBe(1);
    expect(parse(id('xml:id="x"')).elementById('x')).toBe(1);
    expect(parse(id('Id="x"')).elementById('x')).toBeUndefined();
    expect(parse(id('id="x"')).elementById('x')).toBeUndefined();
    expect(parse(`<d:a xmlns:d="${ns.ds}" Id="x"/>`).elementById('x')).toBe(0);
    expect(parse(`<d:a xmlns:d="${ns.ds}" ID="x"/>`).elementById('x')).toBeUndefined();
    expect(parse(`<d:a xmlns:d="urn:x" xmlns:u="${ns.ds}" u:Id="x"/>`).elementById('x')).toBeUndefined();
    expect(parse(id('u:Id="8"')).elementById('8')).toBe(1);
  });

  it('are read as XML says', () => {
    const document = parse(id('u:Id="&#x78;y"'));
    expect(document.idOf(document.elementById('xy') ?? -1)).toBe('xy');
  });

  it.each([
    ['given twice', '<a u:Id="x" xmlns:u="W"><b u:Id="x"/></a>', 'XML_ID_DUPLICATE'],
    ['given twice by other rules', '<a u:Id="x" xmlns:u="W"><b xml:id="x"/></a>', 'XML_ID_DUPLICATE'],
    ['two on one element', '<a u:Id="x" xml:id="y" xmlns:u="W"/>', 'XML_ID_INVALID'],
    ['empty', '<a u:Id="" xmlns:u="W"/>', 'XML_ID_INVALID'],
    ['with a space', '<a u:Id=" x" xmlns:u="W"/>', 'XML_ID_INVALID'],
    ['with a colon', '<a u:Id="x:y" xmlns:u="W"/>', 'XML_ID_INVALID'],
    ['with a hash', '<a u:Id="#x" xmlns:u="W"/>', 'XML_ID_INVALID'],
    ['with a coded space', '<a u:Id="x&#x20;" xmlns:u="W"/>', 'XML_ID_INVALID'],
  ])('are refused %s', (_what, text, code) => {
    expect(codeOf(() => parse(text.replace('"W"', `"${ns.wsu}"`)))).toBe(code);
  });
});

describe('limits', () => {
  const many = (count: number, item: (at: number) => string): string =>
    Array.from({ length: count }, (_, at) => item(at)).join('');

  it.each([
    ['depth', 3, (count: number) => '<a>'.repeat(count) + '</a>'.repeat(count)],
    ['elements', 4, (count: number) => `<a>${'<b/>'.repeat(count - 1)}</a>`],
    ['children', 3, (count: number) => `<a>${'<b/>'.repeat(count)}</a>`],
    ['attributes', 3, (count: number) => `<a${many(count, (at) => ` b${at}=""`)}/>`],
    ['declarations', 3, (count: number) => `<a${many(count, (at) => ` xmlns:p${at}="urn:x"`)}/>`],
    ['namespaces', 3, (count: number) => `<a>${many(count, (at) => `<b xmlns="urn:${at}"/>`)}</a>`],
    ['namespaces', 3, (count: number) => `<a>${many(count, (at) => `<b xmlns:p${at}="urn:x"/>`)}</a>`],
    [
      'names',
      4,
      (count: number) => many(count, (at) => `<n${at}>`) + many(count, (at) => `</n${count - 1 - at}>`),
    ],
    ['name', 5, (count: number) => `<${'a'.repeat(count)}/>`],
    ['uri', 9, (count: number) => `<a xmlns="urn:${'x'.repeat(count - 4)}"/>`],
    ['attribute', 5, (count: number) => `<a b="${'x'.repeat(count)}"/>`],
    ['comments', 2, (count: number) => `<a>${'<!--c-->'.repeat(count)}</a>`],
    ['ids', 2, (count: number) => `<a>${many(count, (at) => `<b xml:id="i${at}"/>`)}</a>`],
  ] as const)('%s', (limit, most, text) => {
    expect(codeOf(() => parse(text(most), { [limit]: most }))).toBeUndefined();
    expect(codeOf(() => parse(text(most + 1), { [limit]: most }))).toBe('XML_LIMIT');
  });

  it('refuse instructions in messages', () => {
    const options = { limits: defaultLimits, ids };
    expect(codeOf(() => parseDocument(Buffer.from('<a><?pi?></a>'), options))).toBe(
      'XML_PROCESSING_INSTRUCTION',
    );
    expect(codeOf(() => parseDocument(Buffer.from('<a></a>'), options))).toBeUndefined();
  });

  it('hold hostile input off in time', () => {
    const hostile = [
      '<a>'.repeat(1_000_000),
      `<a ${many(25_000, (at) => `b${at}="" `)}/>`,
      `<a>${'<b/>'.repeat(1_000_000)}</a>`,
      `<${'a'.repeat(1_000_000)}/>`,
      `<a>${'<!---->'.repeat(100_000)}</a>`,
      `<a>${many(50_000, (at) => `<x${at}/>`)}</a>`,
      `<a>${'&'.repeat(1_000_000)}</a>`,
    ];
    for (const text of hostile) expect(codeOf(() => parse(text, defaultLimits))).toMatch(/XML_/);
  });

  it('keeps names apart that were made to collide', () => {
    // Same length, same sampled bytes: all land in one slot of the table.
    const names = Array.from({ length: 3000 }, (_, at) => `aX${String(at).padStart(5, '0')}bbbYbbbbbZ`);
    const document = parse(`<a>${names.map((name) => `<${name}/>`).join('')}</a>`);
    expect(document.children(document.root).map((child) => document.localName(child))).toEqual(names);
  });
});
