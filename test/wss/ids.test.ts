import { describe, expect, it } from '@jest/globals';
import { createRandom } from '#src/core/random.js';
import { ensureId, newId } from '#src/wss/ids.js';
import { ns } from '#src/xml/index.js';
import { outcome, parseMessage, rendered } from '../support/toolkit.js';

const random = createRandom();

/** An element with one id-like attribute; `kind` as research/security.md XSW-09 lists them. */
const bearers: Readonly<Record<string, (value: string) => string>> = {
  'wsu:Id': (value) => `<a xmlns:wsu="${ns.wsu}" wsu:Id="${value}"/>`,
  'xml:id': (value) => `<a xml:id="${value}"/>`,
  'Id of ds': (value) => `<ds:Object xmlns:ds="${ns.ds}" Id="${value}"/>`,
  'Id of xenc': (value) => `<x:EncryptedData xmlns:x="${ns.xenc}" Id="${value}"/>`,
  'AssertionID of SAML 1.1': (value) => `<s:Assertion xmlns:s="${ns.saml1}" AssertionID="${value}"/>`,
  'ID of SAML 2.0': (value) => `<s:Assertion xmlns:s="${ns.saml2}" ID="${value}"/>`,
};
const lookalikes: Readonly<Record<string, (value: string) => string>> = {
  Id: (value) => `<a xmlns="urn:a" Id="${value}"/>`,
  ID: (value) => `<a xmlns="urn:a" ID="${value}"/>`,
  id: (value) => `<a xmlns="urn:a" id="${value}"/>`,
  'x:Id': (value) => `<a xmlns:x="urn:x" x:Id="${value}"/>`,
  AssertionID: (value) => `<a xmlns="urn:a" AssertionID="${value}"/>`,
};
const names = Object.keys(bearers);
const matrix = names.flatMap((first) => names.map((second) => [first, second] as const));

describe('ids', () => {
  it.each(matrix)(
    'one value on %s and %s is refused, two values are not (XSW-08, XSW-09)',
    async (first, second) => {
      const message = (other: string): string => `<r>${bearers[first]!('x')}${bearers[second]!(other)}</r>`;
      expect(await outcome(() => parseMessage(message('x')))).toBe('XML_ID_DUPLICATE');
      expect(await outcome(() => parseMessage(message('y')))).toBe('accepted');
    },
  );

  it.each(Object.keys(lookalikes))('%s is no id: it neither names an element nor collides', (name) => {
    const document = parseMessage(`<r>${lookalikes[name]!('x')}</r>`);
    expect(document.elementById('x')).toBeUndefined();
    for (const bearer of names) {
      const both = parseMessage(`<r>${bearers[bearer]!('x')}${lookalikes[name]!('x')}</r>`);
      expect(both.elementById('x')).toBe(both.children(both.root)[0]);
    }
  });

  it('an element with two ids is refused (XSW-10)', async () => {
    const two = `<ds:Object xmlns:ds="${ns.ds}" xmlns:wsu="${ns.wsu}" wsu:Id="a" Id="b"/>`;
    expect(await outcome(() => parseMessage(two))).toBe('XML_ID_INVALID');
    expect(await outcome(() => parseMessage(two.replace(' Id="b"', '')))).toBe('accepted');
  });

  it('an id that is no name is refused (XSW-11)', async () => {
    for (const value of ['', ' a', 'a b', 'a:b', '#a', 'a/b']) {
      expect(await outcome(() => parseMessage(`<r>${bearers['wsu:Id']!(value)}</r>`))).toBe('XML_ID_INVALID');
    }
  });

  it('new ids are NCNames and differ', () => {
    const made = new Set(Array.from({ length: 1000 }, () => newId('id', random)));
    expect(made.size).toBe(1000);
    for (const id of made) expect(id).toMatch(/^id-[0-9a-f]{32}$/);
  });

  it('an existing id is used, a missing one added', () => {
    const document = parseMessage(`<r xmlns:wsu="${ns.wsu}"><a wsu:Id="known"/><b/></r>`);
    const [a = -1, b = -1] = document.children(document.root);
    expect(ensureId(document, a, random)).toBe('known');
    const added = ensureId(document, b, random);
    expect(document.elementById(added)).toBe(b);
    expect(rendered(document)).toContain(`wsu:Id="${added}"`);
  });
});
