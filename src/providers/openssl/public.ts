import {
  constants,
  createCipheriv,
  createDecipheriv,
  publicEncrypt,
  verify as verifyOnce,
  type KeyObject,
} from 'node:crypto';
import { concat, equalConstantTime } from '../../core/bytes.js';
import type { RandomSource } from '../../core/contracts.js';
import type { KeyHandle, PublicOperations, SignatureAlgorithm, WrapAlgorithm } from '../contract.js';
import { derFromP1363, orderSize } from '../ecdsa-format.js';
import { decryptFailed, foreignKey, providerFailed, unsupported } from '../failures.js';
import { encodeOaep } from '../padding/oaep.js';
import { encodeEncryption } from '../padding/pkcs1.js';
import { verifyPss } from '../padding/pss.js';
import { createDecryptor, createEncryptor } from './ciphers.js';
import { createDigest, digest, hashNames, mac } from './digest.js';
import { importPublicKey, importSecretKey, NAME, OpensslKey } from './keys.js';
import { rawPublic } from './raw-rsa.js';

/** RFC 3394 §2.2.3.1. */
const KW_IV = Buffer.alloc(8, 0xa6);

export function createPublicOperations(random: RandomSource): PublicOperations {
  return Object.freeze<PublicOperations>({
    importPublicKey,
    importSecretKey,
    digest,
    createDigest,
    mac: (hash, key, data) => mac(hash, OpensslKey.object(key, 'secret'), data),
    verify,
    createEncryptor: (algorithm, key) => createEncryptor(algorithm, OpensslKey.object(key, 'secret')),
    createDecryptor: (algorithm, key, tag) =>
      createDecryptor(algorithm, OpensslKey.object(key, 'secret'), tag),
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
    return equalConstantTime(mac(algorithm.hash, OpensslKey.object(handle, 'secret'), data), signature);
  }
  const key = OpensslKey.object(handle, 'public');
  try {
    return verifyWith(algorithm, key, { handle, signature, data });
  } catch {
    // A signature that OpenSSL cannot even read does not verify.
    return false;
  }
}

interface Claim {
  readonly handle: KeyHandle;
  readonly signature: Uint8Array;
  readonly data: Uint8Array;
}

/** A key of another kind than the algorithm's verifies nothing: node:crypto would go by the key alone. */
function verifyWith(
  algorithm: Exclude<SignatureAlgorithm, { name: 'HMAC' }>,
  key: KeyObject,
  { handle, signature, data }: Claim,
): boolean {
  switch (algorithm.name) {
    case 'RSASSA-PKCS1-v1_5':
      return handle.kind === 'RSA' && verifyOnce(hashNames[algorithm.hash], data, key, signature);
    case 'RSA-PSS': {
      if (handle.kind !== 'RSA') return false;
      const { hash, mgfHash, saltLength } = algorithm;
      if (hash !== mgfHash) {
        return (
          signature.length === Math.ceil(handle.bits / 8) &&
          verifyPss(rawPublic(key, signature), data, handle.bits, algorithm, digest)
        );
      }
      const padding = constants.RSA_PKCS1_PSS_PADDING;
      return verifyOnce(hashNames[hash], data, { key, padding, saltLength }, signature);
    }
    case 'ECDSA': {
      if (handle.kind !== 'EC') return false;
      const der = algorithm.format === 'der' ? signature : derFromP1363(signature, orderSize(handle.bits));
      return der !== undefined && verifyOnce(hashNames[algorithm.hash], data, key, der);
    }
    case 'Ed25519':
      return handle.kind === 'Ed25519' && verifyOnce(null, data, key, signature);
  }
}

function wrapKey(
  algorithm: WrapAlgorithm,
  handle: KeyHandle,
  keyBytes: Uint8Array,
  random: RandomSource,
): Uint8Array {
  try {
    if (algorithm.name === 'AES-KW') return wrapWithSecret(OpensslKey.object(handle, 'secret'), keyBytes);
    const key = OpensslKey.object(handle, 'public');
    if (handle.kind !== 'RSA') throw foreignKey(NAME, handle);
    const size = Math.ceil(handle.bits / 8);
    if (algorithm.name === 'RSAES-PKCS1-v1_5')
      return rawPublic(key, encodeEncryption(keyBytes, size, random));
    if (algorithm.hash !== algorithm.mgfHash) {
      return rawPublic(key, encodeOaep(keyBytes, size, algorithm, { digest, random }));
    }
    const options = { key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: hashNames[algorithm.hash] };
    return publicEncrypt(
      algorithm.label === undefined ? options : { ...options, oaepLabel: algorithm.label },
      keyBytes,
    );
  } catch (error) {
    throw providerFailed(NAME, 'to wrap a key', error);
  }
}

function keyWrapName(key: KeyObject): string {
  return `id-aes${((key.symmetricKeySize ?? 0) * 8).toString()}-wrap`;
}

function wrapWithSecret(key: KeyObject, keyBytes: Uint8Array): Uint8Array {
  if (keyBytes.length < 16 || keyBytes.length % 8 !== 0) throw unsupported(NAME, 'AES-KW of this key length');
  const cipher = createCipheriv(keyWrapName(key), key, KW_IV);
  return concat(cipher.update(keyBytes), cipher.final());
}

function unwrapSecret(algorithm: WrapAlgorithm, handle: KeyHandle, wrapped: Uint8Array): Uint8Array {
  if (algorithm.name !== 'AES-KW') throw unsupported(NAME, `${algorithm.name} with a secret key`);
  const key = OpensslKey.object(handle, 'secret');
  if (wrapped.length < 24 || wrapped.length % 8 !== 0) throw decryptFailed();
  try {
    const decipher = createDecipheriv(keyWrapName(key), key, KW_IV);
    return concat(decipher.update(wrapped), decipher.final());
  } catch {
    throw decryptFailed();
  }
}
