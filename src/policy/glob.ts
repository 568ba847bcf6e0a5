import { existsSync, readdirSync } from 'node:fs';
import { join, parse, sep } from 'node:path';

/** Whether a pattern has a `*` or `?`, or is the name of one file. */
export const isPattern = (text: string): boolean => /[*?]/.test(text);

/**
 * The files that fit an absolute pattern, sorted. `*` and `?` stand for characters of one segment, as in shells; a name
 * that begins with a dot fits only a pattern that does. Folders that cannot be read have no files.
 */
export function filesOf(pattern: string): string[] {
  const { root } = parse(pattern);
  const segments = pattern
    .slice(root.length)
    .split(sep)
    .filter((segment) => segment !== '');
  let found = [root];
  for (const segment of segments) {
    found = isPattern(segment)
      ? found.flatMap((folder) => entriesOf(folder, segment))
      : found.map((folder) => join(folder, segment)).filter((path) => existsSync(path));
  }
  return found.sort();
}

function entriesOf(folder: string, segment: string): string[] {
  const expression = segment
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  const test = new RegExp(`^${expression}$`, 'u');
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  return names
    .filter((name) => test.test(name) && (segment.startsWith('.') || !name.startsWith('.')))
    .map((name) => join(folder, name));
}
