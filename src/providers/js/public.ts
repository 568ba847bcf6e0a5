import { aeskw } from '@noble/ciphers/aes.js';
import { ed25519 } from '@noble/curves/ed25519.js';
import { equalConstantTime } from '../../core/bytes.js';
import type { RandomSource } from '../../core/contracts.js';
import type { KeyHandle, PublicOperations, SignatureAlgorithm, WrapAlgorithm } from '../contract.js';
import { decryptFailed, foreignKey, providerFailed, unsupported } from '../failures.js';
import { encodeOaep } from '../padding/oaep.js';
import { encodeEncryption, encodeSignature } from '../padding/pkcs1.js';
import { type PssParameters, verifyPss } from '../padding/pss.js';
import { createDecryptor, createEncryptor } from './ciphers.js';
import { curves } from './curves.js';
import { createDigest, digest, mac } from './digest.js';
import type { TripleDes } from './forge.js';
import { importPublicKey, importSecretKey } from './import.js';
import { JsKey, type Material, NAME } from './keys.js';
import { rawPublic, type RsaPublic } from './rsa.js';

export function createPublicOperations(random: RandomSource, des: TripleDes): PublicOperations {
  return Object.freeze<PublicOperations>({
    importPublicKey,
    importSecretKey,
    digest,
    createDigest,
    mac: (hash, key, data) => mac(hash, JsKey.secret(key), data),
    verify,
    createEncryptor: (algorithm, key) => createEncryptor(algorithm, JsKey.secret(key), des),
    createDecryptor: (algorithm, key, tag) => createDecryptor(algorithm, JsKey.secret(key), tag, des),
    wrapKey: (algorithm, key, keyBytes) => wrapKey(algorithm, key, keyBytes, random),
    unwrapSecret,
  });
}

function verify(
  algorithm: SignatureAlgorithm,
  handle: KeyHandle,
  signature: Uint8Array,
  data: Uint8Array,
): boolean {
  if (algorithm.name === 'HMAC') {
    return equalConstantTime(mac(algorithm.hash, JsKey.secret(handle), data), signature);
  }
  const material = JsKey.material(handle, 'public');
  try {
    return verifyWith(algorithm, material, signature, data);
  } catch {
    // A signature that cannot even be read does not verify.
    return false;
  }
}

/** A key of another kind than the algorithm's verifies nothing. */
function verifyWith(
  algorithm: Exclude<SignatureAlgorithm, { name: 'HMAC' }>,
  key: Material,
  signature: Uint8Array,
  data: Uint8Array,
): boolean {
  switch (algorithm.name) {
    case 'RSASSA-PKCS1-v1_5': {
      if (key.type !== 'rsa-public' || key.pss !== undefined) return false;
      // RFC 8017 §8.2.2: encode again and compare; parsing the block has been the hole of many.
      const { rsa } = key;
      const expected = encodeSignature(algorithm.hash, digest(algorithm.hash, data), Math.ceil(rsa.bits / 8));
      const block = rawPublic(rsa, signature);
      return expected !== undefined && block !== undefined && equalConstantTime(block, expected);
    }
    case 'RSA-PSS': {
      if (key.type !== 'rsa-public' || !withinLimits(key.pss, algorithm)) return false;
      const block = rawPublic(key.rsa, signature);
      return block !== undefined && verifyPss(block, data, key.rsa.bits, algorithm, digest);
    }
    case 'ECDSA': {
      if (key.type !== 'ec-public') return false;
      const format = algorithm.format === 'der' ? 'der' : 'compact';
      const options = { prehash: false, lowS: false, format } as const;
      return curves[key.curve].verify(
        new Uint8Array(signature),
        digest(algorithm.hash, data),
        key.bytes,
        options,
      );
    }
    case 'Ed25519':
      // zip215: false = RFC 8032's own rules.
      return (
        key.type === 'ed25519-public' &&
        ed25519.verify(new Uint8Array(signature), new Uint8Array(data), key.bytes, { zip215: false })
      );
  }
}

function withinLimits(limits: PssParameters | 'any' | undefined, used: PssParameters): boolean {
  if (limits === undefined || limits === 'any') return true;
  return limits.hash === used.hash && limits.mgfHash === used.mgfHash && used.saltLength >= limits.saltLength;
}

function wrapKey(
  algorithm: WrapAlgorithm,
  handle: KeyHandle,
  keyBytes: Uint8Array,
  random: RandomSource,
): Uint8Array {
  try {
    if (algorithm.name === 'AES-KW') {
      if (keyBytes.length < 16 || keyBytes.length % 8 !== 0)
        throw unsupported(NAME, 'AES-KW of this key length');
      return aeskw(JsKey.secret(handle)).encrypt(new Uint8Array(keyBytes));
    }
    const material = JsKey.material(handle, 'public');
    if (material.type !== 'rsa-public' || material.pss !== undefined) throw foreignKey(NAME, handle);
    const size = Math.ceil(material.rsa.bits / 8);
    const block =
      algorithm.name === 'RSA-OAEP'
        ? encodeOaep(keyBytes, size, algorithm, { digest, random })
        : encodeEncryption(keyBytes, size, random);
    return encryptBlock(material.rsa, block);
  } catch (error) {
    throw providerFailed(NAME, 'to wrap a key', error);
  }
}

function encryptBlock(key: RsaPublic, block: Uint8Array): Uint8Array {
  const wrapped = rawPublic(key, block);
  // The first byte of a padded block is 0, so it is always below the modulus.
  if (wrapped === undefined) throw new Error('a padded block does not fit its modulus');
  return wrapped;
}

function unwrapSecret(algorithm: WrapAlgorithm, handle: KeyHandle, wrapped: Uint8Array): Uint8Array {
  if (algorithm.name !== 'AES-KW') throw unsupported(NAME, `${algorithm.name} with a secret key`);
  const key = JsKey.secret(handle);
  if (wrapped.length < 24 || wrapped.length % 8 !== 0) throw decryptFailed();
  try {
    return aeskw(key).decrypt(new Uint8Array(wrapped));
  } catch {
    throw decryptFailed();
  }
}
