import { policyTables } from '../../compose.js';
import { systemClock } from '../../core/clock.js';
import { expandConfig, expandedYaml } from '../../policy/expand.js';
import { isError, loadConfig, renderDiagnostic } from '../../policy/index.js';
import { noSuchService } from '../no-such-service.js';
import { complain, exits, print, printJson, shown } from '../output.js';
import { fittingAlgorithms } from './fitting.js';

/** @returns the exit code */
export async function expand(options: {
  readonly config: string;
  readonly service?: string;
  readonly json?: true;
}): Promise<number> {
  const loaded = loadConfig(options.config, { tables: policyTables(), clock: systemClock });
  const errors = loaded.diagnostics.filter(isError);
  for (const error of errors) complain(renderDiagnostic(error, shown));
  const { algorithms, notes } = await fittingAlgorithms(loaded);
  for (const note of notes) complain(note);
  let all = expandConfig(loaded, algorithms);
  if (options.service !== undefined) {
    const wanted = loaded.services.find(({ name }) => name === options.service);
    const isKnown = loaded.files.services.some(({ name }) => name === options.service);
    if (!isKnown && loaded.gateway !== undefined) throw noSuchService(options.service, loaded);
    all = all.filter(({ file }) => file === wanted?.file);
  }
  if (options.json === true) {
    printJson(Object.fromEntries(all.map(({ file, value }) => [shown(file), value])));
  } else if (all.length > 0) print(expandedYaml(all, shown));
  return errors.length > 0 ? exits.configuration : exits.ok;
}
