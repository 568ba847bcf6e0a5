/** `fmt`: one form for all policy files. Comments, order, and flow or block style stay as they are. */
import { parseDocument } from 'yaml';
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
  const document = parseDocument(text);
  return { text: document.toString({ indent: 2, lineWidth: 120, nullStr: '', minContentWidth: 0 }) };
}
