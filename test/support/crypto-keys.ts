/** Keys made once for the provider tests, as DER, and what node:crypto says of them. */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';

export interface Pair {
  readonly spki: Uint8Array;
  readonly pkcs8: Uint8Array;
  readonly publicObject: KeyObject;
  readonly privateObject: KeyObject;
}

function pair(objects: { publicKey: KeyObject; privateKey: KeyObject }): Pair {
  return {
    spki: objects.publicKey.export({ format: 'der', type: 'spki' }),
    pkcs8: objects.privateKey.export({ format: 'der', type: 'pkcs8' }),
    publicObject: objects.publicKey,
    privateObject: objects.privateKey,
  };
}

export const rsaPair = (modulusLength = 2048): Pair => pair(generateKeyPairSync('rsa', { modulusLength }));
export const ecPair = (namedCurve: string): Pair => pair(generateKeyPairSync('ec', { namedCurve }));
export const edPair = (): Pair => pair(generateKeyPairSync('ed25519'));
