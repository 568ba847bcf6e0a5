import { availableParallelism } from 'node:os';
import { createRandom } from '../../core/random.js';
import type { CryptoProvider, KeyFacts, Operation } from '../contract.js';
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
    supports,
    open: () => Promise.resolve(),
    close: () => raw.close(),
    publicOperations: createPublicOperations(random),
    privateOperations: createPrivateOperations({ width, raw, random }),
  });
}

function supports(operation: Operation, key?: KeyFacts): boolean {
  return key === undefined || kindsFor(operation).includes(key.kind);
}

function kindsFor(operation: Operation): readonly KeyFacts['kind'][] {
  switch (operation.use) {
    case 'sign':
    case 'verify':
      return [signatureKinds[operation.algorithm.name]];
    case 'encrypt':
    case 'decrypt':
      return ['secret'];
    case 'wrapKey':
    case 'unwrapKey':
      return operation.algorithm.name === 'AES-KW' ? ['secret'] : ['RSA'];
    case 'digest':
      return [];
  }
}

const signatureKinds = {
  'RSASSA-PKCS1-v1_5': 'RSA',
  'RSA-PSS': 'RSA',
  ECDSA: 'EC',
  Ed25519: 'Ed25519',
  HMAC: 'secret',
} as const;
