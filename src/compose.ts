/**
 * The composition root: the only file that knows the lists of built-in units. It makes their tables, opens providers
 * and joins everything into what the server and the commands run.
 */
import { systemClock, type Clock } from './core/clock.js';
import { CountersignError } from './core/errors.js';
import { createRandom } from './core/random.js';
import { makeTable } from './core/table.js';
import * as steps from './pipeline/builtin.js';
import type { StepModule } from './pipeline/index.js';
import { compile, type CompiledConfig } from './policy/compile.js';
import type { GatewayConfig, ProviderId } from './policy/config.js';
import { isReasonFor, renderDiagnostic, type Diagnostic } from './policy/diagnostics.js';
import type { PolicyTables } from './policy/load-service.js';
import { loadConfig, type LoadedConfig } from './policy/load.js';
import * as providers from './providers/builtin.js';
import {
  createCrypto,
  tokenOpener,
  type Crypto,
  type CryptoProvider,
  type KeyOpening,
} from './providers/index.js';
import type { TokenOpener } from './providers/stores/homes.js';
import type { GatewayParts } from './server/gateway.js';
import type { RefusalReason } from './server/routes.js';
import { MemoryReplayStore } from './stores/index.js';
import * as algorithms from './wss/algorithms/builtin.js';
import { makeAlgorithmTable, type ExceptionUse } from './wss/index.js';
import type { ReplayStore } from './wss/replay.js';
import * as tokens from './wss/tokens/builtin.js';
import { createCertificateReader } from './wss/tokens/certificates.js';
import { makeTokenTable } from './wss/tokens/module.js';

export interface ComposeOptions {
  /** The gateway file, or the same as an object. */
  readonly config: string | object;
  /** Says otherwise than the configuration. */
  readonly provider?: ProviderId | undefined;
  /** The machine's clock, if not given. */
  readonly clock?: Clock | undefined;
  /** How many processes share the listener. */
  readonly workers?: number | undefined;
  /** For a configuration given as an object: what its paths are relative to. */
  readonly base?: string | undefined;
  /** Opens no token. */
  readonly offline?: boolean | undefined;
  /** The listeners will be opened, or it is checked whether they could: their tokens must be there. */
  readonly listens?: boolean | undefined;
  /** A process that goes on (`serve`): a replay store in memory then refuses messages from before its start. */
  readonly longRunning?: boolean | undefined;
  /** Where replayed messages are told; in memory, if not given. */
  readonly store?: ReplayStore | undefined;
  /** Told of each use of an algorithm that is allowed by exception; must be cheap. */
  readonly onException?: ((service: string, use: ExceptionUse) => void) | undefined;
}

export interface Composition {
  readonly loaded: LoadedConfig;
  readonly compiled: CompiledConfig;
  /** What the server runs; undefined when the configuration does not let the gateway start. */
  readonly parts: GatewayParts | undefined;
  /** Closes providers. */
  close(): Promise<void>;
}

/** The tables that policy files are checked against. */
export function policyTables(): PolicyTables {
  const modules: readonly StepModule[] = Object.values(steps);
  return {
    steps: makeTable('step', modules, (module) => module.name),
    algorithms: makeAlgorithmTable(algorithms),
  };
}

/**
 * Loads, opens and compiles a configuration. What it says wrongly is in the diagnostics of `compiled`.
 *
 * @throws CountersignError PROVIDER_UNAVAILABLE
 */
