import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { NONE, ns, type NodeId, type XmlDocument } from '#src/xml/index.js';
import { documentFrom, fragmentFrom } from '../support/xml-generator.js';
import { algorithms, canonical, codeOf, parse, rendered } from './support.js';

const tape = fc.array(fc.nat(255), { maxLength: 160 });

function elements(document: XmlDocument): NodeId[] {
  const all: NodeId[] = [];
  const pending = [document.root];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    all.push(at);
    pending.push(...document.children(at));
  }
  return all;
}

const bytesOf = (document: XmlDocument, element: NodeId, what: 'element' | 'content'): Buffer =>
  Buffer.concat(document.slices(element, what));

describe('what no step touched', () => {
  it('leaves as it came', () => {
    fc.assert(
      fc.property(tape, (numbers) => {
        const text = documentFrom(numbers);
        const document = parse(text);
        expect(rendered(document)).toBe(text);
        expect(document.render().length).toBe(Buffer.byteLength(text));
      }),
      { numRuns: 500 },
    );
  });

  it('is the same around an edit', () => {
    const document = parse("<a  x='1'>\r\n<b />t<c></c ></a>\n<!-- -->");
    document.insert(document.firstChild(document.root), NONE, '<n/>');
    expect(rendered(document)).toBe("<a  x='1'>\r\n<b ><n/></b>t<c></c ></a>\n<!-- -->");
  });
});

const runs = Number(process.env['COUNTERSIGN_FUZZ'] ?? 1000);

/** Documents of the run at hand. They are given back after it, so that what their parsers remember is put to the test. */
const open: XmlDocument[] = [];

function given(document: XmlDocument): XmlDocument {
  open.push(document);
  return document;
}

function giveBack(): void {
  for (const document of open.splice(0)) document.release();
}

