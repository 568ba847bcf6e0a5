import { describe, expect, it } from '@jest/globals';
import { collectRows, type ListSource } from '#src/cli/keys/collect.js';
import type { ChainConfig, StepConfig } from '#src/policy/config.js';
import type { KeyDeclaration, KeyOpening } from '#src/providers/index.js';
import { createOpenssl } from '#src/providers/openssl/provider.js';
import { testKey, type TestKeyName, testNow } from '../../support/pki.js';

const openssl = createOpenssl();
const opening: KeyOpening = {
  provider: 'openssl',
  public: openssl.publicOperations!,
  private: openssl.privateOperations,
  tokens: undefined,
  now: testNow,
};
const key = (name: TestKeyName, withKey = true): KeyDeclaration => ({
  name,
  entries: [
    {
      file: {
        store: 'pem',
        certificate: testKey(name).certificateFile,
        key: withKey ? testKey(name).keyFile : undefined,
        password: undefined,
      },
      hsm: [],
      from: undefined,
    },
  ],
});
const at = { file: 'f', line: 1, column: 1 };
const chain = (...steps: readonly (readonly [string, unknown])[]): ChainConfig => ({
  kind: 'request',
  header: { role: '', mustUnderstand: true, existing: 'refuse' },
  onFault: 'require',
  mode: 'enforce',
  path: [],
  steps: steps.map(([name, options]): StepConfig => ({ name, options, at, path: [] })),
  at,
});

describe('keys list', () => {
  const source: ListSource = {
    keys: [key('client'), key('server', false), key('expired')],
    trusts: [
      { name: 'partners', anchors: [testKey('ca').certificateFile], certificates: ['/nonexistent.pem'] },
    ],
    services: [
      {
        name: 'orders',
        upstream: { url: 'https://x/', tls: { ca: [], key: 'client' }, transport: 'undici' },
        request: chain(['sign', { key: 'client' }], ['encrypt', { to: 'server' }]),
        response: chain(['verify', { trust: 'partners' }], ['check-timestamp', {}]),
      },
    ],
    listenerKey: 'client',
    lastUses: { keys: new Map([['client', 'a']]), steps: new Map([['orders response verify', 'b']]) },
  };

  it('lists keys and trusts, what uses them, and what is wrong with them', async () => {
    const rows = await collectRows(source, opening);
    expect(rows).toMatchObject([
      {
        role: 'key',
        name: 'client',
        privateKey: true,
        uses: ['listener tls', 'orders request sign', 'orders upstream tls'],
        lastUse: 'a',
        certificate: { state: 'valid' },
      },
      {
        role: 'key',
        name: 'server',
        privateKey: false,
        uses: ['orders request encrypt'],
        lastUse: undefined,
      },
      { role: 'key', name: 'expired', uses: [], certificate: { state: 'expired' } },
      {
        role: 'anchor',
        name: 'partners',
        uses: ['orders response verify'],
        lastUse: 'b',
        certificate: { ca: true },
      },
      { role: 'pinned', name: 'partners', certificate: undefined, problem: { code: 'KEY_FILE_UNREADABLE' } },
    ]);
  });

  it('says that a token cannot be reached and goes on', async () => {
    const home = { module: 'm', token: 't', label: 'l', uri: undefined, pin: () => '1' };
    const vault = { name: 'vault', entries: [{ file: undefined, hsm: [home], from: undefined }] };
    const rows = await collectRows({ ...source, keys: [vault, key('client')], trusts: [] }, opening);
    expect(rows).toMatchObject([
      { name: 'vault', home: 'token t / l', problem: { code: 'PROVIDER_UNAVAILABLE' } },
      { name: 'client', problem: undefined },
    ]);
  });
});
