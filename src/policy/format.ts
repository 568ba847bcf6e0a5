/** `fmt`: one form for all policy files. Comments, order, and flow or block style stay as they are. */
import { isCollection, isPair, isSeq, Lexer, parseDocument, visit, type Document } from 'yaml';
import type { Diagnostic } from './diagnostics.js';
import { describe, diagnose } from './issues.js';
import { parseSource, type Source } from './source.js';

/** Longer maps and lists on one line become blocks. In characters of their JSON, which is a little longer. */
const widest = 120;

/** The formatted text, or why the file cannot be formatted. */
export function formatYaml(
  file: string,
  text: string,
): { readonly text: string } | { readonly problems: readonly Diagnostic[] } {
  const source = parseSource(file, text);
  if (source.problems.length > 0) return { problems: source.problems };
  if (text.trim() === '') return { text: '' };
  // a file of another kind is one long YAML text, and would be written anew as one
  if (source.value !== null && !isPlainMap(source.value)) return { problems: [noMap(source)] };
  const document = parseDocument(text);
  visit(document, {
    Collection: (_, node) => {
      if (node.flow === true && JSON.stringify(node).length > widest) node.flow = false;
    },
  });
  return { text: layOut(document) };
}

const isPlainMap = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const noMap = (source: Source): Diagnostic =>
  diagnose(source, {
    code: 'CONFIG_INVALID',
    message: 'this is no configuration file; it was left as it is',
    path: [],
    expected: 'a map',
    found: describe(source.value),
  });

/** YAML text with small lists and maps on one line each. */
export function readable(text: string): string {
  const document = parseDocument(text);
  visit(document, {
    Collection: (_, node) => {
      const small = JSON.stringify(node).length <= 90 && node.items.every((item) => !hasCollection(item));
      if (small) node.flow = true;
    },
  });
  return layOut(document);
}

const hasCollection = (item: unknown): boolean =>
  isCollection(item) || (isPair(item) && isCollection(item.value));

const layOut = (document: Document): string =>
  alignComments(
    closeLists(document.toString({ indent: 2, lineWidth: 120, nullStr: '', minContentWidth: 0 })),
  );

/** The lexer's marks for the beginning of documents and scalars, which are not in the text. */
const marks = new Set(['\u{2}', '\u{18}', '\u{1f}']);

/** Comments that end neighbouring lines begin in one column. */
function alignComments(text: string): string {
  const starts = new Map<number, number>();
  let line = 0;
  let lineStart = 0;
  let offset = 0;
  for (const token of new Lexer().lex(text)) {
    if (marks.has(token)) continue;
    if (token.startsWith('#')) starts.set(line, offset - lineStart);
    offset += token.length;
    for (const newline of token.matchAll(/\n/g)) {
      line++;
      lineStart = offset - token.length + newline.index + 1;
    }
  }
  const lines = text.split('\n');
  const trailing = (index: number): number | undefined => {
    const start = starts.get(index);
    return start !== undefined && /\S/.test(lines[index]?.slice(0, start) ?? '') ? start : undefined;
  };
  for (let first = 0; first < lines.length; first++) {
    let last = first;
    let column = 0;
    for (let start = trailing(last); start !== undefined; start = trailing(++last))
      column = Math.max(column, start);
    for (; first < last; first++) {
      const start = trailing(first) ?? 0;
      const content = lines[first] ?? '';
      lines[first] = content.slice(0, start).trimEnd().padEnd(column) + content.slice(start);
    }
  }
  return lines.join('\n');
}

/** `[ a, b ]` becomes `[a, b]`; maps keep their padding. */
function closeLists(text: string): string {
  const blanks: number[] = [];
  visit(parseDocument(text), {
    Seq: (_, node) => {
      if (!isSeq(node) || node.flow !== true || !node.range) return;
      const [start, end] = node.range;
      if (text[start + 1] === ' ' && text[start + 2] !== '#') blanks.push(start + 1);
      if (end - 2 > start + 1 && text[end - 2] === ' ' && /\S/.test(text[end - 3] ?? ''))
        blanks.push(end - 2);
    },
  });
  const drop = new Set(blanks);
  return text
    .split('')
    .filter((_, index) => !drop.has(index))
    .join('');
}
