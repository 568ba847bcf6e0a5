import { concat } from '../../core/bytes.js';
import type { DigestFunction, RandomSource } from '../../core/contracts.js';
import type { KeyHandle, SignatureAlgorithm, WrapAlgorithm } from '../contract.js';
import { derFromP1363, orderSize } from '../ecdsa-format.js';
import { decryptFailed, providerFailed, unsupported } from '../failures.js';
import { signatureKinds } from '../kinds.js';
import { decodeOaep } from '../padding/oaep.js';
import { digestInfo, decodeEncryption, substituteKey } from '../padding/pkcs1.js';
import { encodePss } from '../padding/pss.js';
import { idlest, Pkcs11Key, type Place, type TokenKey } from './keys.js';
import { oaepMechanism, pssMechanism } from './mechanisms.js';
import { NAME, type Token } from './token.js';

export interface Tools {
  readonly digest: DigestFunction;
  readonly random: RandomSource;
  /** Tokens and parameters that were refused: not asked again. */
  readonly refused: Set<string>;
}

/** @throws CountersignError PROVIDER_FAILED, OPERATION_UNSUPPORTED */
export async function sign(
  algorithm: SignatureAlgorithm,
  handle: KeyHandle,
  data: Uint8Array,
  tools: Tools,
): Promise<Uint8Array> {
  const key = Pkcs11Key.of(handle);
  if (signatureKinds[algorithm.name] !== handle.kind) {
    throw unsupported(NAME, `${algorithm.name} with ${handle.kind} keys`);
  }
  const place = idlest(key.places);
  const { library } = place.token.module;
  switch (algorithm.name) {
    case 'RSASSA-PKCS1-v1_5': {
      const info = digestInfo(algorithm.hash, tools.digest(algorithm.hash, data));
      return place.token.sign({ mechanism: library.CKM_RSA_PKCS }, place.object, info, key.size);
    }
    case 'RSA-PSS':
      return signPss(algorithm, data, { key, place, bits: handle.bits }, tools);
    case 'ECDSA': {
      const size = orderSize(handle.bits);
      // Tokens differ in what they do with a hash longer than the order; its leftmost bits are what counts (FIPS 186-5 §6.4).
      const hashed = tools.digest(algorithm.hash, data).subarray(0, size);
      const signature = await place.token.sign(
        { mechanism: library.CKM_ECDSA },
        place.object,
        hashed,
        2 * size,
      );
      return algorithm.format === 'p1363' ? signature : derOf(signature, size);
    }
    default:
      throw unsupported(NAME, algorithm.name);
  }
}

function derOf(signature: Uint8Array, size: number): Uint8Array {
  const der = derFromP1363(signature, size);
  if (der === undefined)
    throw providerFailed(NAME, 'to sign', new Error('an ECDSA signature of a wrong length'));
  return der;
}

async function signPss(
  algorithm: Extract<SignatureAlgorithm, { name: 'RSA-PSS' }>,
  data: Uint8Array,
  target: { readonly key: TokenKey; readonly place: Place; readonly bits: number },
  tools: Tools,
): Promise<Uint8Array> {
  const { place, key } = target;
  const { library } = place.token.module;
  const native =
    algorithm.hash === algorithm.mgfHash && place.token.mechanisms.has(library.CKM_RSA_PKCS_PSS)
      ? pssMechanism(library, algorithm)
      : undefined;
  if (native !== undefined) {
    return place.token.sign(native, place.object, tools.digest(algorithm.hash, data), key.size);
  }
  const block = encodePss(data, target.bits, algorithm, tools);
  if (block === undefined || !hasRaw(place.token))
    throw unsupported(NAME, `RSA-PSS on token ${place.token.label}`);
  return place.token.sign({ mechanism: library.CKM_RSA_X_509 }, place.object, block, key.size);
}

function hasRaw(token: Token): boolean {
  return token.mechanisms.has(token.module.library.CKM_RSA_X_509);
}

