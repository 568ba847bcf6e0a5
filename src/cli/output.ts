/** What every command prints with: tables, JSON, paths, exit codes. */
import { relative, sep } from 'node:path';
import type { Code } from '../core/codes.js';
import { isCountersignError } from '../core/errors.js';

/** Exit codes (design/interface.md): others' scripts rely on them. */
export const exits = { ok: 0, refused: 1, configuration: 2, unavailable: 3 } as const;

export function print(text: string): void {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}

export function complain(text: string): void {
  process.stderr.write(text.endsWith('\n') ? text : `${text}\n`);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, undefined, 2));
}

export interface Column {
  readonly title: string;
  readonly align?: 'right';
}

/** Characters, not UTF-16 units: names of certificates hold any letter. */
const widthOf = (text: string): number => Array.from(text).length;

/** An aligned table with its titles; columns are two spaces apart and lines have no blanks at their end. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const cells = [columns.map(({ title }) => title), ...rows];
  const widths = columns.map((_, index) => Math.max(...cells.map((row) => widthOf(row[index] ?? ''))));
  return cells
    .map((row) =>
      columns
        .map(({ align }, index) => {
          const cell = row[index] ?? '';
          const blanks = ' '.repeat(Math.max(0, (widths[index] ?? 0) - widthOf(cell)));
          return align === 'right' ? blanks + cell : cell + blanks;
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** A file as it is shown: relative to the working folder where that is shorter. */
export function shown(file: string): string {
  const near = relative(process.cwd(), file);
  return near === '' || near.startsWith(`..${sep}..`) || near.length > file.length ? file : near;
}

/** The exit code that an error asks for. */
export function exitOf(error: unknown): number {
  if (!isCountersignError(error)) return exits.refused;
  return exitOfCode(error.code, error.kind.status);
}

/** @param status HTTP status of the code's kind */
export function exitOfCode(code: Code, status = 0): number {
  if (/^(KEY_|PROVIDER_|SECRET_|UPSTREAM_UNREACHABLE)/.test(code) || status === 503) return exits.unavailable;
  return status === 0 ? exits.configuration : exits.refused;
}

/** The exit code of a configuration with these errors. */
export function exitOfErrors(errors: readonly { readonly code: Code }[]): number {
  // no message is being refused here: ALGORITHM_DENIED and the like are the configuration's
  const each = errors.map(({ code }) => exitOfCode(code));
  // a wrong configuration comes first: its keys may not even be the ones that are meant
  if (each.includes(exits.configuration)) return exits.configuration;
  return each[0] ?? exits.ok;
}

/** Prints an error in one line; its stack is for the developer who sets COUNTERSIGN_DEBUG. */
export function complainAbout(error: unknown): void {
  const text =
    typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);
  const code = isCountersignError(error) ? `${error.code}: ` : '';
  complain(`countersign: ${code}${text}`);
  if (process.env['COUNTERSIGN_DEBUG'] !== undefined && typeof error === 'object' && error !== null) {
    if ('stack' in error) complain(String(error.stack));
  }
}
