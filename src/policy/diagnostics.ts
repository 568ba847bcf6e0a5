/** What is wrong with a configuration, in a form that an editor, a terminal and a test can use. */
import type { Code } from '../core/codes.js';
import type { Position } from './config.js';

/** One finding. Errors of the gateway file stop the start; errors of a service file refuse that service. */
export interface Diagnostic {
  readonly severity: 'error' | 'warning';
  readonly code: Code;
  /** File, line and column, both from 1; line 0 where the whole file is meant. */
  readonly at: Position;
  /** How many columns the caret underlines. */
  readonly length: number;
  readonly message: string;
  /** The line of the file, for display. */
  readonly source: string | undefined;
  readonly expected: string | undefined;
  readonly found: string | undefined;
  /** The known name that is nearest to the one found. */
  readonly nearest: string | undefined;
  /** What to do, where that is not said by the rest. */
  readonly help: string | undefined;
  /** The service that is refused for it; undefined: the gateway. */
  readonly service: string | undefined;
  /** For what stands in the gateway file and does not stop the start: the services that are refused for it. */
  readonly refuses?: readonly string[];
}

/** Whether a service is refused for it. */
export function isReasonFor({ severity, service, refuses }: Diagnostic, name: string): boolean {
  return severity === 'error' && (service === name || refuses?.includes(name) === true);
}

/**
 * Text for a terminal: `file:line:col`, the message, the source line with a caret, expected and found.
 *
 * @param show how to print the file's name (relative to the working folder, say)
 */
export function renderDiagnostic(diagnostic: Diagnostic, show: (file: string) => string = String): string {
  const { at, source, expected, found, nearest, help, refuses } = diagnostic;
  const place = at.line === 0 ? show(at.file) : `${show(at.file)}:${at.line}:${at.column}`;
  const lines = [`${place}: ${diagnostic.severity} ${diagnostic.code}: ${diagnostic.message}`];
  if (source !== undefined && at.line > 0) {
    const margin = ' '.repeat(String(at.line).length);
    // tabs keep their width under the caret
    const indent = source.slice(0, at.column - 1).replace(/[^\t]/g, ' ');
    const room = Math.max(1, source.length - at.column + 1);
    lines.push(
      ` ${at.line} | ${source}`,
      ` ${margin} | ${indent}${'^'.repeat(Math.max(1, Math.min(diagnostic.length, room)))}`,
    );
  }
  if (expected !== undefined) lines.push(`   expected: ${expected}`);
  if (found !== undefined) lines.push(`   found:    ${found}`);
  if (nearest !== undefined) lines.push(`   did you mean ${nearest}?`);
  if (help !== undefined) lines.push(`   help: ${help}`);
  if (refuses !== undefined) lines.push(`   services that do not start for it: ${refuses.join(', ')}`);
  return lines.join('\n');
}

/** The candidate nearest to `name` by edit distance, or undefined where none is near enough to be meant. */
export function nearestName(name: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  // a name of one letter is near to every other such name
  let bestDistance = Math.min(3, Math.ceil(name.length / 3), name.length - 1) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance && candidate !== name) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Damerau-Levenshtein distance (optimal string alignment): insert, delete, replace, swap neighbours. */
export function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let distance = Math.min((previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (previous[j - 1] ?? 0) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        distance = Math.min(distance, (before[j - 2] ?? 0) + 1);
      }
      row.push(distance);
    }
    before = previous;
    previous = row;
  }
  return previous[b.length] ?? 0;
}
