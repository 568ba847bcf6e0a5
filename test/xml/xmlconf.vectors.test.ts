/** The W3C XML conformance suite (vectors/xmlconf), as far as a parser without document types can be held to it. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { isCountersignError } from '#src/core/errors.js';
import { parseDocument } from '#src/xml/index.js';
import { cutDoctype } from '../support/doctype.js';
import { fixture, vectors } from '../support/paths.js';
import { canonical, limits, Oracle } from './support.js';

interface Entry {
  readonly file: string;
  readonly type: string;
  readonly recommendation: string;
  readonly bytes: Buffer;
  readonly hasDoctype: boolean;
}

const root = vectors('xmlconf');
const entries = root === undefined ? [] : readSuite(root);
const options = { limits: { ...limits, depth: 1000 }, utf16: true };
const refused = (bytes: Buffer): { code: string; message: string } | undefined => {
  try {
    parseDocument(bytes, options).release();
  } catch (error) {
    if (!isCountersignError(error)) throw error;
    return { code: error.code, message: error.message };
  }
  return undefined;
};

(root === undefined ? describe.skip : describe)('W3C conformance suite', () => {
  const without = (type: string): Entry[] => entries.filter((one) => one.type === type && !one.hasDoctype);

  it('parses every `invalid` file of XML 1.0 that has no document type', () => {
    const files = without('invalid').filter((one) => !one.recommendation.endsWith('1.1'));
    const bad = files.filter((one) => refused(one.bytes) !== undefined).map((one) => one.file);
    report(
      `invalid without DTD: ${files.length - bad.length} of ${files.length} parse (45 of them from oasis/)`,
    );
    // Well-formed, but their names have colons where Namespaces in XML has none.
    expect(bad).toEqual(['oasis/p04pass1.xml', 'oasis/p05pass1.xml']);
    expect(files.length).toBe(72);
  });

  // Two are accepted: names that only the first four editions of XML 1.0 forbid.
  it('refuses every `not-wf` file that has no document type, each for its own reason', () => {
    const reasons = without('not-wf').map(
      (one) => `${one.file}: ${refused(one.bytes)?.message ?? 'ACCEPTED'}`,
    );
    report(
      `not-wf without DTD: ${reasons.filter((line) => !line.endsWith('ACCEPTED')).length} of ${reasons.length} refused`,
    );
    expect(reasons.sort().join('\n')).toBe(readFileSync(fixture('xml', 'xmlconf-not-wf.txt'), 'utf8').trim());
  });

  // Accepted are those where `<!DOCTYPE` stands in a comment, an instruction or CDATA.
  it('refuses every file with a document type as such, unless what stands before it is refused', () => {
    const others = entries
      .filter((one) => one.hasDoctype)
      .map((one) => ({ ...one, refusal: refused(one.bytes) }))
      .filter((one) => one.refusal?.code !== 'XML_DOCTYPE')
      .map((one) => `${one.file}: ${one.refusal?.message ?? 'ACCEPTED'}`);
    report(
      `with DTD: ${entries.filter((one) => one.hasDoctype).length}, of which ${others.length} are refused before it`,
    );
    expect(others.sort().join('\n')).toBe(
      readFileSync(fixture('xml', 'xmlconf-before-dtd.txt'), 'utf8').trim(),
    );
  });

  // The differences: XML 1.1 and encodings that are not accepted; relative namespace names, which have no canonical form;
  // a namespace name that is no URI; `<!DOCTYPE` twice.
  it('agrees with libxml2 on the same files without their document type', () => {
    const counts = { accepted: 0, refused: 0, uncut: 0 };
    const differences: string[] = [];
    for (const one of entries.filter((entry) => entry.hasDoctype)) {
      const bytes = withoutDoctype(one.bytes);
      if (bytes === undefined) {
        counts.uncut++;
        continue;
      }
      const difference = compare(bytes, counts);
      if (difference !== undefined) differences.push(`${one.file}: ${difference}`);
    }
    report(
      `with the DTD cut: ${counts.accepted} accepted by both with equal canonical form, ${counts.refused} refused by both, ` +
        `${differences.length} explained differences, ${counts.uncut} whose DTD does not end`,
    );
    expect(differences.sort().join('\n')).toBe(
      readFileSync(fixture('xml', 'xmlconf-libxml2.txt'), 'utf8').trim(),
    );
  });
});

/** Cuts the document type of a file in whatever encoding it is. */
function withoutDoctype(bytes: Buffer): Buffer | undefined {
  const mark = bytes.readUInt16BE(0);
  const encoding = mark === 0xfeff || mark === 0xfffe ? 'utf16le' : 'latin1';
  const ordered = mark === 0xfeff ? Buffer.from(bytes).swap16() : bytes;
  const text = cutDoctype(ordered.toString(encoding));
  if (text === undefined) return undefined;
  const cut = Buffer.from(text, encoding);
  return mark === 0xfeff ? cut.swap16() : cut;
}

function compare(bytes: Buffer, counts: { accepted: number; refused: number }): string | undefined {
  const ours = refused(bytes);
  let oracle: Oracle;
  try {
    oracle = new Oracle(bytes);
  } catch (error) {
    if (ours === undefined) return `libxml2 refuses: ${String(error).split('\n')[0] ?? ''}`;
    counts.refused++;
    return undefined;
  }
  try {
    if (ours !== undefined) return `we refuse: ${ours.message}`;
    const method = { algorithm: 'inclusive-1.0', comments: true } as const;
    if (canonical(parseDocument(bytes, options), 'document', method) !== oracle.canonical('document', method))
      return 'canonical forms differ';
    counts.accepted++;
    return undefined;
  } catch (error) {
    return `canonical form: ${String(error)}`;
  } finally {
    oracle.dispose();
  }
}

function report(line: string): void {
  process.stderr.write(`xmlconf, ${line}\n`);
}

/** Reads every TEST of every catalogue. */
function readSuite(folder: string): Entry[] {
  const catalogues = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.xml'),
  );
  return catalogues.sort().flatMap((catalogue) => {
    const text = readFileSync(join(folder, catalogue), 'latin1').replace(/<!--[^]*?-->/g, '');
    return [...text.matchAll(/<TEST\s([^>]*)>/g)].map((match) =>
      readEntry(folder, catalogue, match[1] ?? ''),
    );
  });
}

function readEntry(folder: string, catalogue: string, attributes: string): Entry {
  const value = (name: string): string | undefined =>
    new RegExp(`(?:^|\\s)${name}\\s*=\\s*["']([^"']*)["']`).exec(attributes)?.[1];
  const path = join(folder, dirname(catalogue), value('URI') ?? '');
  const bytes = readFileSync(path);
  const doctypes = [
    Buffer.from('<!DOCTYPE'),
    Buffer.from('<!DOCTYPE', 'utf16le'),
    Buffer.from('<!DOCTYPE', 'utf16le').swap16(),
  ];
  return {
    file: relative(folder, path),
    type: value('TYPE') ?? '',
    recommendation: value('RECOMMENDATION') ?? 'XML1.0',
    bytes,
    hasDoctype: doctypes.some((doctype) => bytes.includes(doctype)),
  };
}
