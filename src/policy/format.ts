/** `fmt`: one form for all policy files. Comments, order and flow or block style stay as they are. */
import { isMap, isPair, isScalar, isSeq, parseDocument, visit } from 'yaml';
import { parseSource } from './source.js';
import type { Diagnostic } from './diagnostics.js';

/** The formatted text, or why the file cannot be formatted. */
export function formatYaml(
  file: string,
  text: string,
): { readonly text: string } | { readonly problems: readonly Diagnostic[] } {
  const { problems } = parseSource(file, text);
  if (problems.length > 0) return { problems };
  const document = parseDocument(text, { keepSourceTokens: false });
  visit(document, {
    Node: (_, node) => {
      // at most one empty line between things
      if (isMap(node) || isSeq(node) || isScalar(node)) node.spaceBefore = node.spaceBefore === true;
    },
    Pair: (_, pair) => {
      if (isPair(pair) && isScalar(pair.value) && pair.value.value === null && pair.value.source === '') {
        pair.value.source = '';
      }
    },
  });
  return {
    text: document.toString({
      indent: 2,
      lineWidth: 120,
      flowCollectionPadding: true,
      nullStr: '',
      minContentWidth: 0,
    }),
  };
}
