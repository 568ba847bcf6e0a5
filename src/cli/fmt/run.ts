import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { CountersignError } from '../../core/errors.js';
import { fileProblem } from '../../core/file-problem.js';
import { formatYaml } from '../../policy/format.js';
import { configurationFiles, readSource, renderDiagnostic, type Diagnostic } from '../../policy/index.js';
import { complain, exits, print, printJson, shown } from '../output.js';

export interface FormatOptions {
  readonly config: string;
  readonly check?: true;
  readonly json?: true;
}

/** What became of one file. */
interface Formatted {
  readonly file: string;
  readonly state: 'as it was' | 'formatted' | 'not formatted' | 'not readable';
  readonly problems: readonly Diagnostic[];
}

/** Formats files in place, or only says which are not formatted. @returns the exit code */
export function format(files: readonly string[], options: FormatOptions): number {
  const { config, check = false, json = false } = options;
  const all = files.length > 0 ? files.map((file) => resolve(file)) : configurationFiles(resolve(config));
  const results = all.map((file) => formatFile(file, check));
  for (const { problems } of results) {
    for (const problem of problems) complain(renderDiagnostic(problem, shown));
  }
  if (json) printJson({ files: results.map(({ file, state }) => ({ file: shown(file), state })) });
  else {
    for (const { file, state } of results) {
      if (state === 'formatted') print(`formatted ${shown(file)}`);
      if (state === 'not formatted') complain(`${shown(file)}: not formatted`);
    }
  }
  if (results.some(({ state }) => state === 'not readable')) return exits.configuration;
  return results.some(({ state }) => state === 'not formatted') ? exits.refused : exits.ok;
}

function formatFile(file: string, check: boolean): Formatted {
  const { text, problems } = readSource(file);
  const result = problems.length > 0 ? { problems } : formatYaml(file, text);
  if ('problems' in result) return { file, state: 'not readable', problems: result.problems };
  if (result.text === text) return { file, state: 'as it was', problems: [] };
  if (check) return { file, state: 'not formatted', problems: [] };
  try {
    writeFileSync(file, result.text);
  } catch (cause) {
    throw new CountersignError('USAGE', `${shown(file)} cannot be written: ${fileProblem(cause)}`, { cause });
  }
  return { file, state: 'formatted', problems: [] };
}
