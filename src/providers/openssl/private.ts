import { constants, sign as signNow, subtle, type KeyObject, type SignKeyObjectInput } from 'node:crypto';
import type { RandomSource } from '../../core/contracts.js';
import type { KeyHandle, PrivateOperations, SignatureAlgorithm, WrapAlgorithm } from '../contract.js';
import { orderSize, p1363FromDer } from '../ecdsa-format.js';
import { decryptFailed, providerFailed, unsupported } from '../failures.js';
import { signatureKinds } from '../kinds.js';
import { decodeOaep } from '../padding/oaep.js';
import { decodeEncryption, substituteKey } from '../padding/pkcs1.js';
import { encodePss } from '../padding/pss.js';
import { digest, hashNames, mac } from './digest.js';
import { importPrivateKey, NAME, OpensslKey } from './keys.js';
import type { RawRsa } from './raw-rsa.js';

/**
 * Where each private operation runs (measured: docs/adr/0013): RSA signatures and OAEP with equal hashes and no
 * label on Node's thread pool; raw RSA as `RawRsa` decides; curves and HMACs at once, because the hop to a thread
 * costs more than they do.
 */
export function createPrivateOperations(tools: {
  readonly width: number;
  readonly raw: RawRsa;
  readonly random: RandomSource;
}): PrivateOperations {
  return Object.freeze<PrivateOperations>({
    width: tools.width,
    importPrivateKey,
    async sign(algorithm, key, data) {
      try {
        return await sign(algorithm, key, data, tools);
      } catch (error) {
        throw providerFailed(NAME, 'to sign', error);
      }
    },
    unwrapKey: (algorithm, key, wrapped, bits) => unwrapKey(algorithm, key, { wrapped, bits }, tools.raw),
  });
}

async function sign(
  algorithm: SignatureAlgorithm,
  handle: KeyHandle,
  data: Uint8Array,
  tools: { readonly raw: RawRsa; readonly random: RandomSource },
): Promise<Uint8Array> {
  if (algorithm.name === 'HMAC') return mac(algorithm.hash, OpensslKey.object(handle, 'secret'), data);
  const key = OpensslKey.object(handle, 'private');
  if (signatureKinds[algorithm.name] !== handle.kind)
    throw unsupported(NAME, `${algorithm.name} with ${handle.kind} keys`);
  switch (algorithm.name) {
    case 'RSASSA-PKCS1-v1_5':
      return signOnPool(hashNames[algorithm.hash], data, key);
    case 'RSA-PSS': {
      const { hash, mgfHash, saltLength } = algorithm;
      if (hash === mgfHash) {
        return signOnPool(hashNames[hash], data, {
          key,
          padding: constants.RSA_PKCS1_PSS_PADDING,
          saltLength,
        });
      }
      const block = encodePss(data, handle.bits, algorithm, { digest, random: tools.random });
      const signature = block === undefined ? undefined : await tools.raw.run(key, block);
      if (signature === undefined) throw unsupported(NAME, 'RSA-PSS with a key this short');
      return signature;
    }
    case 'ECDSA': {
      const der = signNow(hashNames[algorithm.hash], data, key);
      return algorithm.format === 'der' ? der : p1363FromDer(der, orderSize(handle.bits));
    }
    case 'Ed25519':
      return signNow(null, data, key);
  }
}

function signOnPool(
  hash: string,
  data: Uint8Array,
  key: KeyObject | SignKeyObjectInput,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    signNow(hash, data, key, (error, signature) => {
      if (error === null) resolve(signature);
      else reject(error);
    });
  });
}

async function unwrapKey(
  algorithm: WrapAlgorithm,
  handle: KeyHandle,
  request: { readonly wrapped: Uint8Array; readonly bits: number },
  raw: RawRsa,
): Promise<Uint8Array> {
  const { wrapped } = request;
  if (algorithm.name === 'AES-KW') throw unsupported(NAME, 'AES-KW with a private key');
  const key = OpensslKey.object(handle, 'private');
  const { oaep, rejection } = OpensslKey.rsa(handle);
  const length = request.bits / 8;
  // OpenSSL takes a ciphertext that lost its leading zero; RFC 8017 §7.1.2 and §7.2.2 ask for exactly k octets.
  const isWhole = wrapped.length === Math.ceil(handle.bits / 8);
  if (algorithm.name === 'RSA-OAEP') {
    if (!isWhole) throw decryptFailed();
    const web =
      algorithm.hash === algorithm.mgfHash && algorithm.label === undefined
        ? oaep.get(algorithm.hash)
        : undefined;
    if (web !== undefined) return unwrapOnPool(web, wrapped, length);
    const block = await raw.run(key, wrapped);
    if (block?.length !== Math.ceil(handle.bits / 8)) throw decryptFailed();
    return decodeOaep(block, length, algorithm, digest);
  }
  const substitute = substituteKey(digest, rejection, wrapped, length);
  if (!isWhole) return substitute;
  const block = await raw.run(key, wrapped);
  if (block?.length !== Math.ceil(handle.bits / 8)) return substitute;
  return decodeEncryption(block, length, substitute);
}

async function unwrapOnPool(
  key: Parameters<typeof subtle.decrypt>[1],
  wrapped: Uint8Array,
  length: number,
): Promise<Uint8Array> {
  let plain: Uint8Array;
  try {
    plain = new Uint8Array(await subtle.decrypt({ name: 'RSA-OAEP' }, key, wrapped));
  } catch {
    throw decryptFailed();
  }
  if (plain.length !== length) throw decryptFailed();
  return plain;
}
