/** `fmt`: one form for all policy files. Comments, order, and flow or block style stay as they are. */
import { isCollection, isPair, isSeq, parseDocument, visit, type Document } from 'yaml';
import type { Diagnostic } from './diagnostics.js';
import { parseSource } from './source.js';

/** The formatted text, or why the file cannot be formatted. */
export function formatYaml(
  file: string,
  text: string,
): { readonly text: string } | { readonly problems: readonly Diagnostic[] } {
  const { problems } = parseSource(file, text);
  if (problems.length > 0) return { problems };
  if (text.trim() === '') return { text: '' };
  return { text: layOut(parseDocument(text)) };
}

/** YAML text with small lists and maps on one line each. */
export function readable(text: string): string {
  const document = parseDocument(text);
  visit(document, {
    Collection: (_, node) => {
      const small = String(node).length <= 90 && node.items.every((item) => !hasCollection(item));
      if (small) node.flow = true;
    },
  });
  return layOut(document);
}

const hasCollection = (item: unknown): boolean =>
  isCollection(item) || (isPair(item) && isCollection(item.value));

const layOut = (document: Document): string =>
  closeLists(document.toString({ indent: 2, lineWidth: 120, nullStr: '', minContentWidth: 0 }));

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
