import {
  createCipheriv,
  createDecipheriv,
  type CipherGCMTypes,
  type Decipher,
  type KeyObject,
} from 'node:crypto';
import { EMPTY } from '../../core/bytes.js';
import type { Cipher, CipherAlgorithm } from '../contract.js';
import { decryptFailed, unsupported } from '../failures.js';
import { blockPadding, paddingOf } from '../padding/block.js';
import { NAME } from './keys.js';

const TAG = 16;
const GCM_IV = 12;

/** Node's name, block and key size of a CBC cipher; undefined when the key or the IV does not fit. */
function cbc(algorithm: CipherAlgorithm, key: KeyObject): { name: string; block: number } | undefined {
  const size = key.symmetricKeySize ?? 0;
  if (algorithm.name === '3DES-CBC') {
    return size === 24 && algorithm.iv.length === 8 ? { name: 'des-ede3-cbc', block: 8 } : undefined;
  }
  return isAesKey(size) && algorithm.iv.length === 16
    ? { name: `aes-${(size * 8).toString()}-cbc`, block: 16 }
    : undefined;
}

const gcmNames: Readonly<Record<number, CipherGCMTypes>> = {
  16: 'aes-128-gcm',
  24: 'aes-192-gcm',
  32: 'aes-256-gcm',
};

function isAesKey(size: number): boolean {
  return size in gcmNames;
}

function gcm(algorithm: CipherAlgorithm, key: KeyObject): CipherGCMTypes | undefined {
  return algorithm.iv.length === GCM_IV ? gcmNames[key.symmetricKeySize ?? 0] : undefined;
}

export function createEncryptor(algorithm: CipherAlgorithm, key: KeyObject): Cipher {
  const misfit = (): Error => unsupported(NAME, `${algorithm.name} with a key or IV of this length`);
  if (algorithm.name === 'AES-GCM') {
    const name = gcm(algorithm, key);
    if (name === undefined) throw misfit();
    const cipher = createCipheriv(name, key, algorithm.iv, { authTagLength: TAG });
    return {
      update: (bytes) => cipher.update(bytes),
      final() {
        cipher.final();
        return cipher.getAuthTag();
      },
    };
  }
  const known = cbc(algorithm, key);
  if (known === undefined) throw misfit();
  const cipher = createCipheriv(known.name, key, algorithm.iv).setAutoPadding(false);
  let length = 0;
  return {
    update(bytes) {
      length += bytes.length;
      return cipher.update(bytes);
    },
    final() {
      const last = cipher.update(blockPadding(length, known.block));
      cipher.final();
      return last;
    },
  };
}

export function createDecryptor(algorithm: CipherAlgorithm, key: KeyObject, tag?: Uint8Array): Cipher {
  if (algorithm.name === 'AES-GCM') return gcmDecryptor(algorithm, key, tag);
  const known = cbc(algorithm, key);
  if (known === undefined || tag !== undefined) throw decryptFailed();
  return cbcDecryptor(createDecipheriv(known.name, key, algorithm.iv), known.block);
}

function gcmDecryptor(algorithm: CipherAlgorithm, key: KeyObject, tag: Uint8Array | undefined): Cipher {
  const name = gcm(algorithm, key);
  // Node takes tags of 4, 8 and 12 bytes too unless it is told the length.
  if (name === undefined || tag?.length !== TAG) throw decryptFailed();
  const decipher = createDecipheriv(name, key, algorithm.iv, { authTagLength: TAG });
  decipher.setAuthTag(tag);
  return {
    update: (bytes) => decipher.update(bytes),
    final() {
      try {
        return decipher.final();
      } catch {
        throw decryptFailed();
      }
    },
  };
}

/**
 * Padding stays on while the data flows, so that OpenSSL keeps the last block back; it is switched off for the last
 * block, because XML Encryption's padding is not PKCS#7: only the last byte counts.
 */
function cbcDecryptor(decipher: Decipher, block: number): Cipher {
  let empty = true;
  return {
    update(bytes) {
      if (bytes.length === 0) return EMPTY;
      empty = false;
      return decipher.update(bytes);
    },
    final() {
      if (empty) throw decryptFailed();
      let last: Uint8Array;
      try {
        last = decipher.setAutoPadding(false).final();
      } catch {
        throw decryptFailed();
      }
      return last.subarray(0, block - paddingOf(last, block));
    },
  };
}
