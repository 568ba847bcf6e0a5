import { createPrivateKey, createPublicKey, createSecretKey, type KeyObject, subtle } from 'node:crypto';
import { concat } from '../../core/bytes.js';
import type { HashName, KeyFacts, KeyHandle, KeyUse } from '../contract.js';
import { foreignKey, keyUnreadable, privateKeyUnreadable } from '../failures.js';
import { ProviderKey } from '../provider-key.js';
import { digest } from './digest.js';

export const NAME = 'openssl';

type WebKey = Awaited<ReturnType<typeof subtle.importKey>>;

/** The hash functions that Web Crypto's RSA-OAEP has. */
const webHashes = ['SHA-1', 'SHA-256', 'SHA-384', 'SHA-512'] as const;

/** What the provider keeps of a private RSA key besides the KeyObject. */
export interface RsaPrivate {
  /** Web Crypto keys for OAEP, one per hash: a CryptoKey is bound to its hash. */
  readonly oaep: ReadonlyMap<HashName, WebKey>;
  /** Secret from which implicit rejection derives its keys (see padding/pkcs1.ts). */
  readonly rejection: Uint8Array;
}

/** An opaque key on a KeyObject. */
export class OpensslKey extends ProviderKey {
  readonly #object: KeyObject;
  readonly #rsa: RsaPrivate | undefined;

  constructor(
    facts: KeyFacts,
    visibility: KeyHandle['visibility'],
    uses: readonly KeyUse[],
    object: KeyObject,
    rsa?: RsaPrivate,
  ) {
    super(NAME, facts, visibility, uses);
    this.#object = object;
    this.#rsa = rsa;
    Object.freeze(this);
  }

  /** The KeyObject behind `handle`. @throws CountersignError PROVIDER_FAILED for a handle that is not ours */
  static object(handle: KeyHandle, visibility: KeyHandle['visibility']): KeyObject {
    if (!(handle instanceof OpensslKey) || handle.visibility !== visibility) throw foreignKey(NAME, handle);
    return handle.#object;
  }

  /** @throws CountersignError PROVIDER_FAILED for anything but a private RSA key of ours */
  static rsa(handle: KeyHandle): RsaPrivate {
    if (!(handle instanceof OpensslKey) || handle.#rsa === undefined) throw foreignKey(NAME, handle);
    return handle.#rsa;
  }
}

const curves: Readonly<Record<string, readonly [name: string, bits: number]>> = {
  prime256v1: ['P-256', 256],
  secp384r1: ['P-384', 384],
  secp521r1: ['P-521', 521],
};

/** @returns undefined for kinds of key that this product does not use */
function factsOf(object: KeyObject): KeyFacts | undefined {
  const details = object.asymmetricKeyDetails;
  // RSASSA-PSS keys carry limits on their use, which OpenSSL enforces.
  if (object.asymmetricKeyType === 'rsa' || object.asymmetricKeyType === 'rsa-pss')
    return { kind: 'RSA', bits: details?.modulusLength ?? 0 };
  if (object.asymmetricKeyType === 'ed25519') return { kind: 'Ed25519', bits: 256 };
  if (object.asymmetricKeyType !== 'ec') return undefined;
  const known = curves[details?.namedCurve ?? ''];
  return known === undefined ? undefined : { kind: 'EC', curve: known[0], bits: known[1] };
}

export function importPublicKey(spki: Uint8Array): KeyHandle {
  let object: KeyObject;
  try {
    object = createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' });
  } catch (error) {
    throw keyUnreadable('it is not a SubjectPublicKeyInfo', error);
  }
  const facts = factsOf(object);
  if (facts === undefined) throw keyUnreadable(`kind ${object.asymmetricKeyType ?? 'unknown'}`);
  const uses: KeyUse[] = object.asymmetricKeyType === 'rsa' ? ['verify', 'wrapKey'] : ['verify'];
  return new OpensslKey(facts, 'public', uses, object);
}

/** One list for all: a key is made for every message. */
const secretUses: readonly KeyUse[] = Object.freeze([
  'sign',
  'verify',
  'encrypt',
  'decrypt',
  'wrapKey',
  'unwrapKey',
]);

export function importSecretKey(bytes: Uint8Array): KeyHandle {
  return new OpensslKey(
    { kind: 'secret', bits: bytes.length * 8 },
    'secret',
    secretUses,
    createSecretKey(bytes),
  );
}

export async function importPrivateKey(pkcs8: Uint8Array): Promise<KeyHandle> {
  const der = Buffer.from(pkcs8);
  try {
    let object: KeyObject;
    try {
      object = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
    } catch (error) {
      throw privateKeyUnreadable('it is not an unencrypted PKCS#8 key', error);
    }
    const facts = factsOf(object);
    if (facts === undefined) throw privateKeyUnreadable(`kind ${object.asymmetricKeyType ?? 'unknown'}`);
    if (object.asymmetricKeyType !== 'rsa') return new OpensslKey(facts, 'private', ['sign'], object);
    return new OpensslKey(facts, 'private', ['sign', 'unwrapKey'], object, await rsaPrivate(der));
  } finally {
    der.fill(0);
  }
}

async function rsaPrivate(pkcs8: Uint8Array): Promise<RsaPrivate> {
  const oaep = new Map<HashName, WebKey>();
  for (const hash of webHashes) {
    oaep.set(hash, await subtle.importKey('pkcs8', pkcs8, { name: 'RSA-OAEP', hash }, false, ['decrypt']));
  }
  const rejection = digest('SHA-256', concat(Buffer.from('countersign implicit rejection'), pkcs8));
  return { oaep, rejection };
}