export async function compose(options: ComposeOptions): Promise<Composition> {
  const clock = options.clock ?? systemClock;
  const tables = policyTables();
  const { provider, workers, base } = options;
  const loaded = loadConfig(options.config, { tables, clock, provider, workers, base });
  const { gateway } = loaded;
  const random = createRandom();
  const opened = await openProviders(gateway, options.offline === true);
  const { crypto } = opened;
  const certificates = createCertificateReader();
  const tokenTable = makeTokenTable(tokens);
  const compiled = await compile(loaded, {
    tables,
    opening: { ...opened.opening, now: clock.now() },
    replay: {
      store: options.store ?? new MemoryReplayStore({ clock }),
      startedAt: options.longRunning === true ? clock.now() : undefined,
    },
    toolkit: (limits, constraints) =>
      Object.freeze({
        clock,
        random,
        crypto,
        limits,
        algorithms: tables.algorithms,
        constraints,
        certificates,
        tokens: tokenTable,
      }),
    ...(options.onException === undefined ? {} : { onException: options.onException }),
    offline: options.offline === true,
    listens: options.listens === true,
  }).catch(async (error: unknown) => {
    await opened.close();
    throw error;
  });
  const close = (): Promise<void> => opened.close();
  return { loaded, compiled, parts: partsOf(compiled, { clock, random, crypto, close }), close };
}

function partsOf(
  { config, services, refused, keys, tlsKeys, diagnostics }: CompiledConfig,
  rest: Pick<GatewayParts, 'clock' | 'random' | 'close'> & { readonly crypto: Crypto },
): GatewayParts | undefined {
  if (config === undefined) return undefined;
  const { clock, random, close, crypto } = rest;
  return {
    config,
    services,
    refused: refused.map(({ name, path }) => ({ name, path, reasons: reasonsFor(name, diagnostics) })),
    keys,
    tlsKey(name) {
      const key = tlsKeys.get(name);
      if (key !== undefined) return { ...key, passphrase: undefined };
      throw new CountersignError('KEY_HOME_MISSING', `the key ${name} was not opened for TLS`);
    },
    clock,
    random,
    digest: (hash, bytes) => crypto.digest(hash, bytes),
    close,
  };
}

function reasonsFor(name: string, diagnostics: readonly Diagnostic[]): RefusalReason[] {
  return diagnostics
    .filter((diagnostic) => isReasonFor(diagnostic, name))
    .map((diagnostic) => ({ code: diagnostic.code, message: renderDiagnostic(diagnostic) }));
}

interface OpenedProviders {
  readonly crypto: Crypto;
  readonly opening: Omit<KeyOpening, 'now'>;
  close(): Promise<void>;
}

/** The provider that the policy names, and the token provider where a key needs it (design/policy.md, Keys). */
async function openProviders(gateway: GatewayConfig | undefined, offline: boolean): Promise<OpenedProviders> {
  const provider = gateway?.provider ?? 'openssl';
  const main = await providers[provider === 'pkcs11' ? (gateway?.fallback ?? 'openssl') : provider]();
  await main.open();
  const opened = [main];
  let tokenOpener: TokenOpener | undefined;
  if (gateway !== undefined && !offline && needsTokens(gateway)) {
    const { hsm, opener } = await openPkcs11(main);
    tokenOpener = opener;
    opened.push(hsm);
  }
  const operations = main.publicOperations;
  if (operations === undefined) throw new Error(`provider ${main.name} does no public work`);
  return {
    crypto: createCrypto({ public: main, private: opened }),
    opening: {
      provider,
      public: operations,
      private: provider === 'pkcs11' ? undefined : main.privateOperations,
      tokens: tokenOpener,
    },
    async close() {
      for (const one of opened) await one.close();
    },
  };
}

function needsTokens({ keys, provider }: GatewayConfig): boolean {
  if (provider === 'pkcs11') return true;
  const declared = [...keys.values()].flatMap(({ entries }) => entries);
  // A PEM certificate without a key leaves the private half to the token.
  return declared.some(
    ({ file, hsm }) =>
      hsm.length > 0 && (file === undefined || (file.store === 'pem' && file.key === undefined)),
  );
}

async function openPkcs11(main: CryptoProvider): Promise<{ hsm: CryptoProvider; opener: TokenOpener }> {
  const operations = main.publicOperations;
  if (operations === undefined) throw new Error(`provider ${main.name} does no public work`);
  const hsm = await providers.pkcs11({ digest: (hash, bytes) => operations.digest(hash, bytes) });
  await hsm.open();
  return { hsm, opener: tokenOpener(hsm) };
}
