/** One YAML file with the positions of everything in it. */
import { readFileSync } from 'node:fs';
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  stringify,
  visit,
  type Document,
} from 'yaml';
import { fileProblem } from '../core/file-problem.js';
import type { Position } from './config.js';
import type { Diagnostic } from './diagnostics.js';

export type Path = readonly (string | number)[];

/** A range of a file: where a value or a key stands. */
export interface Place {
  readonly at: Position;
  readonly length: number;
  readonly source: string | undefined;
}

/** A configuration file as read. `value` is undefined when the file cannot be used. */
export interface Source {
  readonly file: string;
  readonly text: string;
  readonly value: unknown;
  /** Syntax errors; nothing else is checked while there are any. */
  readonly problems: readonly Diagnostic[];
  /** Where the value at `path` stands, or the nearest thing around it that is in the file. */
  place(path: Path): Place;
  /** Where the key that ends `path` stands. */
  keyPlace(path: Path): Place;
}

/** More than any configuration needs, less than an alias bomb takes. */
const maxAliases = 100;
const maxBytes = 4 * 1024 * 1024;

/** Reads `file`. Failure to read is a problem of the source, not an exception. */
export function readSource(file: string): Source {
  let text: string;
  try {
    const bytes = readFileSync(file);
    if (bytes.length > maxBytes) return unreadable(file, `the file is larger than ${maxBytes} bytes`);
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    const isMissing =
      typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT';
    return unreadable(file, fileProblem(error), isMissing ? missingHelp : undefined);
  }
  return parseSource(file, text);
}

/** A configuration given as an object: positions are those of its YAML form, which diagnostics show. */
export function objectSource(name: string, value: unknown): Source {
  return parseSource(name, stringify(value, { lineWidth: 0, aliasDuplicateObjects: false }));
}

/** Reads YAML 1.2: duplicate keys, unknown tags, several documents and alias bombs are refused. */
export function parseSource(file: string, text: string): Source {
  const counter = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: counter,
    prettyErrors: false,
    uniqueKeys: true,
    stringKeys: true,
    merge: false,
    version: '1.2',
    schema: 'core',
  });
  const lines = text.split(/\r?\n/);
  const placeOf = (start: number, end: number): Place => {
    const from = counter.linePos(start);
    const to = counter.linePos(Math.max(start, end));
    const line = lines[from.line - 1];
    return {
      at: { file, line: from.line, column: from.col },
      length: to.line === from.line ? Math.max(1, to.col - from.col) : (line?.length ?? 0) - from.col + 1,
      source: line,
    };
  };
  const problems = syntaxProblems(document, lines, placeOf);
  if (problems.length === 0) problems.push(...protoProblems(document, placeOf));
  if (problems.length === 0) problems.push(...aliasProblems(document, placeOf));
  return {
    file,
    text,
    value: problems.length > 0 ? undefined : document.toJS({ maxAliasCount: maxAliases }),
    problems,
    place: (path) => placeAt(document, path, placeOf, 'value'),
    keyPlace: (path) => placeAt(document, path, placeOf, 'key'),
  };
}

type PlaceOf = (start: number, end: number) => Place;

/** To JavaScript this key is no key: whatever reads the map further on may lose it, and what stands under it, without a word. */
function protoProblems(document: Document, placeOf: PlaceOf): Diagnostic[] {
  const problems: Diagnostic[] = [];
  visit(document, {
    Pair: (_, { key }) => {
      if (!isScalar(key) || key.value !== '__proto__') return;
      const place = rangeOf(key, placeOf) ?? placeOf(0, 1);
      problems.push({
        ...problem(place, 'the key "__proto__" is not accepted', undefined),
        code: 'CONFIG_UNKNOWN_KEY',
        expected: 'another name',
      });
    },
  });
  return problems;
}

function aliasProblems(document: Document, placeOf: PlaceOf): Diagnostic[] {
  let count = 0;
  let last: Place | undefined;
  visit(document, {
    Alias: (_, node) => {
      count++;
      if (count > maxAliases) last ??= rangeOf(node, placeOf);
    },
  });
  if (last !== undefined) return [problem(last, `more than ${maxAliases} aliases`, undefined)];
  try {
    document.toJS({ maxAliasCount: maxAliases });
    return [];
  } catch (error) {
    return [problem(placeOf(0, 1), `aliases: ${fileProblem(error)}`, undefined)];
  }
}

