import { CountersignError } from '../../core/errors.js';
import { createRandom } from '../../core/random.js';
import type { CryptoProvider } from '../contract.js';
import { fitsKind } from '../kinds.js';
import { loadTripleDes, type TripleDes } from './forge.js';
import { NAME } from './keys.js';
import { createPrivateOperations } from './private.js';
import { createPublicOperations } from './public.js';

/** The provider in JavaScript alone: no native code, everything on the event loop. */
export function createJs(): CryptoProvider {
  const random = createRandom();
  let loaded: TripleDes | undefined;
  const tripleDes: TripleDes = (key, iv, direction) => {
    if (loaded === undefined) {
      throw new CountersignError('PROVIDER_UNAVAILABLE', 'provider js has not been opened');
    }
    return loaded(key, iv, direction);
  };
  return Object.freeze<CryptoProvider>({
    name: NAME,
    supports: fitsKind,
    async open() {
      loaded ??= await loadTripleDes();
    },
    close: () => Promise.resolve(),
    publicOperations: createPublicOperations(random, tripleDes),
    privateOperations: createPrivateOperations(random),
  });
}
