/** Canonical forms as libxml2 ships them (vectors/c14n): every one whose node-set is a document or one subtree without a DTD. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { C14nMethod, NodeId, XmlDocument } from '#src/xml/index.js';
import { vectors } from '../support/paths.js';
import { canonical, parse } from './support.js';

interface Case {
  readonly name: string;
  readonly method: C14nMethod;
  readonly text: Buffer;
  readonly expected: string;
  /** Local name and namespace name of the apex; undefined for the document. */
  readonly apex: { readonly namespace: string; readonly local: string } | undefined;
  /** Why the case is not run. */
  readonly excluded: string | undefined;
}

const folders: Readonly<Record<string, C14nMethod>> = {
  'without-comments': { algorithm: 'inclusive-1.0', comments: false },
  'with-comments': { algorithm: 'inclusive-1.0', comments: true },
  'exc-without-comments': { algorithm: 'exclusive', comments: false },
  '1-1-without-comments': { algorithm: 'inclusive-1.1', comments: false },
};

const root = vectors('c14n');
const cases = root === undefined ? [] : Object.keys(folders).flatMap((folder) => read(root, folder));
const included = cases.filter(({ excluded }) => excluded === undefined);
const excluded = cases.filter((one) => one.excluded !== undefined);

(root === undefined ? describe.skip : describe)('canonical forms of libxml2', () => {
  it('are 23 in scope and 50 out of it', () => {
    process.stderr.write(
      `canonical forms of libxml2 out of scope: ${excluded.map((one) => `${one.name} (${one.excluded ?? ''})`).join(', ')}\n`,
    );
    expect([included.length, excluded.length]).toEqual([23, 50]);
  });

  it.each(included.map((one) => [one.name, one] as const))('%s', (_name, one) => {
    const document = parse(one.text);
    const apex =
      one.apex === undefined ? 'document' : outermostElement(document, one.apex.namespace, one.apex.local);
    expect(canonical(document, apex, one.method)).toBe(one.expected);
  });
});

function read(folder: string, method: string): Case[] {
  const tests = join(folder, 'test', method);
  return readdirSync(tests)
    .filter((file) => file.endsWith('.xml') && existsSync(join(folder, 'result', method, file.slice(0, -4))))
    .map((file) => {
      const name = file.slice(0, -4);
      const text = withoutLatin1(readFileSync(join(tests, file)));
      const xpath = optional(join(tests, `${name}.xpath`));
      const prefixes = optional(join(tests, `${name}.ns`))
        ?.split(/\s+/)
        .filter((prefix) => prefix !== '');
      const apex = xpath === undefined ? undefined : subtree(xpath);
      const excluded = text.includes('<!DOCTYPE')
        ? 'has a DTD'
        : xpath !== undefined && apex === undefined
          ? 'a node-set that is no subtree'
          : undefined;
      return {
        name: `${method}/${name}`,
        method: {
          ...(folders[method] as C14nMethod),
          ...(prefixes === undefined ? {} : { inclusivePrefixes: prefixes }),
        },
        text,
        expected: readFileSync(join(folder, 'result', method, name), 'utf8'),
        apex,
        excluded,
      };
    });
}

/** example-6 is ASCII that declares ISO-8859-1, which is not accepted: its declaration is cut. */
function withoutLatin1(text: Buffer): Buffer {
  return Buffer.from(
    text.toString('latin1').replace(/^<\?xml version="1.0" encoding="ISO-8859-1"\?>/, ''),
    'latin1',
  );
}

function optional(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

/** The element of an expression `(//. | //@* | //namespace::*)[ancestor-or-self::p:name]`, and of no other. */
function subtree(xpath: string): Case['apex'] {
  const expression = xpath.replace(/<!--[^]*?-->/g, '').replace(/\s+/g, '');
  const match =
    />\(\/\/\.\|\/\/@\*\|\/\/namespace::\*\)\[ancestor-or-self::([\w-]+):([\w-]+)\]<\/XPath>$/.exec(
      expression,
    );
  if (match === null) return undefined;
  const declared = new RegExp(`xmlns:${match[1] ?? ''}="([^"]*)"`).exec(xpath);
  return { namespace: declared?.[1] ?? '', local: match[2] ?? '' };
}

function outermostElement(document: XmlDocument, namespace: string, local: string): NodeId {
  const found: NodeId[] = [];
  const pending = [document.root];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    if (document.is(at, namespace, local)) found.push(at);
    pending.push(...document.children(at));
  }
  // `ancestor-or-self` names the outermost one; others inside of it change nothing.
  const outermost = found.filter(
    (element) => !found.some((other) => other !== element && document.contains(other, element)),
  );
  expect(outermost).toHaveLength(1);
  return outermost[0] as NodeId;
}