/** @throws CountersignError DECRYPT_FAILED, PROVIDER_FAILED, OPERATION_UNSUPPORTED */
export async function unwrapKey(
  algorithm: WrapAlgorithm,
  handle: KeyHandle,
  request: { readonly wrapped: Uint8Array; readonly length: number },
  tools: Tools,
): Promise<Uint8Array> {
  if (algorithm.name === 'AES-KW') throw unsupported(NAME, 'AES-KW with a private key');
  const key = Pkcs11Key.of(handle);
  if (handle.kind !== 'RSA') throw unsupported(NAME, `${algorithm.name} with ${handle.kind} keys`);
  const { wrapped, length } = request;
  const place = idlest(key.places);
  if (algorithm.name === 'RSA-OAEP') {
    if (wrapped.length !== key.size) throw decryptFailed();
    // A label is checked here: SoftHSM by way of pkcs11js takes any.
    const plain =
      algorithm.label === undefined ? await unwrapOnToken(algorithm, place, request, tools) : undefined;
    if (plain !== undefined) return plain;
    return decodeOaep(await raw(key, place, wrapped), length, algorithm, tools.digest);
  }
  // Never CKM_RSA_PKCS: a token tells a wrong padding from a right one, by its answer and by its time.
  key.rejection ??= rejectionSecret(key, place, tools.digest);
  const substitute = substituteKey(tools.digest, await key.rejection, wrapped, length);
  if (wrapped.length !== key.size || !below(wrapped, key.modulus)) return substitute;
  return decodeEncryption(await raw(key, place, wrapped), length, substitute);
}

/** @returns undefined when the token cannot do these parameters: SoftHSM knows SHA-1 with MGF1-SHA1 only */
async function unwrapOnToken(
  algorithm: Extract<WrapAlgorithm, { name: 'RSA-OAEP' }>,
  { token, object }: Place,
  { wrapped, length }: { readonly wrapped: Uint8Array; readonly length: number },
  tools: Tools,
): Promise<Uint8Array | undefined> {
  const name = `${token.module.path} ${token.label} ${algorithm.hash} ${algorithm.mgfHash}`;
  if (tools.refused.has(name)) return undefined;
  const mechanism = oaepMechanism(token.module.library, algorithm);
  if (mechanism === undefined) return undefined;
  const plain = await token.decrypt(mechanism, object, wrapped, wrapped.length);
  if (plain === undefined) {
    tools.refused.add(name);
    return undefined;
  }
  if (plain.length !== length) throw decryptFailed();
  return plain;
}

/** x^d mod n on the token. */
async function raw(key: TokenKey, { token, object }: Place, block: Uint8Array): Promise<Uint8Array> {
  if (!hasRaw(token)) throw unsupported(NAME, `raw RSA on token ${token.label}`);
  const mechanism = { mechanism: token.module.library.CKM_RSA_X_509 };
  const plain = await token.decrypt(mechanism, object, block, key.size);
  if (plain === undefined) throw unsupported(NAME, `raw RSA on token ${token.label}`);
  // Some tokens cut leading zeros.
  return plain.length === key.size ? plain : concat(new Uint8Array(key.size - plain.length), plain);
}

/**
 * A secret that only the key can make, since its bytes stay on the token: the private operation on a block that
 * nobody can have signed or decrypted, hashed.
 */
async function rejectionSecret(key: TokenKey, place: Place, digest: DigestFunction): Promise<Uint8Array> {
  const seed = concat(Buffer.from('countersign implicit rejection'), key.modulus);
  const block = concat(Uint8Array.of(0), substituteKey(digest, seed, key.modulus, key.size - 1));
  return digest('SHA-256', await raw(key, place, block));
}

/** Whether `block`, as a number, is below the modulus. Both are public. */
function below(block: Uint8Array, modulus: Uint8Array): boolean {
  return Buffer.compare(block, modulus) < 0;
}