/** Walks as far as the file goes along `path`. */
function placeAt(document: Document, path: Path, placeOf: PlaceOf, what: 'key' | 'value'): Place {
  let node: unknown = document.contents;
  let key: unknown;
  let found = true;
  for (const segment of path) {
    const next = child(isAlias(node) ? node.resolve(document) : node, segment);
    found = next !== undefined;
    if (next === undefined) break;
    key = next.key;
    node = next.value;
  }
  // a missing key is shown at the key of the map it is missing from: that is one word, not a whole block
  const wantKey = what === 'key' || !found || isBlock(node) || isEmpty(node);
  const target = key !== undefined && wantKey ? key : node;
  return rangeOf(target, placeOf) ?? placeOf(0, 1);
}

/** What stands at `segment` of a map or a list. */
function child(node: unknown, segment: string | number): { key: unknown; value: unknown } | undefined {
  if (isMap(node)) {
    return node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(segment));
  }
  if (!isSeq(node) || typeof segment !== 'number' || segment >= node.items.length) return undefined;
  return { key: undefined, value: node.items[segment] };
}

const isBlock = (node: unknown): boolean => (isMap(node) || isSeq(node)) && node.flow !== true;
const isEmpty = (node: unknown): boolean => isScalar(node) && node.source === '';

function rangeOf(node: unknown, placeOf: PlaceOf): Place | undefined {
  if (typeof node !== 'object' || node === null || !('range' in node) || !Array.isArray(node.range)) {
    return undefined;
  }
  const range: readonly unknown[] = node.range;
  const [start, end] = range;
  return typeof start === 'number' && typeof end === 'number' ? placeOf(start, end) : undefined;
}

/**
 * One syntax error for each line: those that follow are mostly echoes. YAML reads `{` and `#` before we do; parts that
 * hold them must be quoted (design/policy.md, Parts).
 */
function syntaxProblems(document: Document, lines: readonly string[], placeOf: PlaceOf): Diagnostic[] {
  const problems = new Map<number, Diagnostic>();
  for (const error of [...document.errors, ...document.warnings]) {
    const place = placeOf(error.pos[0], error.pos[1]);
    const comment = hiddenByComment(place, lines);
    const known = problem(comment ?? place, error.message, undefined);
    const brace = (known.source ?? '').includes('/{') ? quoteHelp('{') : undefined;
    const help = comment === undefined ? brace : quoteHelp('#');
    if (!problems.has(known.at.line)) problems.set(known.at.line, { ...known, help });
  }
  return [...problems.values()];
}

/** Where a `#` took the end of an open list: `[body, #id]`. The error shows only where the list should have ended. */
function hiddenByComment(place: Place, lines: readonly string[]): Place | undefined {
  const { file, line } = place.at;
  for (let above = line; above > 0 && above > line - 3; above--) {
    const source = lines[above - 1] ?? '';
    const match = /\[[^\]"']*?[\s[,]#/.exec(source);
    if (match === null) continue;
    const column = match.index + match[0].length;
    return { at: { file, line: above, column }, length: 1, source };
  }
  return undefined;
}

/** How to write a part that holds a character of YAML's own. */
export function quoteHelp(character: '{' | '#'): string {
  const sample = character === '{' ? '"header/{uri}name"' : '"#id"';
  return `YAML takes an unquoted ${character} for itself; put the part in quotes: ${sample}`;
}

function problem(place: Place, message: string, help: string | undefined): Diagnostic {
  return {
    severity: 'error',
    code: 'CONFIG_SYNTAX',
    ...place,
    message,
    expected: undefined,
    found: undefined,
    nearest: undefined,
    help,
    service: undefined,
  };
}

const missingHelp = '--config FILE names another; `countersign init DIR` makes samples';

function unreadable(file: string, message: string, help?: string): Source {
  const place: Place = { at: { file, line: 0, column: 0 }, length: 0, source: undefined };
  return {
    file,
    text: '',
    value: undefined,
    problems: [{ ...problem(place, `cannot be read: ${message}`, help), code: 'CONFIG_UNREADABLE' }],
    place: () => place,
    keyPlace: () => place,
  };
}
