import { availableParallelism } from 'node:os';
import { createRandom } from '../../core/random.js';
import type { CryptoProvider } from '../contract.js';
import { fitsKind } from '../kinds.js';
import { NAME } from './keys.js';
import { createPrivateOperations } from './private.js';
import { createPublicOperations } from './public.js';
import { RawRsa } from './raw-rsa.js';

/** More in flight than this gains nothing: libuv's pool has 4 threads unless told otherwise. */
const WIDEST = 4;

/** The provider on node:crypto: everything, natively. */
export function createOpenssl(): CryptoProvider {
  const width = Math.min(WIDEST, availableParallelism());
  const random = createRandom();
  const raw = new RawRsa(width);
  return Object.freeze<CryptoProvider>({
    name: NAME,
    supports: fitsKind,
    open: () => Promise.resolve(),
    close: () => raw.close(),
    publicOperations: createPublicOperations(random),
    privateOperations: createPrivateOperations({ width, raw, random }),
  });
}
