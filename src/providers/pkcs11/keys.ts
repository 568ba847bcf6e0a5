import type { KeyFacts, KeyHandle } from '../contract.js';
import { foreignKey } from '../failures.js';
import { ProviderKey } from '../provider-key.js';
import type { Handle } from './library.js';
import { NAME, type Token } from './token.js';

/** Where one copy of the key is. */
export interface Place {
  readonly token: Token;
  readonly object: Handle;
}

/** What is behind a handle. */
export interface TokenKey {
  /** Tokens that hold this key; they share the load. */
  readonly places: readonly Place[];
  /** RSA: length of the modulus in bytes. */
  readonly size: number;
  readonly modulus: Uint8Array;
  /** Secret of implicit rejection, once it has been derived. */
  rejection: Promise<Uint8Array> | undefined;
}

/** A key on a token, or the same one on several. */
export class Pkcs11Key extends ProviderKey {
  readonly #key: TokenKey;

  constructor(facts: KeyFacts, key: TokenKey) {
    super(NAME, facts, 'private', facts.kind === 'RSA' ? ['sign', 'unwrapKey'] : ['sign']);
    this.#key = key;
    Object.freeze(this);
  }

  /** @throws CountersignError PROVIDER_FAILED for a handle that is not ours */
  static of(handle: KeyHandle): TokenKey {
    if (!(handle instanceof Pkcs11Key)) throw foreignKey(NAME, handle);
    return handle.#key;
  }
}

/** The place with the fewest operations. */
export function idlest(places: readonly Place[]): Place {
  const [first, ...rest] = places;
  if (first === undefined) throw new Error('a key without a place');
  return rest.reduce((best, place) => (place.token.load < best.token.load ? place : best), first);
}