describe('random edits', () => {
  const operation = fc.record({
    kind: fc.constantFrom(
      'insert',
      'append',
      'content',
      'element',
      'graft',
      'remove',
      'set',
      'unset',
      'cipher',
    ),
    target: fc.nat(1000),
    fragment: fc.array(fc.nat(255), { maxLength: 60 }),
  });

  it('give what the edited bytes parse to', () => {
    let refused = 0;
    let done = 0;
    fc.assert(
      fc.property(tape, fc.array(operation, { minLength: 1, maxLength: 8 }), (numbers, operations) => {
        const document = given(parse(documentFrom(numbers)));
        for (const one of operations) {
          const code = codeOf(() => apply(document, one));
          done++;
          if (code === undefined) continue;
          // Ids may collide and seams may be refused; the message would be given up then.
          expect([
            'XML_ID_DUPLICATE',
            'XML_ID_INVALID',
            'XML_NOT_WELL_FORMED',
            'XML_EDIT_CONFLICT',
            'XML_LIMIT',
          ]).toContain(code);
          refused++;
          return;
        }
        const again = given(parse(rendered(document)));
        for (const algorithm of algorithms) {
          const method = { algorithm, comments: true };
          expect(canonical(document, 'document', method)).toBe(canonical(again, 'document', method));
        }
        const ours = elements(document);
        const theirs = elements(again);
        expect(ours.map((element) => document.path(element))).toEqual(
          theirs.map((element) => again.path(element)),
        );
        ours.forEach((element, at) => {
          const other = theirs[at] as NodeId;
          expect(document.attributes(element)).toEqual(again.attributes(other));
          expect(document.hasNonWhitespaceText(element)).toBe(again.hasNonWhitespaceText(other));
          expect(bytesOf(document, element, 'content').toString()).toBe(
            bytesOf(again, other, 'content').toString(),
          );
          expect(canonical(document, element)).toBe(canonical(again, other));
        });
      }),
      { numRuns: runs, plugins: [fc.afterEach(giveBack)] },
    );
    process.stderr.write(`random edits: ${done} applied, ${refused} refused\n`);
  }, 120_000);

  function apply(document: XmlDocument, one: { kind: string; target: number; fragment: number[] }): void {
    const all = elements(document);
    const target = all[one.target % all.length] as NodeId;
    const inner = target === document.root ? document.firstChild(target) : target;
    const xml = fragmentFrom(one.fragment).replace(/xml:id="/g, `xml:id="f${one.target}`);
    if (one.kind === 'append') document.insert(target, NONE, xml);
    else if (one.kind === 'content') document.replaceContent(target, xml);
    else if (one.kind === 'set') {
      document.setAttribute(target, { namespace: ns.wsu, prefix: 'p', local: 'Id', value: `s${one.target}` });
    } else if (one.kind === 'unset') document.removeAttribute(target, ns.wsu, 'Id');
    else if (inner === NONE) return;
    else if (one.kind === 'insert') document.insert(document.parent(inner), inner, xml);
    else if (one.kind === 'element') document.replaceElement(inner, xml);
    else if (one.kind === 'graft') document.graftContent(inner, Buffer.from(xml));
    else if (one.kind === 'remove') document.remove(inner);
    else cipher(document, inner, one.target % 2 === 0);
  }

  /** Takes bytes out and puts them back, as encryption and decryption do. */
  function cipher(document: XmlDocument, target: NodeId, whole: boolean): void {
    const before = canonical(document, document.root);
    const plaintext = bytesOf(document, target, whole ? 'element' : 'content');
    const stand = '<X xmlns="urn:x"/>';
    const [encrypted] = whole
      ? document.replaceElement(target, stand)
      : document.replaceContent(target, stand);
    if (whole) document.graftElement(encrypted as NodeId, plaintext);
    else document.graftContent(encrypted as NodeId, plaintext);
    expect(canonical(document, document.root)).toBe(before);
  }
});

describe('attributes', () => {
  const set = (text: string, prefix = 'w', namespace: string = ns.wsu): string => {
    const document = parse(text);
    document.setAttribute(document.root, { namespace, prefix, local: 'Id', value: 'x' });
    expect(document.attribute(document.root, namespace, 'Id')).toBe('x');
    return rendered(document);
  };

  it('declare their prefix where they must', () => {
    expect(set('<a/>')).toBe(`<a xmlns:w="${ns.wsu}" w:Id="x"/>`);
    expect(set(`<a xmlns:w="${ns.wsu}" />`)).toBe(`<a xmlns:w="${ns.wsu}"  w:Id="x"/>`);
    expect(set(`<a xmlns:v="${ns.wsu}" xmlns:w="urn:o"></a>`)).toBe(
      `<a xmlns:v="${ns.wsu}" xmlns:w="urn:o" v:Id="x"></a>`,
    );
    expect(set('<a xmlns:w="urn:o"></a>')).toBe(`<a xmlns:w="urn:o" xmlns:w1="${ns.wsu}" w1:Id="x"></a>`);
    expect(set('<a/>', '', '')).toBe('<a Id="x"/>');
  });

  it('are escaped', () => {
    const document = parse('<a/>');
    document.setAttribute(document.root, { namespace: '', prefix: '', local: 'b', value: '<"&\n\r\t' });
    expect(rendered(document)).toBe('<a b="&lt;&quot;&amp;&#xA;&#xD;&#x9;"/>');
    expect(document.attribute(document.root, '', 'b')).toBe('<"&\n\r\t');
  });

  it('go again without a trace', () => {
    for (const text of ['<a/>', '<a b="1">x</a>', `<a xmlns:w="${ns.wsu}"><w:b/></a>`, '<a>w:QName</a>']) {
      const document = parse(text);
      document.setAttribute(document.root, { namespace: ns.wsu, prefix: 'w', local: 'Id', value: 'x' });
      expect(document.elementById('x')).toBe(document.root);
      document.removeAttribute(document.root, ns.wsu, 'Id');
      expect(document.elementById('x')).toBeUndefined();
      // A QName in content may need the declaration: it stays.
      expect(rendered(document)).toBe(text.includes('QName') ? `<a xmlns:w="${ns.wsu}">w:QName</a>` : text);
    }
  });

  it('are refused where they are already', () => {
    const document = parse('<a Id="1"/>');
    const again = { namespace: '', prefix: '', local: 'Id', value: '2' };
    expect(codeOf(() => document.setAttribute(document.root, again))).toBe('XML_EDIT_CONFLICT');
  });
});

describe('edits of what is gone', () => {
  it('are conflicts', () => {
    const document = parse('<a><b><c/></b><d/></a>');
    const [b] = document.children(document.root) as [NodeId];
    const c = document.firstChild(b);
    document.remove(b);
    for (const gone of [b, c]) {
      expect(codeOf(() => document.remove(gone))).toBe('XML_EDIT_CONFLICT');
      expect(codeOf(() => document.insert(gone, NONE, '<x/>'))).toBe('XML_EDIT_CONFLICT');
      expect(codeOf(() => document.replaceContent(gone, '<x/>'))).toBe('XML_EDIT_CONFLICT');
      expect(codeOf(() => document.insert(document.root, gone, '<x/>'))).toBe('XML_EDIT_CONFLICT');
    }
    expect(codeOf(() => document.remove(document.root))).toBe('XML_EDIT_CONFLICT');
  });

  it('lose their ids', () => {
    const document = parse('<a><b xml:id="x"><c xml:id="y"/></b></a>');
    document.replaceElement(document.firstChild(document.root), '<n xml:id="y"/>');
    expect(document.elementById('x')).toBeUndefined();
    expect(document.localName(document.elementById('y') ?? NONE)).toBe('n');
  });
});

describe('grafts', () => {
  it('stand in the namespaces of their place, under the limits', () => {
    const document = parse('<p:a xmlns:p="urn:p"><E/></p:a>', { depth: 3, elements: 6 });
    const e = document.firstChild(document.root);
    const [b] = document.graftContent(e, Buffer.from('<p:b><c/></p:b>text')) as [NodeId];
    expect(document.namespace(b)).toBe('urn:p');
    expect(document.contains(e, document.firstChild(b))).toBe(true);
    expect(document.parent(b)).toBe(document.root);
    expect(codeOf(() => document.graftContent(b, Buffer.from('<x><y><z/></y></x>')))).toBe('XML_LIMIT');
  });

  it.each([
    ['nothing', ''],
    ['text', 'x'],
    ['two elements', '<b/><c/>'],
    ['text beside an element', '<b/>x'],
    ['a comment beside an element', '<b/><!---->'],
    ['an unbound prefix', '<q:b/>'],
    ['an end tag', '</a>'],
    ['an end tag and a start tag', '</a><a>'],
    ['an open element', '<b>'],
    ['a document type', '<!DOCTYPE b><b/>'],
    ['a declaration', '<?xml version="1.0"?><b/>'],
  ])('of an element refuse %s', (_what, plaintext) => {
    const document = parse('<a><E/></a>');
    expect(
      codeOf(() => document.graftElement(document.firstChild(document.root), Buffer.from(plaintext))),
    ).toBe('XML_NOT_WELL_FORMED');
    const twin = parse('<a><E/></a>');
    expect(twin.graftElement(twin.firstChild(twin.root), Buffer.from(' <b/>\n'))).toBeGreaterThan(0);
  });

  it.each([
    ['`]]` before `>`', '<a>]]<E/></a>', '>'],
    ['`]` before `]>`', '<a>]<E/></a>', ']>'],
    ['a carriage return before a line feed', '<a>\r<E/></a>', '\nx'],
    ['`]]` before what follows', '<a><E/>></a>', ']]'],
  ])('refuse a seam of %s', (_what, text, plaintext) => {
    const document = parse(text);
    const encrypted = document.firstChild(document.root);
    expect(codeOf(() => document.graftContent(encrypted, Buffer.from(plaintext)))).toBe(
      'XML_NOT_WELL_FORMED',
    );
  });

  it('refuse an id that is taken', () => {
    const document = parse('<a xml:id="x"><E/></a>');
    expect(codeOf(() => document.graftContent(1, Buffer.from('<b xml:id="x"/>')))).toBe('XML_ID_DUPLICATE');
  });
});
