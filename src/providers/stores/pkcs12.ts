/** Reads PKCS#12 stores (RFC 7292), modern (PBES2, PBMAC1 of RFC 9579) and old (3DES, RC2). */
import { concat, equalConstantTime } from '../../core/bytes.js';
import { isCountersignError } from '../../core/errors.js';
import {
  childrenOf,
  context,
  type DerCursor,
  DerError,
  type DerElement,
  oidOf,
  readOne,
  smallInteger,
  tags,
} from '../../pki/der.js';
import { textOf } from '../../pki/names.js';
import { fileMac, pbkdf2 } from '../openssl/key-files.js';
import { toDefinite } from './ber.js';
import { malformed, missingPassword, wrongPassword } from './failures.js';
import type { KeyMaterial, StoredCertificate, StoredKey } from './material.js';
import { decryptWithPassword, hashOf, iterationCount, readPbkdf2 } from './password-based.js';
import { bmpPassword, pkcs12Derive } from './pkcs12-derive.js';

const oids = {
  data: '1.2.840.113549.1.7.1',
  encryptedData: '1.2.840.113549.1.7.6',
  pbmac1: '1.2.840.113549.1.5.14',
  keyBag: '1.2.840.113549.1.12.10.1.1',
  shroudedKeyBag: '1.2.840.113549.1.12.10.1.2',
  certBag: '1.2.840.113549.1.12.10.1.3',
  safeContentsBag: '1.2.840.113549.1.12.10.1.6',
  x509Certificate: '1.2.840.113549.1.9.22.1',
  friendlyName: '1.2.840.113549.1.9.20',
  localKeyId: '1.2.840.113549.1.9.21',
} as const;

/** What the bags gave so far. */
interface Found {
  readonly password: string;
  readonly keys: StoredKey[];
  readonly certificates: StoredCertificate[];
}

/**
 * Opens a store.
 *
 * @param password undefined: the empty one is tried
 * @throws CountersignError KEY_FILE_MALFORMED, KEY_PASSWORD_WRONG, KEY_PASSWORD_MISSING
 */
export async function readPkcs12(bytes: Uint8Array, password: string | undefined): Promise<KeyMaterial> {
  try {
    return await read(toDefinite(bytes), password ?? '');
  } catch (error) {
    if (error instanceof DerError) throw malformed(`is not a PKCS#12 store: ${error.message}`, error);
    const wrong = isCountersignError(error) && error.code === 'KEY_PASSWORD_WRONG';
    throw wrong && password === undefined ? missingPassword() : error;
  }
}

async function read(bytes: Uint8Array, password: string): Promise<KeyMaterial> {
  const pfx = childrenOf(readOne(bytes, tags.sequence));
  if (smallInteger(pfx.take(tags.integer)) !== 3) throw malformed('is a PKCS#12 store of an unknown version');
  const content = dataContent(pfx.take(tags.sequence));
  const mac = pfx.optional(tags.sequence);
  pfx.end();
  if (mac !== undefined) checkMac(mac, password, content);

  const found: Found = { password, keys: [], certificates: [] };
  const safes = childrenOf(readOne(toDefinite(content), tags.sequence));
  while (!safes.done) {
    const bags = await safeContents(safes.take(tags.sequence), password);
    await readBags(childrenOf(readOne(toDefinite(bags), tags.sequence)), found);
  }
  return { keys: found.keys, certificates: found.certificates };
}

/** The octets of a ContentInfo of type data. */
function dataContent(info: DerElement): Uint8Array {
  const fields = childrenOf(info);
  if (oidOf(fields.take(tags.oid)) !== oids.data)
    throw malformed('is protected by a public key, not by a password');
  return childrenOf(fields.take(context(0, true))).take(tags.octetString).value;
}

async function safeContents(info: DerElement, password: string): Promise<Uint8Array> {
  const fields = childrenOf(info);
  if (oidOf(fields.take(tags.oid)) !== oids.encryptedData) return dataContent(info);
  const encrypted = childrenOf(childrenOf(fields.take(context(0, true))).take(tags.sequence));
  encrypted.take(tags.integer);
  const content = childrenOf(encrypted.take(tags.sequence));
  content.take(tags.oid);
  const algorithm = content.take(tags.sequence);
  const octets = content.takeAny();
  return decrypt(
    algorithm,
    password,
    octets.tag === context(0, true) ? joined(childrenOf(octets)) : octets.value,
  );
}

/** An implicitly tagged OCTET STRING that came in pieces. */
function joined(pieces: DerCursor): Uint8Array {
  const parts: Uint8Array[] = [];
  while (!pieces.done) parts.push(pieces.take(tags.octetString).value);
  return concat(...parts);
}

