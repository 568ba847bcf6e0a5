/**
 * What the key stores need of node:crypto: password-based decryption and a look at private keys. Reading key files is the
 * gateway's own work, whichever provider then uses the keys.
 */
import {
  createDecipheriv,
  createHmac,
  createPrivateKey,
  createPublicKey,
  hash as digestOnce,
  type KeyObject,
  pbkdf2Sync,
} from 'node:crypto';
import type { HashName } from '../contract.js';

const nodeHash = (hash: HashName): string => hash.replace('-', '').toLowerCase();

export type FileCipher = 'aes-128-cbc' | 'aes-192-cbc' | 'aes-256-cbc' | 'des-ede3-cbc';

/** Not incremental: deriving a key takes thousands of these. */
export function fileDigest(hash: HashName, bytes: Uint8Array): Uint8Array {
  return digestOnce(nodeHash(hash), bytes, 'buffer');
}

export function fileMac(hash: HashName, key: Uint8Array, data: Uint8Array): Uint8Array {
  return createHmac(nodeHash(hash), key).update(data).digest();
}

export interface Pbkdf2Parameters {
  readonly hash: HashName;
  readonly salt: Uint8Array;
  readonly iterations: number;
  readonly length: number;
}

export function pbkdf2(password: Uint8Array, parameters: Pbkdf2Parameters): Uint8Array {
  const { hash, salt, iterations, length } = parameters;
  return pbkdf2Sync(password, salt, iterations, length, nodeHash(hash));
}

/** @returns undefined when the padding shows that the key is wrong, or the IV has the wrong length */
export function decryptCbc(
  cipher: FileCipher,
  key: Uint8Array,
  iv: Uint8Array,
  data: Uint8Array,
): Uint8Array | undefined {
  try {
    const decipher = createDecipheriv(cipher, key, iv);
    return Buffer.concat([decipher.update(data), decipher.final()]);
  } catch {
    return undefined;
  }
}

/**
 * Decrypts a traditional PEM key (`DEK-Info`, RFC 1421), whose key derivation only OpenSSL has.
 *
 * @returns PKCS#8 DER; undefined when the password is wrong
 */
export function decryptTraditionalPem(pem: string, password: string): Uint8Array | undefined {
  try {
    return createPrivateKey({ key: pem, format: 'pem', passphrase: password }).export({
      type: 'pkcs8',
      format: 'der',
    });
  } catch {
    return undefined;
  }
}

/** Whether the public key of a PKCS#8 private key is the one of a certificate. @returns undefined when the key cannot be read */
export function fitsPublicKey(pkcs8: Uint8Array, spki: Uint8Array): boolean | undefined {
  const own = readPublic(() =>
    createPublicKey(createPrivateKey({ key: Buffer.from(pkcs8), format: 'der', type: 'pkcs8' })),
  );
  const certified = readPublic(() =>
    createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' }),
  );
  return own === undefined || certified === undefined ? undefined : equalKeys(own, certified);
}

/**
 * `equals` on keys of different kinds leaves an error in OpenSSL's queue, on which the next createPrivateKey of a good key
 * fails (Node 20): kind and curve are compared first.
 */
function equalKeys(a: KeyObject, b: KeyObject): boolean {
  const curve = (key: KeyObject): string | undefined => key.asymmetricKeyDetails?.namedCurve;
  return a.asymmetricKeyType === b.asymmetricKeyType && curve(a) === curve(b) && a.equals(b);
}

function readPublic(make: () => KeyObject): KeyObject | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
