/** Reads Wycheproof files and judges what a provider makes of them. */
import { createDecipheriv } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type {
  CryptoProvider,
  HashName,
  KeyHandle,
  PrivateOperations,
  PublicOperations,
  SignatureAlgorithm,
  WrapAlgorithm,
} from '#src/providers/contract.js';
import { vectors } from '../support/paths.js';
import { run } from './public-suite.js';

type Result = 'valid' | 'invalid' | 'acceptable';
export type Case = Readonly<Record<string, string>> & { readonly tcId: number; readonly result: Result };
export type Group = Readonly<Record<string, unknown>> & {
  readonly type: string;
  readonly tests: readonly Case[];
};

const hashes: readonly string[] = ['SHA-1', 'SHA-224', 'SHA-256', 'SHA-384', 'SHA-512'] satisfies HashName[];
const bytes = (hex: string | undefined): Buffer => Buffer.from(hex ?? '', 'hex');
const text = (group: Group, field: string): string => {
  const value = group[field];
  return typeof value === 'string' ? value : '';
};

/** What came of one case: `as-said`, a `fault`, or why it does not count. */
export type Verdict = 'as-said' | 'fault' | `not ours: ${string}`;

/** Compares an outcome with what the vector says; `acceptable` is either. */
function judge(accepted: boolean, said: Result): Verdict {
  return said === 'acceptable' || accepted === (said === 'valid') ? 'as-said' : 'fault';
}

function signatureOf(group: Group): SignatureAlgorithm | undefined {
  const hash = text(group, 'sha') as HashName;
  switch (group.type) {
    case 'EcdsaVerify':
      return { name: 'ECDSA', hash, format: 'der' };
    case 'EcdsaP1363Verify':
      return { name: 'ECDSA', hash, format: 'p1363' };
    case 'EddsaVerify':
      return { name: 'Ed25519' };
    case 'RsassaPkcs1Verify':
      return { name: 'RSASSA-PKCS1-v1_5', hash };
    case 'RsassaPssVerify':
    case 'RsassaPssWithParametersVerify':
      return {
        name: 'RSA-PSS',
        hash,
        mgfHash: text(group, 'mgfSha') as HashName,
        saltLength: group['sLen'] as number,
      };
    default:
      return undefined;
  }
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if ((error as { code?: string }).code !== 'DECRYPT_FAILED') throw error;
    return undefined;
  }
}

function gcm(own: PublicOperations, group: Group, test: Case): Verdict {
  if (group['ivSize'] !== 96 || group['tagSize'] !== 128) return 'not ours: IV or tag length';
  if (test['aad'] !== '') return 'not ours: additional data';
  const key = own.importSecretKey(bytes(test['key']));
  const algorithm = { name: 'AES-GCM', iv: bytes(test['iv']), tagLength: 128 } as const;
  const plain = attempt(() =>
    run(own.createDecryptor(algorithm, key, bytes(test['tag'])), bytes(test['ct']), 48),
  );
  const accepted = plain?.toString('hex') === test['msg'];
  if (test.result === 'valid') {
    const sealed = run(own.createEncryptor(algorithm, key), bytes(test['msg']), 48).toString('hex');
    if (sealed !== `${test['ct'] ?? ''}${test['tag'] ?? ''}`) return 'fault';
  }
  return judge(accepted, test.result);
}

function cbc(own: PublicOperations, test: Case): Verdict {
  const [key, iv, sealed] = [bytes(test['key']), bytes(test['iv']), bytes(test['ct'])];
  const algorithm = { name: 'AES-CBC', iv } as const;
  const handle = own.importSecretKey(key);
  const plain = attempt(() => run(own.createDecryptor(algorithm, handle), sealed, 16));
  if (test.result === 'valid') {
    const again = run(own.createEncryptor(algorithm, handle), bytes(test['msg']), 16).toString('hex');
    return again === test['ct'] && plain?.toString('hex') === test['msg'] ? 'as-said' : 'fault';
  }
  // Only the last byte counts in XML Encryption, so some bad PKCS#7 paddings are good ones here.
  if (sealed.length > 0 && sealed.length % 16 === 0) {
    const raw = createDecipheriv(`aes-${key.length * 8}-cbc`, key, iv)
      .setAutoPadding(false)
      .update(sealed);
    const count = raw[raw.length - 1]!;
    if (count >= 1 && count <= 16) {
      return plain?.length === raw.length - count ? 'not ours: padding good in XML Encryption' : 'fault';
    }
  }
  return judge(plain !== undefined, test.result);
}

function keyWrap(own: PublicOperations, test: Case): Verdict {
  const key = own.importSecretKey(bytes(test['key']));
  const plain = attempt(() => own.unwrapSecret({ name: 'AES-KW' }, key, bytes(test['ct'])));
  const accepted = plain !== undefined && Buffer.from(plain).toString('hex') === test['msg'];
  return judge(accepted, test.result);
}

