import { CountersignError } from '../core/errors.js';
import { nearestName, type LoadedConfig } from '../policy/index.js';

/** `--service` names none of the services of a configuration. */
export function noSuchService(name: string, { files }: LoadedConfig): CountersignError {
  const names = files.services.map((file) => file.name);
  const near = nearestName(name, names);
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  return new CountersignError(
    'USAGE',
    `there is no service ${name}; there is: ${names.join(', ') || 'none'}${hint}`,
  );
}