/** A wrong password may leave a padding that looks right; then what comes out is no DER. */
async function decrypt(algorithm: DerElement, password: string, data: Uint8Array): Promise<Uint8Array> {
  const plain = await decryptWithPassword(algorithm, password, data);
  if (plain[0] !== tags.sequence) throw wrongPassword();
  return plain;
}

function checkMac(element: DerElement, password: string, content: Uint8Array): void {
  const fields = childrenOf(element);
  const info = childrenOf(fields.take(tags.sequence));
  const algorithm = info.take(tags.sequence);
  const expected = info.take(tags.octetString).value;
  const salt = fields.take(tags.octetString).value;
  const count = fields.optional(tags.integer);
  const iterations = count === undefined ? 1 : iterationCount(count);
  const actual =
    oidOf(childrenOf(algorithm).take(tags.oid)) === oids.pbmac1
      ? pbmac1(algorithm, password, content)
      : pkcs12Mac(algorithm, { password, salt, iterations, content });
  if (!equalConstantTime(actual, expected)) throw wrongPassword();
}

function pkcs12Mac(
  algorithm: DerElement,
  input: { password: string; salt: Uint8Array; iterations: number; content: Uint8Array },
): Uint8Array {
  const hash = hashOf(algorithm);
  const { salt, iterations, content } = input;
  const length = macLengths[hash] ?? 0;
  const key = pkcs12Derive(hash, { id: 3, password: bmpPassword(input.password), salt, iterations, length });
  return fileMac(hash, key, content);
}

const macLengths: Readonly<Record<string, number>> = {
  'SHA-1': 20,
  'SHA-224': 28,
  'SHA-256': 32,
  'SHA-384': 48,
  'SHA-512': 64,
};

/** RFC 9579 §4: salt and count of the outer MacData mean nothing; the key length must be stated. */
function pbmac1(algorithm: DerElement, password: string, content: Uint8Array): Uint8Array {
  const fields = childrenOf(algorithm);
  fields.take(tags.oid);
  const parameters = childrenOf(fields.take(tags.sequence));
  const { length, ...derivation } = readPbkdf2(parameters.take(tags.sequence));
  if (length === undefined || length < 20) throw malformed('has a MAC without a key length');
  const key = pbkdf2(Buffer.from(password, 'utf8'), { ...derivation, length });
  return fileMac(hashOf(parameters.take(tags.sequence)), key, content);
}

async function readBags(bags: DerCursor, found: Found): Promise<void> {
  while (!bags.done) await readBag(childrenOf(bags.take(tags.sequence)), found);
}

async function readBag(bag: DerCursor, found: Found): Promise<void> {
  const type = oidOf(bag.take(tags.oid));
  const wrapper = childrenOf(bag.take(context(0, true)));
  const names = readAttributes(bag.optional(tags.set));
  switch (type) {
    case oids.keyBag:
      found.keys.push({ pkcs8: wrapper.take(tags.sequence).raw, ...names });
      return;
    case oids.shroudedKeyBag: {
      const fields = childrenOf(wrapper.take(tags.sequence));
      const algorithm = fields.take(tags.sequence);
      const data = fields.take(tags.octetString).value;
      found.keys.push({ pkcs8: await decrypt(algorithm, found.password, data), ...names });
      return;
    }
    case oids.certBag: {
      const fields = childrenOf(wrapper.take(tags.sequence));
      if (oidOf(fields.take(tags.oid)) !== oids.x509Certificate) return;
      const der = childrenOf(fields.take(context(0, true))).take(tags.octetString).value;
      found.certificates.push({ der, ...names });
      return;
    }
    case oids.safeContentsBag:
      await readBags(childrenOf(wrapper.take(tags.sequence)), found);
      return;
    default:
    // CRLs and secrets: not ours.
  }
}

function readAttributes(set: DerElement | undefined): Pick<StoredKey, 'alias' | 'id'> {
  let alias: string | undefined;
  let id: Uint8Array | undefined;
  const attributes = set === undefined ? undefined : childrenOf(set);
  while (attributes?.done === false) {
    const fields = childrenOf(attributes.take(tags.sequence));
    const type = oidOf(fields.take(tags.oid));
    const values = childrenOf(fields.take(tags.set));
    if (type === oids.friendlyName) alias = textOf(values.take(tags.bmpString));
    if (type === oids.localKeyId) id = values.take(tags.octetString).value;
  }
  return { alias, id };
}
