import { createHash, createHmac, hash as hashOnce, type KeyObject } from 'node:crypto';
import type { Digester, HashName } from '../contract.js';

/** Node's names of the hash functions. */
export const hashNames: Readonly<Record<HashName, string>> = Object.freeze({
  'SHA-1': 'sha1',
  'SHA-224': 'sha224',
  'SHA-256': 'sha256',
  'SHA-384': 'sha384',
  'SHA-512': 'sha512',
  'SHA3-224': 'sha3-224',
  'SHA3-256': 'sha3-256',
  'SHA3-384': 'sha3-384',
  'SHA3-512': 'sha3-512',
});

export function digest(hash: HashName, bytes: Uint8Array): Uint8Array {
  return hashOnce(hashNames[hash], bytes, 'buffer');
}

export function createDigest(hash: HashName): Digester {
  const running = createHash(hashNames[hash]);
  return {
    update(bytes) {
      running.update(bytes);
    },
    digest: () => running.digest(),
  };
}

export function mac(hash: HashName, key: KeyObject, data: Uint8Array): Uint8Array {
  return createHmac(hashNames[hash], key).update(data).digest();
}
