/** Turns what the schema library finds into diagnostics with position, expectation, finding and nearest name. */
import type { z } from 'zod';
import type { Code } from '../core/codes.js';
import { nearestName, type Diagnostic } from './diagnostics.js';
import type { Path, Place, Source } from './source.js';

type Issue = z.core.$ZodIssue;

/** What a rule says about one place; the rest of the diagnostic follows from the place. */
export interface Finding {
  readonly code: Code;
  readonly message: string;
  readonly path: Path;
  /** Point at the key instead of the value. */
  readonly key?: boolean;
  readonly severity?: 'error' | 'warning';
  readonly expected?: string;
  readonly found?: string;
  readonly nearest?: string | undefined;
  readonly help?: string | undefined;
  /** Point at a word inside the value: characters from its beginning. */
  readonly shift?: { readonly offset: number; readonly length: number };
}

/** The diagnostic for a finding in `source`. */
export function diagnose(source: Source, finding: Finding, service?: string): Diagnostic {
  const place = finding.key === true ? source.keyPlace(finding.path) : within(source, finding);
  return {
    severity: finding.severity ?? 'error',
    code: finding.code,
    ...place,
    message: finding.message,
    expected: finding.expected,
    found: finding.found,
    nearest: finding.nearest,
    help: finding.help,
    service,
  };
}

/** The place of a word inside a value, where the value stands on one line as it is, quotes aside. */
function within(source: Source, { path, shift }: Finding): Place {
  const place = source.place(path);
  if (shift === undefined || place.source === undefined) return place;
  const quoted = /["']/.test(place.source[place.at.column - 1] ?? '') ? 1 : 0;
  const offset = shift.offset + quoted;
  if (offset + shift.length > place.length) return place;
  return {
    ...place,
    at: { ...place.at, column: place.at.column + offset },
    length: Math.max(1, shift.length),
  };
}

/** Checks `value` and gives the schema's output, or the findings. `prefix` is where `value` stands in its file. */
export function checkShape<T>(
  schema: z.ZodType<T>,
  value: unknown,
  prefix: Path = [],
): { readonly value: T } | { readonly findings: Finding[] } {
  const result = schema.safeParse(value, { error: knownKeys });
  if (result.success) return { value: result.data };
  const findings = result.error.issues.flatMap((issue) => findingsOf(issue, value, prefix));
  return { findings: withoutEchoes(findings) };
}

/** An unknown key's issue does not name the known ones; the raw issue knows its schema. */
function knownKeys(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== 'unrecognized_keys') return undefined;
  const definition: unknown = issue.inst?._zod.def;
  if (typeof definition !== 'object' || definition === null || !('shape' in definition)) return undefined;
  return typeof definition.shape === 'object' && definition.shape !== null
    ? Object.keys(definition.shape).join(' ')
    : undefined;
}

function findingsOf(issue: Issue, value: unknown, prefix: Path): Finding[] {
  const inner = issue.path.filter((segment) => typeof segment !== 'symbol');
  const path = [...prefix, ...inner];
  const at = valueAt(value, inner);
  const custom = /^(Invalid|Too |Unrecognized)/.test(issue.message) ? undefined : issue.message;
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => unknownKey([...path, key], key, issue.message.split(' ')));
    case 'invalid_union':
      return unionFindings(issue, value, prefix);
    case 'invalid_key':
      return [
        {
          code: 'CONFIG_INVALID',
          message: `${quote(path.at(-1))} is not accepted as a name here`,
          path,
          key: true,
          expected: issue.issues[0]?.message ?? 'a name',
        },
      ];
    case 'invalid_value':
      return [wrongChoice(path, at, issue.values.map(String), custom)];
    case 'invalid_type':
      if (at === undefined && inner.length > 0) return [missing(path, custom ?? typeName(issue.expected))];
      return [
        {
          ...wrong(path, at, custom ?? typeName(issue.expected)),
          help: custom === undefined ? typeHelp(issue.expected, at) : undefined,
        },
      ];
    default:
      return [wrong(path, at, custom ?? issue.message)];
  }
}

function wrongChoice(path: Path, at: unknown, values: readonly string[], custom?: string): Finding {
  if (at === undefined) return missing(path, custom ?? oneOf(values));
  const found = typeof at === 'string' ? at : '';
  return { ...wrong(path, at, custom ?? oneOf(values)), nearest: nearestName(found, values) };
}

