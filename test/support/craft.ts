/** Encrypted messages as an attacker makes them: every field can be wrong. */
import type { KeyRing } from '#src/providers/index.js';
import { cipherAlgorithm } from '#src/wss/encryption/encrypt.js';
import { wrapAlgorithm, writeEncryptedKey } from '#src/wss/encryption/encrypted-key.js';
import { makeTransport } from '#src/wss/encryption/transport.js';
import { writeKeyInfo } from '#src/wss/references/write.js';
import type { Toolkit } from '#src/wss/toolkit.js';
import { ns } from '#src/xml/index.js';
import { soap } from './toolkit.js';

export interface Craft {
  readonly toolkit: Toolkit;
  readonly to: KeyRing;
  readonly plaintext?: string | Uint8Array;
  /** Cipher that is really used. */
  readonly algorithm?: string;
  /** Cipher that the message says. */
  readonly saysAlgorithm?: string;
  readonly keyTransport?: string;
  readonly type?: string | undefined;
  /** Length of the content key that is wrapped, in bytes. */
  readonly keyLength?: number;
  /** Changes the cipher value (IV, ciphertext, tag). */
  readonly mangle?: (value: Buffer) => Uint8Array;
  /** Changes the wrapped key. */
  readonly mangleKey?: (value: Buffer) => Uint8Array;
  /** Changes the EncryptedKey as written. */
  readonly editKey?: (xml: string) => string;
  /** Changes the EncryptedData as written. */
  readonly editData?: (xml: string) => string;
  /** The whole message from its two parts. */
  readonly message?: (key: string, data: string) => string;
}

export const security = (children: string): string =>
  `<wsse:Security xmlns:wsse="${ns.wsse}">${children}</wsse:Security>`;

/** A message with one EncryptedKey and, in the Body, one EncryptedData `ED`. */
export function craft(options: Craft): string {
  const cipher = options.toolkit.algorithms.byId(options.algorithm ?? 'aes128-gcm', 'cipher');
  const keyBytes = Buffer.alloc(options.keyLength ?? cipher.keyBits / 8, 7);
  const same = (xml: string): string => xml;
  const key = (options.editKey ?? same)(keyOf(options, keyBytes));
  const data = (options.editData ?? same)(dataOf(options, cipher.id, keyBytes));
  const message = options.message ?? ((keyXml: string, dataXml: string) => soap(dataXml, security(keyXml)));
  return message(key, data);
}

function keyOf({ toolkit, to, keyTransport = 'rsa-oaep', mangleKey }: Craft, keyBytes: Uint8Array): string {
  const entry = to.entries[0]!;
  const transport = makeTransport({ keyTransport }, toolkit.algorithms);
  const wrapped = Buffer.from(toolkit.crypto.wrapKey(wrapAlgorithm(transport), entry.publicKey, keyBytes));
  const key = writeEncryptedKey({
    id: 'EK',
    transport,
    keyInfo: writeKeyInfo('thumbprint', entry.certificate, toolkit).keyInfo,
    wrapped: mangleKey === undefined ? wrapped : mangleKey(wrapped),
    references: ['ED'],
  });
  return Buffer.from(key).toString();
}

function dataOf(options: Craft, cipherId: string, keyBytes: Uint8Array): string {
  const { toolkit, plaintext = '<a/>', mangle } = options;
  const value = encryptBytes(toolkit, cipherId, keyBytes, Buffer.from(plaintext));
  const says = toolkit.algorithms.byId(options.saysAlgorithm ?? cipherId, 'cipher');
  const type = 'type' in options ? options.type : 'Content';
  return (
    `<xenc:EncryptedData xmlns:xenc="${ns.xenc}" Id="ED"${type === undefined ? '' : ` Type="${ns.xenc}${type}"`}>` +
    `<xenc:EncryptionMethod Algorithm="${says.uri}"/><xenc:CipherData><xenc:CipherValue>` +
    Buffer.from(mangle === undefined ? value : mangle(value)).toString('base64') +
    '</xenc:CipherValue></xenc:CipherData></xenc:EncryptedData>'
  );
}

/** IV, ciphertext and tag. A key that does not fit the cipher gives octets that decrypt to nothing. */
export function encryptBytes(
  toolkit: Toolkit,
  cipherId: string,
  keyBytes: Uint8Array,
  plaintext: Buffer,
): Buffer {
  const cipher = toolkit.algorithms.byId(cipherId, 'cipher');
  const iv = toolkit.random.bytes(cipher.ivLength);
  if (keyBytes.length !== cipher.keyBits / 8) return Buffer.from(toolkit.random.bytes(cipher.ivLength + 48));
  const encryptor = toolkit.crypto.createEncryptor(
    cipherAlgorithm(cipher, iv),
    toolkit.crypto.importSecretKey(keyBytes),
  );
  return Buffer.concat([iv, Buffer.from(encryptor.update(plaintext)), Buffer.from(encryptor.final())]);
}
