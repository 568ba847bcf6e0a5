import { cbc, gcm } from '@noble/ciphers/aes.js';
import { concat, EMPTY } from '../../core/bytes.js';
import type { Cipher, CipherAlgorithm } from '../contract.js';
import { decryptFailed, unsupported } from '../failures.js';
import { paddedDecryptor, paddedEncryptor } from '../padding/block.js';
import type { TripleDes } from './forge.js';
import { NAME } from './keys.js';

const TAG = 16;
const AES = 16;
const DES = 8;

/** Whether the key and the IV have the lengths that the algorithm asks for. */
function fits({ name, iv }: CipherAlgorithm, key: Uint8Array): boolean {
  if (name === '3DES-CBC') return key.length === 24 && iv.length === DES;
  return [16, 24, 32].includes(key.length) && iv.length === (name === 'AES-GCM' ? 12 : AES);
}

export function createEncryptor(algorithm: CipherAlgorithm, key: Uint8Array, des: TripleDes): Cipher {
  if (!fits(algorithm, key)) throw unsupported(NAME, `${algorithm.name} with a key or IV of this length`);
  switch (algorithm.name) {
    case 'AES-GCM':
      return gathered((plain) => gcm(key, algorithm.iv).encrypt(plain));
    case 'AES-CBC':
      return paddedEncryptor(AES, aesChain(key, algorithm.iv, 'encrypt'));
    case '3DES-CBC':
      return paddedEncryptor(DES, des(key, algorithm.iv, 'encrypt'));
  }
}

export function createDecryptor(
  algorithm: CipherAlgorithm,
  key: Uint8Array,
  tag: Uint8Array | undefined,
  des: TripleDes,
): Cipher {
  if (!fits(algorithm, key)) throw decryptFailed();
  if (algorithm.name === 'AES-GCM') {
    if (tag?.length !== TAG) throw decryptFailed();
    const given = new Uint8Array(tag);
    return gathered((sealed) => {
      try {
        return gcm(key, algorithm.iv).decrypt(concat(sealed, given));
      } catch {
        throw decryptFailed();
      }
    });
  }
  if (tag !== undefined) throw decryptFailed();
  return algorithm.name === 'AES-CBC'
    ? paddedDecryptor(AES, aesChain(key, algorithm.iv, 'decrypt'))
    : paddedDecryptor(DES, des(key, algorithm.iv, 'decrypt'));
}

/** For a cipher that takes all at once, as @noble's GCM does. */
function gathered(work: (bytes: Uint8Array) => Uint8Array): Cipher {
  const pieces: Uint8Array[] = [];
  return {
    update(bytes) {
      pieces.push(new Uint8Array(bytes));
      return EMPTY;
    },
    final: () => work(concat(...pieces)),
  };
}

/** CBC over whole blocks, call by call: the last block of ciphertext is the next IV. */
function aesChain(
  key: Uint8Array,
  iv: Uint8Array,
  direction: 'encrypt' | 'decrypt',
): (bytes: Uint8Array) => Uint8Array {
  let previous = new Uint8Array(iv);
  return (bytes) => {
    const cipher = cbc(key, previous, { disablePadding: true });
    const input = new Uint8Array(bytes);
    const output = direction === 'encrypt' ? cipher.encrypt(input) : cipher.decrypt(input);
    previous = (direction === 'encrypt' ? output : input).slice(-AES);
    return output;
  };
}
