import { CountersignError } from '../core/errors.js';
import type { ProviderId } from '../policy/config.js';

const ids: readonly ProviderId[] = ['js', 'openssl', 'pkcs11'];

/**
 * The value of `--provider`.
 *
 * @throws CountersignError USAGE
 */
export function providerOption(text: string | undefined): ProviderId | undefined {
  if (text === undefined) return undefined;
  const id = ids.find((known) => known === text);
  if (id !== undefined) return id;
  throw new CountersignError('USAGE', `--provider ${text} is none of ${ids.join(', ')}`);
}
