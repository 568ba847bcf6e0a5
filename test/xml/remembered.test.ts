/** Whatever a parser has read, the next document is to it what it is to a parser that has read nothing. */
import { describe, expect, it } from '@jest/globals';
import { isCountersignError } from '#src/core/errors.js';
import { defaultLimits, type Limits } from '#src/core/limits.js';
import { XmlDocument } from '#src/xml/document.js';
import { Parser } from '#src/xml/parser.js';
import { canonical, ids } from './support.js';

/** All that shows of a document: names, ids and canonical forms, or why it is refused. */
function reading(parser: Parser, text: string, more: Partial<Limits> = {}): string {
  const limits = { ...defaultLimits, ...more };
  try {
    parser.begin(Buffer.from(text), limits, ids);
    const document = new XmlDocument(parser, parser.message(0), false);
    const shown = [...below(document, document.root)];
    for (const algorithm of ['exclusive', 'inclusive-1.0'] as const)
      shown.push(canonical(document, 'document', { algorithm }));
    parser.end(true);
    return shown.join('\n');
  } catch (error) {
    parser.end(false);
    if (!isCountersignError(error)) throw error;
    return `${error.code} ${error.message}`;
  }
}

function* below(document: XmlDocument, element: number): Generator<string> {
  const attributes = document.attributes(element).map(({ namespace, local }) => `${namespace} ${local}`);
  yield [document.namespace(element), document.path(element), document.idOf(element), ...attributes].join();
  for (const child of document.children(element)) yield* below(document, child);
}

const fresh = (text: string, more?: Partial<Limits>): string =>
  reading(new Parser(defaultLimits), text, more);

const names = (count: number): string => Array.from({ length: count }, (_, at) => `<n${at}/>`).join('');

/** The prefix is new wherever the names before it are known. */
const victim = '<m xmlns:m="urn:other"><s:Body xmlns:s="urn:s" s:k="1"/></m>';

describe('what a parser has read', () => {
  it('does not bind a prefix otherwise where there was room for a name and none for its prefix', () => {
    for (let count = 230; count < 270; count++) {
      const parser = new Parser(defaultLimits);
      reading(parser, `<r>${names(count)}<s:Body xmlns:s="urn:s" s:k="1"/></r>`);
      expect(`${count} ${reading(parser, victim)}`).toBe(`${count} ${fresh(victim)}`);
    }
  });

  it('does not bind a prefix otherwise where there were no bytes left for it', () => {
    const long = 'p'.repeat(60);
    const body = `<${long}:Body xmlns:${long}="urn:s"/>`;
    const next = `<m xmlns:m="urn:other">${body}</m>`;
    for (let count = 150; count < 170; count++) {
      const parser = new Parser(defaultLimits);
      // Names of 100 bytes that the hash tells apart.
      const some = Array.from({ length: count }, (_, at) => `<n${String(at).padStart(3, '0').repeat(33)}/>`);
      reading(parser, `<r>${some.join('')}${body}</r>`);
      expect(`${count} ${reading(parser, next)}`).toBe(`${count} ${fresh(next)}`);
    }
  });

  it.each(['s:Body', 'xmlns:s', 's:k'])(
    'does not bind a prefix otherwise where %s was a namespace name first and then a name in what was refused',
    (name) => {
      const parser = new Parser(defaultLimits);
      reading(parser, `<r xmlns:x="${name}"/>`);
      expect(reading(parser, '<q xmlns:s="urn:s"><s:Body s:k="1"/></x>')).toContain('XML_NOT_WELL_FORMED');
      expect(reading(parser, victim)).toBe(fresh(victim));
    },
  );

  it('shows nowhere in what comes next', () => {
    let accepted = 0;
    let read = 0;
    for (let run = 0; run < 40; run++) {
      const random = generator(run);
      const parser = new Parser(defaultLimits);
      reading(parser, `<r>${names(random(250))}</r>`);
      for (let turn = 0; turn < 60; turn++) {
        const text = anyDocument(random);
        const more = random(5) === 0 ? { names: 4 + random(8), namespaces: 2 + random(4) } : {};
        const expected = fresh(text, more);
        expect(`${text}\n${reading(parser, text, more)}`).toBe(`${text}\n${expected}`);
        read++;
        if (!expected.startsWith('XML_')) accepted++;
      }
    }
    expect(accepted).toBeGreaterThan(read / 4);
    expect(accepted).toBeLessThan((read * 3) / 4);
  });
});

type Random = (below: number) => number;

/** Numbers that are the same each time (Numerical Recipes' generator). */
function generator(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const locals = ['Body', 'k', 'p1', 'p2', 'Id', 'xmlns', 'Bodies'];
const uris = ['urn:s', 'urn:p', 'p1:Body', 'xmlns:p2', 'p3:k', 'urn:a&amp;b', 'urn:%22'];

/** Small, mostly well-formed, now and then with names that no document before it had. */
function anyDocument(random: Random, depth = 0): string {
  const oneIn = (many: number): boolean => random(many) === 0;
  const local = (): string =>
    oneIn(6) ? `t${random(400)}` : oneIn(100) ? '1x' : (locals[random(locals.length)] ?? '');
  const prefix = oneIn(100) ? 'xmlns' : `p${random(oneIn(4) ? 200 : 4)}`;
  const name = oneIn(4) ? local() : `${prefix}:${local()}`;
  const declaration = oneIn(30) ? '' : ` xmlns:${prefix}="${uris[random(uris.length)] ?? ''}"`;
  const attribute = oneIn(2) ? '' : ` ${oneIn(2) ? '' : `${prefix}:`}${local()}="${random(30)}"`;
  const children = Array.from({ length: depth > 2 ? 0 : random(4) }, () => anyDocument(random, depth + 1));
  const close = oneIn(40) ? local() : name;
  return `<${name}${attribute}${declaration}>${children.join('')}</${close}>`;
}
