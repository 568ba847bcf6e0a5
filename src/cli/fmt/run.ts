import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { CountersignError } from '../../core/errors.js';
import { formatYaml } from '../../policy/format.js';
import { configurationFiles, renderDiagnostic } from '../../policy/index.js';
import { complain, exits, print, shown } from '../output.js';

/** Formats files in place, or only says which are not formatted. @returns the exit code */
export function format(files: readonly string[], config: string, check: boolean): number {
  const all = files.length > 0 ? files.map((file) => resolve(file)) : configurationFiles(resolve(config));
  let code: number = exits.ok;
  for (const file of all) {
    const text = read(file);
    const result = formatYaml(file, text);
    if ('problems' in result) {
      for (const problem of result.problems) complain(renderDiagnostic(problem, shown));
      code = exits.configuration;
    } else if (result.text !== text) {
      if (check) {
        complain(`${shown(file)}: not formatted`);
        if (code === exits.ok) code = exits.refused;
      } else {
        writeFileSync(file, result.text);
        print(`formatted ${shown(file)}`);
      }
    }
  }
  return code;
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new CountersignError('CONFIG_UNREADABLE', `${shown(file)} cannot be read`, { cause });
  }
}
