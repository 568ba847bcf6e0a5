import { ed25519 } from '@noble/curves/ed25519.js';
import type { RandomSource } from '../../core/contracts.js';
import type { KeyHandle, PrivateOperations, SignatureAlgorithm, WrapAlgorithm } from '../contract.js';
import { decryptFailed, foreignKey, providerFailed, unsupported } from '../failures.js';
import { signatureKinds } from '../kinds.js';
import { decodeOaep } from '../padding/oaep.js';
import { decodeEncryption, encodeSignature, substituteKey } from '../padding/pkcs1.js';
import { encodePss } from '../padding/pss.js';
import { curves } from './curves.js';
import { digest, mac } from './digest.js';
import { importPrivateKey } from './import.js';
import { JsKey, NAME } from './keys.js';

/** All private work runs on the event loop, so one piece at a time. */
export function createPrivateOperations(random: RandomSource): PrivateOperations {
  return Object.freeze<PrivateOperations>({
    width: 1,
    importPrivateKey: (pkcs8) =>
      new Promise((resolve) => {
        resolve(importPrivateKey(pkcs8, random));
      }),
    sign: (algorithm, key, data) =>
      new Promise((resolve) => {
        resolve(trySign(algorithm, key, data, random));
      }),
    unwrapKey: (algorithm, key, wrapped, bits) =>
      new Promise((resolve) => {
        resolve(unwrapKey(algorithm, key, wrapped, bits));
      }),
  });
}

function trySign(
  algorithm: SignatureAlgorithm,
  key: KeyHandle,
  data: Uint8Array,
  random: RandomSource,
): Uint8Array {
  try {
    return sign(algorithm, key, data, random);
  } catch (error) {
    throw providerFailed(NAME, 'to sign', error);
  }
}

function sign(
  algorithm: SignatureAlgorithm,
  handle: KeyHandle,
  data: Uint8Array,
  random: RandomSource,
): Uint8Array {
  if (algorithm.name === 'HMAC') return mac(algorithm.hash, JsKey.secret(handle), data);
  const key = JsKey.material(handle, 'private');
  if (signatureKinds[algorithm.name] !== handle.kind) {
    throw unsupported(NAME, `${algorithm.name} with ${handle.kind} keys`);
  }
  switch (key.type) {
    case 'rsa-private': {
      const block = signatureBlock(algorithm, data, handle.bits, random);
      const signature = block === undefined ? undefined : key.engine.run(block);
      if (signature === undefined) throw unsupported(NAME, `${algorithm.name} with a key this short`);
      return signature;
    }
    case 'ec-private': {
      if (algorithm.name !== 'ECDSA') throw foreignKey(NAME, handle);
      const format = algorithm.format === 'der' ? 'der' : 'compact';
      const options = { prehash: false, lowS: false, format, extraEntropy: random.bytes(32) } as const;
      return curves[key.curve].sign(digest(algorithm.hash, data), key.bytes, options);
    }
    case 'ed25519-private':
      return ed25519.sign(new Uint8Array(data), key.bytes);
    default:
      throw foreignKey(NAME, handle);
  }
}

function signatureBlock(
  algorithm: SignatureAlgorithm,
  data: Uint8Array,
  bits: number,
  random: RandomSource,
): Uint8Array | undefined {
  if (algorithm.name === 'RSA-PSS') return encodePss(data, bits, algorithm, { digest, random });
  if (algorithm.name !== 'RSASSA-PKCS1-v1_5') return undefined;
  return encodeSignature(algorithm.hash, digest(algorithm.hash, data), Math.ceil(bits / 8));
}

function unwrapKey(
  algorithm: WrapAlgorithm,
  handle: KeyHandle,
  wrapped: Uint8Array,
  bits: number,
): Uint8Array {
  if (algorithm.name === 'AES-KW') throw unsupported(NAME, 'AES-KW with a private key');
  const key = JsKey.material(handle, 'private');
  if (key.type !== 'rsa-private') throw foreignKey(NAME, handle);
  const length = bits / 8;
  let block: Uint8Array | undefined;
  try {
    block = key.engine.run(wrapped);
  } catch (error) {
    throw providerFailed(NAME, 'to unwrap a key', error);
  }
  if (algorithm.name === 'RSA-OAEP') {
    if (block === undefined) throw decryptFailed();
    return decodeOaep(block, length, algorithm, digest);
  }
  const substitute = substituteKey(digest, key.rejection, wrapped, length);
  return block === undefined ? substitute : decodeEncryption(block, length, substitute);
}
