/** Reads PEM files (RFC 7468): certificates in any number, private keys as PKCS#8, PKCS#1 and SEC1, encrypted or not. */
import { decodeBase64 } from '../../core/bytes.js';
import {
  nullElement,
  objectIdentifier,
  octetString,
  sequence,
  unsignedInteger,
} from '../../pki/der-writer.js';
import { childrenOf, context, DerError, readOne, smallInteger, tags } from '../../pki/der.js';
import { oids } from '../../pki/oids.js';
import { decryptTraditionalPem } from '../openssl/key-files.js';
import { malformed, missingPassword, wrongPassword } from './failures.js';
import type { KeyMaterial, StoredCertificate, StoredKey } from './material.js';
import { decryptWithPassword } from './password-based.js';

interface PemBlock {
  readonly label: string;
  /** Whether it has RFC 1421 headers that say it is encrypted. */
  readonly traditional: boolean;
  readonly text: string;
  readonly der: Uint8Array;
}

/**
 * The certificates of a file, in its order. A file that is one DER certificate counts as such.
 *
 * @throws CountersignError KEY_FILE_MALFORMED when there is none
 */
export function readPemCertificates(bytes: Uint8Array): Uint8Array[] {
  if (bytes[0] === tags.sequence) return [bytes];
  const found = blocks(bytes)
    .filter(isCertificate)
    .map((block) => block.der);
  if (found.length === 0) throw malformed('holds no certificate');
  return found;
}

/**
 * The private key of a file.
 *
 * @returns PKCS#8 DER
 * @throws CountersignError KEY_FILE_MALFORMED (no key, several, or not readable), KEY_PASSWORD_MISSING, KEY_PASSWORD_WRONG
 */
export async function readPemKey(bytes: Uint8Array, password: string | undefined): Promise<Uint8Array> {
  const keys = blocks(bytes).filter(isKey);
  const [key, second] = keys;
  if (key === undefined) throw malformed('holds no private key');
  if (second !== undefined) throw malformed(`holds ${keys.length} private keys`);
  return readKey(key, password);
}

/**
 * Everything in a file: its certificates and private keys.
 *
 * @throws CountersignError KEY_FILE_MALFORMED when there is neither; KEY_PASSWORD_MISSING, KEY_PASSWORD_WRONG
 */
export async function readPem(bytes: Uint8Array, password: string | undefined): Promise<KeyMaterial> {
  const keys: StoredKey[] = [];
  const certificates: StoredCertificate[] = [];
  for (const found of blocks(bytes)) {
    if (isCertificate(found)) certificates.push({ der: found.der, alias: undefined, id: undefined });
    if (isKey(found)) keys.push({ pkcs8: await readKey(found, password), alias: undefined, id: undefined });
  }
  if (keys.length + certificates.length === 0) throw malformed('holds no certificate and no private key');
  return { keys, certificates };
}

async function readKey(key: PemBlock, password: string | undefined): Promise<Uint8Array> {
  try {
    return await toPkcs8(key, password);
  } catch (error) {
    if (error instanceof DerError)
      throw malformed(`holds a private key that cannot be read: ${error.message}`, error);
    throw error;
  }
}

async function toPkcs8(block: PemBlock, password: string | undefined): Promise<Uint8Array> {
  if (block.traditional || block.label === 'ENCRYPTED PRIVATE KEY') {
    if (password === undefined) throw missingPassword();
    return block.traditional ? traditional(block, password) : encrypted(block, password);
  }
  switch (block.label) {
    case 'PRIVATE KEY':
      return readOne(block.der, tags.sequence).raw;
    case 'RSA PRIVATE KEY':
      return fromPkcs1(block.der);
    case 'EC PRIVATE KEY':
      return fromSec1(block.der);
    default:
      throw malformed(`holds a private key of an unsupported form (${block.label})`);
  }
}

async function encrypted(block: PemBlock, password: string): Promise<Uint8Array> {
  const fields = childrenOf(readOne(block.der, tags.sequence));
  const algorithm = fields.take(tags.sequence);
  const plain = await decryptWithPassword(algorithm, password, fields.take(tags.octetString).value);
  if (plain[0] !== tags.sequence) throw wrongPassword();
  return plain;
}

function traditional(block: PemBlock, password: string): Uint8Array {
  const plain = decryptTraditionalPem(block.text, password);
  if (plain === undefined) throw wrongPassword();
  return plain;
}

/** RFC 5958: an RSAPrivateKey inside a PrivateKeyInfo. */
function fromPkcs1(der: Uint8Array): Uint8Array {
  const algorithm = sequence(objectIdentifier(oids.rsaEncryption), nullElement());
  return sequence(unsignedInteger(Uint8Array.of(0)), algorithm, octetString(readOne(der, tags.sequence).raw));
}

/** RFC 5915 §3: the curve, optional there, moves into the AlgorithmIdentifier. */
function fromSec1(der: Uint8Array): Uint8Array {
  const fields = childrenOf(readOne(der, tags.sequence));
  if (smallInteger(fields.take(tags.integer)) !== 1) throw malformed('holds an EC key of an unknown version');
  fields.take(tags.octetString);
  const parameters = fields.optional(context(0, true));
  if (parameters === undefined) throw malformed('holds an EC key that does not name its curve');
  const curve = childrenOf(parameters).take(tags.oid).raw;
  const algorithm = sequence(objectIdentifier(oids.ecPublicKey), curve);
  return sequence(unsignedInteger(Uint8Array.of(0)), algorithm, octetString(der));
}

function isCertificate({ label }: PemBlock): boolean {
  return label === 'CERTIFICATE' || label === 'X509 CERTIFICATE';
}

function isKey({ label }: PemBlock): boolean {
  return label.endsWith('PRIVATE KEY');
}

const pattern = /-----BEGIN ([A-Z0-9 ]+)-----\n([\s\S]*?)-----END \1-----/g;
/** Header lines of RFC 1421, up to the empty line. */
const headers = /^(?:[A-Za-z0-9-]+: ?[^\n]*\n)+\n/;

function blocks(bytes: Uint8Array): PemBlock[] {
  const text = Buffer.from(bytes).toString('latin1').replace(/\r\n?/g, '\n');
  return [...text.matchAll(pattern)].map(([whole, label = '', inner = '']) => {
    const head = headers.exec(inner)?.[0] ?? '';
    const der = decodeBase64(inner.slice(head.length));
    if (der === undefined || der.length === 0) throw malformed(`has a ${label} block that is not base64`);
    return { label, traditional: head.includes('ENCRYPTED'), text: whole, der };
  });
}
