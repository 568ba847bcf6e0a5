import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOpenssl } from '#src/providers/openssl/provider.js';
import { rsaPair } from '../../support/crypto-keys.js';
import { Pkcs11Client } from '../../support/pkcs11-client.js';
import { SoftHsm, softhsmModule } from '../../support/softhsm.js';
import { privateSuite } from '../private-suite.js';

const module = softhsmModule();

(module === undefined ? describe.skip : describe)('pkcs11 on SoftHSM', () => {
  let hsm: SoftHsm;
  let client: Pkcs11Client;
  const home = (label: string, token = 'prod', pin = '4321') => ({ module: module ?? '', token, label, pin });
  const shared = rsaPair();
  beforeAll(() => {
    hsm = new SoftHsm(module ?? '');
    hsm.token('prod');
    hsm.token('spare');
    hsm.importKey('prod', 'shared', shared.privateObject);
    hsm.importKey('spare', 'shared', shared.privateObject);
    hsm.importKey('spare', 'other', rsaPair().privateObject);
    client = new Pkcs11Client({ SOFTHSM2_CONF: hsm.conf });
  });
  afterAll(async () => {
    await client.provider.close();
    client.end();
    hsm.remove();
  });

  privateSuite({
    provider: () => client.provider,
    async load(name, { privateObject, spki }) {
      if (name === 'ed25519') return undefined;
      hsm.importKey('prod', name, privateObject);
      const opened = await client.open(home(name));
      expect(Buffer.from(opened.spki).equals(spki)).toBe(true);
      return opened.handle;
    },
  });

  it('shares the work of one key among tokens', async () => {
    const { handle } = await client.open(home('shared'), home('shared', 'spare'));
    expect(await client.ask({ what: 'facts' })).toEqual({ width: 8 });
    const reference = createOpenssl().publicOperations!;
    const key = reference.importPublicKey(shared.spki);
    const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' } as const;
    const texts = Array.from({ length: 40 }, (_, index) => Buffer.from(`text ${index}`));
    const signed = await Promise.all(
      texts.map((text) => client.provider.privateOperations!.sign(algorithm, handle, text)),
    );
    for (const [index, signature] of signed.entries()) {
      expect(reference.verify(algorithm, key, signature, texts[index]!)).toBe(true);
    }
  });

  it.each([
    [
      'KEY_MISMATCH',
      [
        ['shared', 'prod', '4321'],
        ['other', 'spare', '4321'],
      ],
      /spare/,
    ],
    ['KEY_ALIAS_MISSING', [['nobody', 'prod', '4321']], /no private key labelled nobody/],
    ['PROVIDER_UNAVAILABLE', [['shared', 'test', '4321']], /no token .* labelled test; it has .*prod/],
    ['KEY_HOME_MISSING', [], /needs a token/],
  ] as const)('says %s', async (code, homes, message) => {
    const opening = client.open(...homes.map(([label, token, pin]) => home(label, token, pin)));
    await expect(opening).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });

  it('says that the PIN is wrong, and that a module is missing', async () => {
    const fresh = new Pkcs11Client({ SOFTHSM2_CONF: hsm.conf });
    await expect(fresh.open(home('shared', 'prod', '0000'))).rejects.toMatchObject({
      code: 'KEY_PASSWORD_WRONG',
    });
    await expect(fresh.open({ ...home('shared'), module: '/nowhere/lib.so' })).rejects.toMatchObject({
      code: 'PROVIDER_UNAVAILABLE',
      details: { module: '/nowhere/lib.so' },
    });
    expect((await fresh.open(home('shared'))).handle.bits).toBe(2048);
    await fresh.provider.close();
    fresh.end();
  });
});
