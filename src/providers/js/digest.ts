import { hmac } from '@noble/hashes/hmac.js';
import { sha1 } from '@noble/hashes/legacy.js';
import { sha224, sha256, sha384, sha512 } from '@noble/hashes/sha2.js';
import { sha3_224, sha3_256, sha3_384, sha3_512 } from '@noble/hashes/sha3.js';
import type { CHash } from '@noble/hashes/utils.js';
import type { Digester, HashName } from '../contract.js';

const functions: Readonly<Record<HashName, CHash>> = Object.freeze({
  'SHA-1': sha1,
  'SHA-224': sha224,
  'SHA-256': sha256,
  'SHA-384': sha384,
  'SHA-512': sha512,
  'SHA3-224': sha3_224,
  'SHA3-256': sha3_256,
  'SHA3-384': sha3_384,
  'SHA3-512': sha3_512,
});

export function digest(hash: HashName, bytes: Uint8Array): Uint8Array {
  return functions[hash](bytes);
}

export function createDigest(hash: HashName): Digester {
  const running = functions[hash].create();
  return {
    update(bytes) {
      running.update(bytes);
    },
    digest: () => running.digest(),
  };
}

export function mac(hash: HashName, key: Uint8Array, data: Uint8Array): Uint8Array {
  return hmac(functions[hash], key, data);
}
