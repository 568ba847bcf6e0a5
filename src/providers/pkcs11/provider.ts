import { equal } from '../../core/bytes.js';
import type { DigestFunction } from '../../core/contracts.js';
import { CountersignError } from '../../core/errors.js';
import { createRandom } from '../../core/random.js';
import type { CryptoProvider, KeyFacts, KeyHandle, Operation, PrivateOperations } from '../contract.js';
import { fitsKind } from '../kinds.js';
import { Pkcs11Key, type Place } from './keys.js';
import { loadLibrary, openModule, type Module } from './library.js';
import { findKey, type FoundKey } from './objects.js';
import { sign, type Tools, unwrapKey } from './operations.js';
import { NAME, Token } from './token.js';

/** Where a key is. */
export interface HsmHome {
  /** Path of the PKCS#11 module. */
  readonly module: string;
  /** Label of the token. */
  readonly token: string;
  /** Label of the private key. */
  readonly label: string;
  readonly pin: string;
}

/** An opened key. */
export interface HsmKey {
  readonly handle: KeyHandle;
  /** SubjectPublicKeyInfo (DER) as the token tells it. */
  readonly spki: Uint8Array;
  /** Certificates (DER) on the token that carry the key's id or label; often none. */
  readonly certificates: readonly Uint8Array[];
}

/** The provider whose private keys stay on PKCS#11 tokens. It has no public operations. */
export interface Pkcs11Provider extends CryptoProvider {
  /**
   * Opens the key that is at `homes`: one token, or several that hold the same key and share the work.
   *
   * @throws CountersignError PROVIDER_UNAVAILABLE (package, module, token), KEY_PASSWORD_WRONG (PIN),
   *   KEY_ALIAS_MISSING (label), KEY_FILE_MALFORMED (a key of a kind that is not used), KEY_MISMATCH (not the same key)
   */
  openKey(homes: readonly HsmHome[]): Promise<HsmKey>;
}

/** 2 to 4 sessions fill two cores (perf/README.md). */
const SESSIONS = 4;

export interface Pkcs11Options {
  /** Hashes outside the token: the fallback provider's. */
  readonly digest: DigestFunction;
  /** How many operations run at a time on one token. */
  readonly sessions?: number;
}

/** The provider on PKCS#11 tokens: private keys only. A token is opened with the first key on it. */
export function createPkcs11(options: Pkcs11Options): Pkcs11Provider {
  const sessions = options.sessions ?? SESSIONS;
  const tokens = new Map<string, { readonly token: Token; readonly module: Module }>();
  const tools: Tools = { digest: options.digest, random: createRandom(), refused: new Set() };

  const openToken = async (home: HsmHome): Promise<Token> => {
    const name = JSON.stringify([home.module, home.token]);
    const known = tokens.get(name);
    if (known !== undefined) return known.token;
    const module = await openModule(home.module);
    // Someone else may have opened it while the module was loaded.
    const meanwhile = tokens.get(name);
    if (meanwhile !== undefined) {
      module.release();
      return meanwhile.token;
    }
    try {
      const token = new Token(module, home, sessions);
      tokens.set(name, { token, module });
      return token;
    } catch (error) {
      module.release();
      throw error;
    }
  };

  const privateOperations: PrivateOperations = {
    /** Grows with the tokens that are opened. */
    get width(): number {
      return sessions * Math.max(1, tokens.size);
    },
    sign: (algorithm, key, data) => sign(algorithm, key, data, tools),
    unwrapKey: (algorithm, key, wrapped, bits) =>
      unwrapKey(algorithm, key, { wrapped, length: bits / 8 }, tools),
  };

  return Object.freeze<Pkcs11Provider>({
    name: NAME,
    supports,
    async open() {
      await loadLibrary();
    },
    close() {
      for (const { token, module } of tokens.values()) {
        token.close();
        module.release();
      }
      tokens.clear();
      return Promise.resolve();
    },
    privateOperations: Object.freeze(privateOperations),
    async openKey(homes) {
      const found: { readonly place: Place; readonly key: FoundKey }[] = [];
      for (const home of homes) {
        const token = await openToken(home);
        const key = findKey(token, home.label);
        found.push({ place: { token, object: key.object }, key });
      }
      return join(found);
    },
  });
}

function join(found: readonly { readonly place: Place; readonly key: FoundKey }[]): HsmKey {
  const [first, ...rest] = found;
  if (first === undefined) throw new CountersignError('KEY_HOME_MISSING', 'a key on a token needs a token');
  const other = rest.find(({ key }) => !equal(key.spki, first.key.spki));
  if (other !== undefined) {
    throw new CountersignError(
      'KEY_MISMATCH',
      `tokens ${first.place.token.label} and ${other.place.token.label} do not hold the same key`,
    );
  }
  const { facts, spki, modulus } = first.key;
  const handle = new Pkcs11Key(facts, {
    places: found.map(({ place }) => place),
    size: modulus.length,
    modulus,
    rejection: undefined,
  });
  return { handle, spki, certificates: found.flatMap(({ key }) => key.certificates) };
}

/** What the provider can ask of a token; whether that token does it shows when it is asked. */
function supports(operation: Operation, key?: KeyFacts): boolean {
  if (operation.use !== 'sign' && operation.use !== 'unwrapKey') return false;
  if (operation.use === 'unwrapKey') return operation.algorithm.name !== 'AES-KW' && fitsKind(operation, key);
  const { algorithm } = operation;
  if (algorithm.name === 'Ed25519' || algorithm.name === 'HMAC') return false;
  return fitsKind(operation, key);
}