/** The branch that was meant: one that fails deeper than at its own type, with the fewest issues. */
function unionFindings(
  issue: Extract<Issue, { code: 'invalid_union' }>,
  value: unknown,
  prefix: Path,
): Finding[] {
  const inner = issue.path.filter((segment) => typeof segment !== 'symbol');
  const at = valueAt(value, inner);
  const path = [...prefix, ...inner];
  if ('options' in issue && Array.isArray(issue.options)) {
    const options = issue.options.map(String);
    return [wrongChoice(path, at, options)];
  }
  if (at === undefined) return [missing(path)];
  const custom = /^(Invalid|Too |Unrecognized)/.test(issue.message) ? undefined : issue.message;
  const branches = issue.errors.filter((issues) => !issues.some(isOwnType));
  const fits = (issues: readonly Issue[]): number =>
    issues.reduce((sum, each) => sum + (each.code === 'unrecognized_keys' ? 10 : 1), 0);
  const best = [...branches].sort((a, b) => fits(a) - fits(b))[0];
  // no branch knows the keys: what they have in common says more than what one of them lacks
  const strange = best?.some(({ code }) => code === 'unrecognized_keys') === true;
  if (best === undefined || (custom !== undefined && (strange || !isObject(at)))) {
    return [wrong(path, at, custom ?? expectedTypes(issue.errors))];
  }
  return best.flatMap((each) => findingsOf(each, at, path));
}

const isOwnType = (issue: Issue): boolean =>
  issue.path.length === 0 && (issue.code === 'invalid_type' || issue.code === 'invalid_value');

function expectedTypes(branches: readonly (readonly Issue[])[]): string {
  const names = branches
    .flat()
    .filter((issue) => issue.path.length === 0)
    .map((issue) => (issue.code === 'invalid_type' ? typeName(issue.expected) : issue.message));
  return [...new Set(names)].join(' or ');
}

function unknownKey(path: Path, key: string, known: readonly string[]): Finding {
  return {
    code: 'CONFIG_UNKNOWN_KEY',
    message: `unknown key ${quote(key)}`,
    path,
    key: true,
    expected: oneOf(known),
    nearest: nearestName(key, known),
  };
}

function missing(path: Path, expected?: string): Finding {
  return {
    code: 'CONFIG_INVALID',
    message: `${quote(path.at(-1))} is missing`,
    path,
    ...(expected === undefined ? {} : { expected: `${String(path.at(-1))}: ${expected}` }),
  };
}

function wrong(path: Path, at: unknown, expected: string): Finding {
  const name = [...path].reverse().find((segment) => typeof segment === 'string');
  return {
    code: 'CONFIG_INVALID',
    message: name === undefined ? 'the file is not accepted' : `${quote(name)} is not accepted`,
    path,
    expected,
    found: describe(at),
  };
}

/** A key that is missing because it is misspelt is said once, as the unknown key. */
function withoutEchoes(findings: readonly Finding[]): Finding[] {
  const parent = (finding: Finding): string => JSON.stringify(finding.path.slice(0, -1));
  return findings.filter(
    (finding) =>
      !findings.some(
        (other) =>
          other.code === 'CONFIG_UNKNOWN_KEY' &&
          other.nearest === finding.path.at(-1) &&
          finding.message.endsWith('is missing') &&
          parent(other) === parent(finding),
      ),
  );
}

function typeHelp(expected: string, at: unknown): string | undefined {
  if (expected !== 'string') return undefined;
  if (typeof at === 'number' || typeof at === 'boolean') return `put it in quotes: "${String(at)}"`;
  return undefined;
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  object: 'a map',
  record: 'a map',
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
};
const typeName = (type: string): string => typeNames[type] ?? type;

/** What stands in the file, short enough for one line. Secrets never get here: they are only names of places. */
export function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'nothing (an empty value)';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object') return 'a map';
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
    return typeof value;
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

/** `a, b or c`. */
export function oneOf(values: readonly string[]): string {
  if (values.length < 2) return values.join('');
  return `${values.slice(0, -1).join(', ')} or ${values.at(-1) ?? ''}`;
}

const quote = (value: unknown): string => `"${String(value)}"`;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function valueAt(value: unknown, path: Path): unknown {
  let at = value;
  for (const segment of path) {
    if (typeof at !== 'object' || at === null) return undefined;
    at = Reflect.get(at, segment);
  }
  return at;
}
