/** Password-based decryption of key files: PBES2 (RFC 8018 §6.2) and the PBE of PKCS#12 (RFC 7292 appendix C). */
import type { HashName } from '../../core/contracts.js';
import { childrenOf, type DerCursor, type DerElement, oidOf, smallInteger, tags } from '../../pki/der.js';
import { hashOids } from '../../pki/oids.js';
import { decryptCbc, type FileCipher, pbkdf2 } from '../openssl/key-files.js';
import { malformed, wrongPassword } from './failures.js';
import { bmpPassword, pkcs12Derive } from './pkcs12-derive.js';

const pbes2 = '1.2.840.113549.1.5.13';
const pbkdf2Oid = '1.2.840.113549.1.5.12';
const hmacSha1 = '1.2.840.113549.2.7';
/** Ten times what any tool writes today; more is an attempt to keep the start busy. */
const MAX_ITERATIONS = 10_000_000;

const prfs: ReadonlyMap<string, HashName> = new Map([
  [hmacSha1, 'SHA-1'],
  ['1.2.840.113549.2.8', 'SHA-224'],
  ['1.2.840.113549.2.9', 'SHA-256'],
  ['1.2.840.113549.2.10', 'SHA-384'],
  ['1.2.840.113549.2.11', 'SHA-512'],
]);

const ciphers: ReadonlyMap<string, readonly [FileCipher, keyLength: number]> = new Map([
  ['2.16.840.1.101.3.4.1.2', ['aes-128-cbc', 16]],
  ['2.16.840.1.101.3.4.1.22', ['aes-192-cbc', 24]],
  ['2.16.840.1.101.3.4.1.42', ['aes-256-cbc', 32]],
  ['1.2.840.113549.3.7', ['des-ede3-cbc', 24]],
]);

/** RFC 7292 appendix C: key length in bytes by cipher. The RC4 ones are not read: no tool in use writes them. */
const pkcs12Schemes: ReadonlyMap<string, { readonly cipher: '3des' | 'rc2'; readonly length: number }> =
  new Map([
    ['1.2.840.113549.1.12.1.3', { cipher: '3des', length: 24 }],
    ['1.2.840.113549.1.12.1.4', { cipher: '3des', length: 16 }],
    ['1.2.840.113549.1.12.1.5', { cipher: 'rc2', length: 16 }],
    ['1.2.840.113549.1.12.1.6', { cipher: 'rc2', length: 5 }],
  ]);

/**
 * Decrypts with the algorithm of an AlgorithmIdentifier.
 *
 * @throws CountersignError KEY_PASSWORD_WRONG (any failure of the decryption itself), KEY_FILE_MALFORMED (an algorithm
 *   that is not known); DerError
 */
export async function decryptWithPassword(
  algorithm: DerElement,
  password: string,
  data: Uint8Array,
): Promise<Uint8Array> {
  const fields = childrenOf(algorithm);
  const oid = oidOf(fields.take(tags.oid));
  const parameters = childrenOf(fields.take(tags.sequence));
  const plain =
    oid === pbes2
      ? decryptPbes2(parameters, password, data)
      : await decryptPkcs12(oid, parameters, password, data);
  if (plain === undefined) throw wrongPassword();
  return plain;
}

/** Salt, iteration count, key length if stated, and hash of PBKDF2-params. @throws DerError, KEY_FILE_MALFORMED */
export function readPbkdf2(algorithm: DerElement): {
  hash: HashName;
  salt: Uint8Array;
  iterations: number;
  length: number | undefined;
} {
  const outer = childrenOf(algorithm);
  const oid = oidOf(outer.take(tags.oid));
  if (oid !== pbkdf2Oid) throw malformed(`derives its key in a way that is not known (${oid})`);
  const fields = childrenOf(outer.take(tags.sequence));
  const salt = fields.take(tags.octetString).value;
  const iterations = iterationCount(fields.take(tags.integer));
  const length = fields.optional(tags.integer);
  const prf = fields.optional(tags.sequence);
  const prfOid = prf === undefined ? hmacSha1 : oidOf(childrenOf(prf).take(tags.oid));
  const hash = prfs.get(prfOid);
  if (hash === undefined) throw malformed(`derives its key with a hash that is not known (${prfOid})`);
  return { hash, salt, iterations, length: length === undefined ? undefined : smallInteger(length) };
}

/** @throws DerError, KEY_FILE_MALFORMED */
export function iterationCount(element: DerElement): number {
  const count = smallInteger(element);
  if (count < 1 || count > MAX_ITERATIONS) throw malformed(`asks for ${count} iterations`);
  return count;
}

/** The hash of a digest AlgorithmIdentifier. @throws DerError, KEY_FILE_MALFORMED */
export function hashOf(algorithm: DerElement): HashName {
  const oid = oidOf(childrenOf(algorithm).take(tags.oid));
  const hash = hashOids.get(oid) ?? prfs.get(oid);
  if (hash === undefined) throw malformed(`uses a hash that is not known (${oid})`);
  return hash;
}

function decryptPbes2(parameters: DerCursor, password: string, data: Uint8Array): Uint8Array | undefined {
  const derivation = readPbkdf2(parameters.take(tags.sequence));
  const scheme = childrenOf(parameters.take(tags.sequence));
  const oid = oidOf(scheme.take(tags.oid));
  const known = ciphers.get(oid);
  if (known === undefined) throw malformed(`is encrypted with a cipher that is not known (${oid})`);
  const [cipher, length] = known;
  const iv = scheme.take(tags.octetString).value;
  const key = pbkdf2(Buffer.from(password, 'utf8'), { ...derivation, length });
  return decryptCbc(cipher, key, iv, data);
}

async function decryptPkcs12(
  oid: string,
  parameters: DerCursor,
  password: string,
  data: Uint8Array,
): Promise<Uint8Array | undefined> {
  const scheme = pkcs12Schemes.get(oid);
  if (scheme === undefined) throw malformed(`is encrypted with an algorithm that is not supported (${oid})`);
  const salt = parameters.take(tags.octetString).value;
  const iterations = iterationCount(parameters.take(tags.integer));
  const derive = (id: number, length: number): Uint8Array =>
    pkcs12Derive('SHA-1', { id, password: bmpPassword(password), salt, iterations, length });
  const key = derive(1, scheme.length);
  const iv = derive(2, 8);
  if (scheme.cipher === 'rc2') return decryptRc2(key, iv, data);
  // Two-key 3DES: the first key comes back as the third.
  const full = scheme.length === 16 ? Buffer.concat([key, key.subarray(0, 8)]) : key;
  return decryptCbc('des-ede3-cbc', full, iv, data);
}

/** RC2 is not in OpenSSL 3's default provider; node-forge has it and is loaded for old stores only. */
async function decryptRc2(
  key: Uint8Array,
  iv: Uint8Array,
  data: Uint8Array,
): Promise<Uint8Array | undefined> {
  const { default: forge } = await import('node-forge');
  const binary = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');
  const decipher = forge.rc2.createDecryptionCipher(binary(key), key.length * 8);
  decipher.start(binary(iv));
  decipher.update(forge.util.createBuffer(binary(data)));
  if (!decipher.finish()) return undefined;
  return Buffer.from(decipher.output.getBytes(), 'latin1');
}