function mac(own: PublicOperations, group: Group, name: string, test: Case): Verdict {
  const hash = /sha(\d+)/u.exec(name)?.[1] ?? '';
  const algorithm = { name: 'HMAC', hash: `SHA-${hash}` as HashName } as const;
  const key = own.importSecretKey(bytes(test['key']));
  const accepted = own.verify(algorithm, key, bytes(test['tag']), bytes(test['msg']));
  const whole = group['tagSize'] === own.digest(algorithm.hash, Buffer.alloc(0)).length * 8;
  if (whole) return judge(accepted, test.result);
  return accepted ? 'fault' : 'not ours: truncated, so refused';
}

export interface Target {
  readonly file: string;
  readonly provider: CryptoProvider;
}

export function publicVerdict(
  target: Target,
  group: Group,
  test: Case,
  key: KeyHandle | undefined,
): Verdict | undefined {
  const own = target.provider.publicOperations!;
  switch (group.type) {
    case 'AeadTest':
      return gcm(own, group, test);
    case 'IndCpaTest':
      return cbc(own, test);
    case 'KeywrapTest':
      return keyWrap(own, test);
    case 'MacTest':
      return mac(own, group, target.file, test);
    default: {
      const algorithm = signatureOf(group);
      if (algorithm === undefined) return undefined;
      if (key === undefined) return 'not ours: kind of key';
      return judge(own.verify(algorithm, key, bytes(test['sig']), bytes(test['msg'])), test.result);
    }
  }
}

export async function unwrapVerdict(
  own: PrivateOperations,
  group: Group,
  test: Case,
  key: KeyHandle,
): Promise<Verdict> {
  const message = bytes(test['msg']);
  const wrapped = bytes(test['ct']);
  if (group.type === 'RsaesPkcs1Decrypt') {
    const bits = message.length * 8;
    const plain = Buffer.from(await own.unwrapKey({ name: 'RSAES-PKCS1-v1_5' }, key, wrapped, bits || 128));
    if (bits === 0) return test.result === 'valid' ? 'not ours: empty message' : 'as-said';
    return judge(plain.equals(message), test.result);
  }
  const label = bytes(test['label']);
  const algorithm: WrapAlgorithm = {
    name: 'RSA-OAEP',
    hash: text(group, 'sha') as HashName,
    mgfHash: text(group, 'mgfSha') as HashName,
    ...(label.length === 0 ? {} : { label }),
  };
  const plain = await own.unwrapKey(algorithm, key, wrapped, message.length * 8).catch((error: unknown) => {
    if ((error as { code?: string }).code !== 'DECRYPT_FAILED') throw error;
    return undefined;
  });
  return judge(plain !== undefined && Buffer.from(plain).equals(message), test.result);
}

/** Operations that no provider claims: nothing here uses them yet. */
export const unclaimed = /^(ecdh_|hkdf_|pbkdf2_|x25519|x448|ed448)/u;

export const folder: string | undefined = vectors('wycheproof');

export function filesMatching(test: (file: string) => boolean): string[] {
  return folder === undefined
    ? []
    : readdirSync(folder).filter((file) => file.endsWith('.json') && test(file));
}

export function groupsOf(file: string): Group[] {
  const content = JSON.parse(readFileSync(join(folder ?? '', file), 'utf8')) as { testGroups: Group[] };
  return content.testGroups;
}

export const isUnwrap = ({ type }: Group): boolean =>
  type === 'RsaesOaepDecrypt' || type === 'RsaesPkcs1Decrypt';

/** Whether the group's hash functions are ones that the product has. */
export function hasHashes(group: Group): boolean {
  return ['sha', 'mgfSha'].every((field) => !(field in group) || hashes.includes(text(group, field)));
}

export const pkcs8Of = (group: Group): Buffer => bytes(text(group, 'privateKeyPkcs8'));

/** The key of a group, where the group has one. */
export async function keyOf(provider: CryptoProvider, group: Group): Promise<KeyHandle | undefined> {
  if (isUnwrap(group)) return provider.privateOperations!.importPrivateKey!(pkcs8Of(group));
  const spki = text(group, 'publicKeyDer');
  return spki === '' ? undefined : provider.publicOperations!.importPublicKey(bytes(spki));
}

/** Counts verdicts for the line at the end, and keeps the faults. */
export class Tally {
  readonly faults: string[] = [];
  readonly #counts = new Map<string, number>();

  add(verdict: Verdict | undefined, group: Group, test: Case): void {
    const what = verdict ?? 'of an unknown type';
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
    if (verdict !== undefined && verdict !== 'fault') return;
    this.faults.push(`${group.type} ${test.tcId} (${test.result}): ${test['comment'] ?? ''}`);
  }

  print(name: string): void {
    const lines = [...this.#counts].map(([what, number]) => `${number} ${what}`);
    process.stderr.write(`wycheproof ${name}: ${lines.join('; ')}\n`);
  }
}
