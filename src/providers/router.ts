/** Public work on one provider, private work where the key lives. */
import { CountersignError } from '../core/errors.js';
import type { PartTimer } from '../core/timer.js';
import type {
  Crypto,
  CryptoProvider,
  KeyFacts,
  KeyHandle,
  Operation,
  PrivateOperations,
  PublicOperations,
} from './contract.js';
import { unsupported } from './failures.js';

/** Lets `width` pieces of work run at a time; the others wait in order. */
class Queue {
  readonly #width: () => number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(width: () => number) {
    this.#width = width;
  }

  /** Whether `enter` would have to wait. */
  get full(): boolean {
    return this.#running >= this.#width();
  }

  /** @returns when it is one's turn, if not at once */
  enter(): Promise<void> | undefined {
    // `leave` hands its place over, so that nobody slips in between.
    if (this.full) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#running++;
    return undefined;
  }

  leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running--;
    else next();
  }
}

interface Place {
  readonly provider: CryptoProvider;
  readonly operations: PrivateOperations;
  readonly queue: Queue;
}

const publicUses: ReadonlySet<Operation['use']> = new Set([
  'verify',
  'encrypt',
  'decrypt',
  'wrapKey',
  'digest',
]);

/**
 * Makes the toolkit's crypto.
 *
 * @param providers.public does digests, ciphers, public keys; it must be opened
 * @param providers.private where private keys may live; each opened, names distinct
 * @throws CountersignError OPERATION_UNSUPPORTED when `providers.public` has no public operations
 */
export function createCrypto(providers: {
  readonly public: CryptoProvider;
  readonly private: readonly CryptoProvider[];
}): Crypto {
  const operations = providers.public.publicOperations;
  if (operations === undefined) throw unsupported(providers.public.name, 'public operations');
  const places = new Map<string, Place>();
  for (const provider of [providers.public, ...providers.private]) {
    const own = provider.privateOperations;
    if (own === undefined || places.has(provider.name)) continue;
    places.set(provider.name, { provider, operations: own, queue: new Queue(() => own.width) });
  }
  return Object.freeze<Crypto>({
    ...pick(operations),
    provider: providers.public.name,
    async sign(algorithm, key, data, timer) {
      return inPlace(placeOf(places, key), { key, timer, home: providers.public.name }, (own) =>
        own.sign(algorithm, key, data),
      );
    },
    async unwrapKey(algorithm, key, wrapped, bits, timer) {
      const bytes = await inPlace(placeOf(places, key), { key, timer, home: providers.public.name }, (own) =>
        own.unwrapKey(algorithm, key, wrapped, bits),
      );
      const handle = operations.importSecretKey(bytes);
      bytes.fill(0);
      return handle;
    },
    supports: (operation, key) => supports(providers.public, places, operation, key),
  });
}

function pick(operations: PublicOperations): PublicOperations {
  return {
    importPublicKey: (spki) => operations.importPublicKey(spki),
    importSecretKey: (bytes) => operations.importSecretKey(bytes),
    digest: (hash, bytes) => operations.digest(hash, bytes),
    createDigest: (hash) => operations.createDigest(hash),
    mac: (hash, key, data) => operations.mac(hash, key, data),
    verify: (algorithm, key, signature, data) => operations.verify(algorithm, key, signature, data),
    createEncryptor: (algorithm, key) => operations.createEncryptor(algorithm, key),
    createDecryptor: (algorithm, key, tag) => operations.createDecryptor(algorithm, key, tag),
    wrapKey: (algorithm, key, bytes) => operations.wrapKey(algorithm, key, bytes),
    unwrapSecret: (algorithm, key, wrapped) => operations.unwrapSecret(algorithm, key, wrapped),
  };
}

function placeOf(places: ReadonlyMap<string, Place>, key: KeyHandle): Place {
  const place = places.get(key.provider);
  if (place !== undefined && key.visibility !== 'public') return place;
  throw new CountersignError(
    'PROVIDER_FAILED',
    `a ${key.visibility} key of provider ${key.provider} was given for private work`,
    { details: { provider: key.provider } },
  );
}

async function inPlace(
  place: Place,
  call: { readonly key: KeyHandle; readonly timer: PartTimer; readonly home: string },
  work: (operations: PrivateOperations) => Promise<Uint8Array>,
): Promise<Uint8Array> {
  const { timer } = call;
  if (place.provider.name !== call.home) timer.label({ provider: place.provider.name });
  const turn = place.queue.enter();
  if (turn !== undefined) {
    timer.part('wait');
    await turn;
  }
  timer.part('private-key');
  try {
    return await work(place.operations);
  } finally {
    timer.part(undefined);
    place.queue.leave();
  }
}

function supports(
  home: CryptoProvider,
  places: ReadonlyMap<string, Place>,
  operation: Operation,
  key: KeyFacts | undefined,
): boolean {
  if (publicUses.has(operation.use) || withSecret(operation)) return home.supports(operation, key);
  if (key === undefined || !('provider' in key) || typeof key.provider !== 'string') {
    return [...places.values()].some(({ provider }) => provider.supports(operation, key));
  }
  return places.get(key.provider)?.provider.supports(operation, key) ?? false;
}

/** HMAC and AES key wrap are secret-key work, wherever the private keys live. */
function withSecret(operation: Operation): boolean {
  return 'algorithm' in operation && ['HMAC', 'AES-KW'].includes(operation.algorithm.name);
}
