/** Chains over the test keys: what a policy says, compiled and run, without files and without HTTP. */
import { fixedClock } from '#src/core/clock.js';
import { StepTimer } from '#src/core/timer.js';
import * as steps from '#src/pipeline/builtin.js';
import {
  compileChain,
  newExchange,
  runChain,
  type Chain,
  type ChainPlan,
  type ChainResult,
  type CompiledChain,
  type Exchange,
  type StepModule,
} from '#src/pipeline/index.js';
import { parseName } from '#src/pki/index.js';
import type { KeyRing } from '#src/providers/index.js';
import { MemoryReplayStore } from '#src/stores/memory.js';
import { makeTrust, type Toolkit, type Trust } from '#src/wss/index.js';
import type { ReplayStore } from '#src/wss/replay.js';
import { testKey, testNow, type TestKeyName } from './pki.js';
import { testRing, testToolkit, type TestToolkitOptions } from './toolkit.js';

export const modules: ReadonlyMap<string, StepModule> = new Map(
  Object.values(steps).map((module: StepModule) => [module.name, module]),
);

/** A step as a policy writes it: a bare name, or a map with one key. */
export type StepText = string | Readonly<Record<string, object>>;

export interface ChainOptions {
  readonly kind?: 'request' | 'response';
  readonly role?: string;
  readonly mustUnderstand?: boolean;
  readonly existing?: 'refuse' | 'merge';
  readonly onFault?: ChainPlan['onFault'];
  readonly mode?: 'enforce' | 'observe';
  readonly requestVerifies?: readonly string[];
  readonly store?: ReplayStore;
  readonly startedAt?: number;
}

export interface Bench {
  readonly toolkit: Toolkit;
  readonly keys: ReadonlyMap<string, KeyRing>;
  readonly trusts: ReadonlyMap<string, Trust>;
  compile(list: readonly StepText[], options?: ChainOptions): CompiledChain;
  /** As `compile`, for a list that must be right. */
  chain(list: readonly StepText[], options?: ChainOptions): Chain;
}

export const namespaces: Readonly<Record<string, string>> = {
  wsa: 'http://www.w3.org/2005/08/addressing',
  o: 'urn:orders',
  wsse11: 'http://docs.oasis-open.org/wss/oasis-wss-wssecurity-secext-1.1.xsd',
};

const keyNames: readonly TestKeyName[] = ['client', 'server', 'ec', 'ec384', 'other', 'expired'];

/** Keys named as in test/fixtures/keys; trusts `clients`, `servers`, `anyone`, `ec`, `others`. */
export async function bench(options: TestToolkitOptions = {}): Promise<Bench> {
  const toolkit = await testToolkit(options);
  const keys = new Map<string, KeyRing>();
  for (const name of keyNames) keys.set(name, await testRing(toolkit, name));
  keys.set('certificate-only', withoutPrivateKey(await testRing(toolkit, 'server')));
  const trusts = makeTrusts(toolkit);
  const compile = (list: readonly StepText[], more: ChainOptions = {}): CompiledChain =>
    compileChain(planOf(list, more), {
      modules,
      toolkit,
      keys,
      trusts,
      namespaces,
      replay: {
        store: more.store ?? new MemoryReplayStore({ clock: toolkit.clock }),
        startedAt: more.startedAt,
      },
      requestVerifies: more.kind === 'response' ? (more.requestVerifies ?? ['verify']) : undefined,
      locate: (index, at) => `orders.yaml:${index + 1}${at === undefined ? '' : `:${at}`}`,
    });
  return {
    toolkit,
    keys,
    trusts,
    compile,
    chain(list, more) {
      const { chain, errors } = compile(list, more);
      if (chain === undefined) throw errors[0] ?? new Error('no chain and no error');
      return chain;
    },
  };
}

function withoutPrivateKey(ring: KeyRing): KeyRing {
  const entries = ring.entries.map((entry) => ({ ...entry, privateKey: undefined }));
  return { name: 'certificate-only', entries };
}

function makeTrusts(toolkit: Toolkit): ReadonlyMap<string, Trust> {
  const ca = [testKey('ca').certificate];
  const subject = (name: TestKeyName): ReturnType<typeof parseName> =>
    parseName(testKey(name).certificate.subject.toString());
  const make = (name: string, subjects: TestKeyName[], pinned: TestKeyName[] = []): [string, Trust] => [
    name,
    makeTrust(
      {
        name,
        anchors: pinned.length > 0 ? [] : ca,
        pinned: pinned.map((key) => testKey(key).certificate),
        subjects: subjects.map(subject),
        anySubject: name === 'anyone',
      },
      toolkit,
    ),
  ];
  return new Map([
    make('clients', ['client']),
    make('servers', ['server']),
    make('ec', ['ec']),
    make('anyone', []),
    make('others', [], ['other']),
  ]);
}

export function planOf(list: readonly StepText[], options: ChainOptions): ChainPlan {
  return {
    kind: options.kind ?? 'request',
    header: {
      role: options.role ?? '',
      mustUnderstand: options.mustUnderstand ?? true,
      existing: options.existing ?? 'refuse',
    },
    onFault: options.onFault ?? 'require',
    mode: options.mode ?? 'enforce',
    steps: list.map((step) => {
      const [name, options] = typeof step === 'string' ? [step, {}] : (Object.entries(step)[0] ?? ['', {}]);
      return { name, options: modules.get(name)?.schema.parse(options) ?? options };
    }),
  };
}

export interface Ran extends ChainResult {
  readonly text: string;
  readonly exchange: Exchange;
  readonly timer: StepTimer;
}

/** Runs a chain over a message. */
export async function process(chain: Chain, message: string | Uint8Array, exchange?: Exchange): Promise<Ran> {
  const bytes = typeof message === 'string' ? Buffer.from(message) : Buffer.from(message);
  const used = exchange ?? newExchange('01TEST', 'orders');
  const timer = new StepTimer(chain.toolkit.clock);
  const result = await runChain(chain, { bytes, exchange: used, timer });
  return { ...result, text: Buffer.concat(result.slices).toString(), exchange: used, timer };
}

/** Milliseconds after `testNow`. */
export const later = (millis: number): TestToolkitOptions => ({ now: testNow + millis });
export { fixedClock, testNow };

/** The policies of scenario 3, client side. */
export const protect: readonly StepText[] = [
  { timestamp: { ttl: '300s' } },
  { sign: { key: 'client', parts: ['timestamp', 'body'] } },
  { encrypt: { to: 'server', parts: ['body/content'] } },
];

/** And the server side. */
export const check: readonly StepText[] = [
  { decrypt: { key: 'server', parts: ['body/content'] } },
  { verify: { trust: 'clients', parts: ['timestamp', 'body'] } },
  'check-timestamp',
  'replay',
];

export const order = '<o:order xmlns:o="urn:orders"><o:item n="1">pencil</o:item></o:order>';
