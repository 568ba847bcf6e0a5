/** EncryptedKeys and EncryptedData as an attacker makes them: everybody has the gateway's public key. */
import { wrapAlgorithm, writeEncryptedKey } from '#src/wss/encryption/encrypted-key.js';
import { makeTransport } from '#src/wss/encryption/transport.js';
import { writeKeyInfo } from '#src/wss/references/write.js';
import { ns } from '#src/xml/index.js';
import type { Bench } from '../support/chain.js';
import { encryptBytes } from '../support/craft.js';

const contentKey = Buffer.alloc(16, 7);

/** An EncryptedKey for `server` that lists these EncryptedData. */
export function encryptedKey({ keys, toolkit }: Bench, references: readonly string[], id = 'EKx'): string {
  const entry = keys.get('server')!.entries[0]!;
  const transport = makeTransport({ keyTransport: 'rsa-oaep' }, toolkit.algorithms);
  const wrapped = toolkit.crypto.wrapKey(wrapAlgorithm(transport), entry.publicKey, contentKey);
  const { keyInfo } = writeKeyInfo('thumbprint', entry.certificate, toolkit);
  return Buffer.from(writeEncryptedKey({ id, transport, keyInfo, wrapped, references })).toString();
}

export interface ForgedData {
  readonly id: string;
  readonly plaintext: string;
  readonly type?: 'Content' | 'Element';
  readonly cipher?: string;
  /** Put into an EncryptionProperty. */
  readonly property?: string;
  readonly mangle?: (value: Buffer) => Buffer;
}

export function encryptedData({ toolkit }: Bench, data: ForgedData): string {
  const cipher = toolkit.algorithms.byId(data.cipher ?? 'aes128-gcm', 'cipher');
  const value = encryptBytes(toolkit, cipher.id, contentKey, Buffer.from(data.plaintext));
  const properties =
    data.property === undefined
      ? ''
      : `<xenc:EncryptionProperties><xenc:EncryptionProperty>${data.property}</xenc:EncryptionProperty></xenc:EncryptionProperties>`;
  return (
    `<xenc:EncryptedData xmlns:xenc="${ns.xenc}" Id="${data.id}" Type="${ns.xenc}${data.type ?? 'Content'}">` +
    `<xenc:EncryptionMethod Algorithm="${cipher.uri}"/><xenc:CipherData><xenc:CipherValue>` +
    `${(data.mangle ?? ((same: Buffer) => same))(value).toString('base64')}</xenc:CipherValue></xenc:CipherData>` +
    `${properties}</xenc:EncryptedData>`
  );
}

/** Puts header blocks last in the Header. */
export const inHeader = (message: string, blocks: string): string =>
  message.replace('</soap:Header>', () => `${blocks}</soap:Header>`);

/** Puts elements first in the Security header. */
export const inSecurity = (message: string, children: string): string =>
  message.replace(/<wsse:Security [^>]*>/, (tag) => `${tag}${children}`);
