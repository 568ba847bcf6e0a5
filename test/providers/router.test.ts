import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fixedClock } from '#src/core/clock.js';
import { StepTimer } from '#src/core/timer.js';
import { noTimer } from '#src/core/timer.js';
import type { CryptoProvider, KeyHandle, WrapAlgorithm } from '#src/providers/contract.js';
import { createJs } from '#src/providers/js/provider.js';
import { createOpenssl } from '#src/providers/openssl/provider.js';
import { createCrypto } from '#src/providers/router.js';
import { ecPair, edPair, rsaPair } from '../support/crypto-keys.js';

const openssl = createOpenssl();
const js = createJs();
beforeAll(() => js.open());
afterAll(() => openssl.close());

describe('providers agree', () => {
  const pairs = [
    [openssl, js],
    [js, openssl],
  ].map(([one, two]) => [one!.name, two!.name, one!, two!] as const);
  const data = randomBytes(3000);

  it.each(pairs)('what %s signs, %s verifies', async (_, __, one, two) => {
    const cases = [
      [rsaPair(), { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }],
      [rsaPair(1024), { name: 'RSA-PSS', hash: 'SHA-384', mgfHash: 'SHA-384', saltLength: 48 }],
      [rsaPair(3072), { name: 'RSA-PSS', hash: 'SHA-512', mgfHash: 'SHA-1', saltLength: 20 }],
      [rsaPair(2047), { name: 'RSA-PSS', hash: 'SHA-256', mgfHash: 'SHA-256', saltLength: 32 }],
      [rsaPair(2049), { name: 'RSA-PSS', hash: 'SHA-256', mgfHash: 'SHA-256', saltLength: 0 }],
      [ecPair('P-256'), { name: 'ECDSA', hash: 'SHA-512', format: 'p1363' }],
      [ecPair('P-384'), { name: 'ECDSA', hash: 'SHA-256', format: 'der' }],
      [ecPair('P-521'), { name: 'ECDSA', hash: 'SHA-512', format: 'p1363' }],
      [edPair(), { name: 'Ed25519' }],
    ] as const;
    for (const [pair, algorithm] of cases) {
      const key = await one.privateOperations!.importPrivateKey!(pair.pkcs8);
      const signature = await one.privateOperations!.sign(algorithm, key, data);
      for (const provider of [one, two]) {
        const own = provider.publicOperations!;
        const publicKey = own.importPublicKey(pair.spki);
        expect(own.verify(algorithm, publicKey, signature, data)).toBe(true);
        const bad = Buffer.from(signature);
        bad[bad.length - 1]! ^= 1;
        expect(own.verify(algorithm, publicKey, bad, data)).toBe(false);
        expect(own.verify(algorithm, publicKey, bad.subarray(1), data)).toBe(false);
      }
    }
  });

  it.each(pairs)('what %s wraps, %s unwraps', async (_, __, one, two) => {
    const algorithms: WrapAlgorithm[] = [
      { name: 'RSA-OAEP', hash: 'SHA-1', mgfHash: 'SHA-1' },
      { name: 'RSA-OAEP', hash: 'SHA-256', mgfHash: 'SHA-1', label: Buffer.from('l') },
      { name: 'RSA-OAEP', hash: 'SHA-512', mgfHash: 'SHA-512' },
      { name: 'RSAES-PKCS1-v1_5' },
    ];
    for (const bits of [2048, 2049, 3072]) {
      const pair = rsaPair(bits);
      const key = await two.privateOperations!.importPrivateKey!(pair.pkcs8);
      const publicKey = one.publicOperations!.importPublicKey(pair.spki);
      for (const algorithm of algorithms) {
        const secret = randomBytes(32);
        const wrapped = one.publicOperations!.wrapKey(algorithm, publicKey, secret);
        expect(wrapped).toHaveLength(Math.ceil(publicKey.bits / 8));
        const plain = await two.privateOperations!.unwrapKey(algorithm, key, wrapped, 256);
        expect(Buffer.from(plain).equals(secret)).toBe(true);
      }
    }
  });

  it('and reject RSA-1.5 with the same key, so that workers of a cluster answer alike', async () => {
    const { pkcs8 } = rsaPair();
    const outcomes = await Promise.all(
      [openssl, js].map(async ({ privateOperations: own }) => {
        const key = await own!.importPrivateKey!(pkcs8);
        return own!.unwrapKey({ name: 'RSAES-PKCS1-v1_5' }, key, Buffer.alloc(256, 1), 128);
      }),
    );
    expect(Buffer.from(outcomes[0]!).equals(outcomes[1]!)).toBe(true);
  });

  it('refuse to wrap for a key that is too short', () => {
    const { spki } = rsaPair(512);
    for (const { publicOperations: own } of [openssl, js]) {
      const key = own!.importPublicKey(spki);
      const algorithm = { name: 'RSA-OAEP', hash: 'SHA-256', mgfHash: 'SHA-1' } as const;
      expect(() => own!.wrapKey(algorithm, key, randomBytes(16))).toThrow(
        expect.objectContaining({ code: 'PROVIDER_FAILED' }),
      );
    }
  });
});

describe('createCrypto', () => {
  /** A provider whose private work ends when the test says so. */
  function slow(width: number): {
    provider: CryptoProvider;
    key: KeyHandle;
    end: () => void;
    running: () => number;
  } {
    const waiting: (() => void)[] = [];
    let running = 0;
    const key: KeyHandle = {
      kind: 'RSA',
      bits: 2048,
      visibility: 'private',
      provider: 'slow',
      uses: ['sign'],
    };
    const provider: CryptoProvider = {
      name: 'slow',
      supports: ({ use }) => use === 'sign',
      open: () => Promise.resolve(),
      close: () => Promise.resolve(),
      privateOperations: {
        width,
        async sign() {
          running++;
          await new Promise<void>((resolve) => waiting.push(resolve));
          running--;
          return new Uint8Array(1);
        },
        unwrapKey: () => Promise.resolve(new Uint8Array(16)),
      },
    };
    return { provider, key, end: () => waiting.shift()?.(), running: () => running };
  }
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' } as const;
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('lets as many run as the provider is wide, in order, and reports the wait', async () => {
    const { provider, key, end, running } = slow(2);
    const crypto = createCrypto({ public: openssl, private: [provider] });
    const done: number[] = [];
    const timers = [0, 1, 2].map((index) => {
      const timer = new StepTimer(fixedClock(0));
      timer.enter('sign');
      void crypto.sign(algorithm, key, Buffer.from('x'), timer).then(() => done.push(index));
      return timer;
    });
    await settle();
    expect(running()).toBe(2);
    end();
    await settle();
    expect([running(), done]).toEqual([2, [0]]);
    end();
    end();
    await settle();
    expect(done).toEqual([0, 1, 2]);
    const records = timers.map((timer) => {
      timer.finish();
      return timer.steps()[0]!;
    });
    expect(records.map(({ provider: used }) => used)).toEqual(['slow', 'slow', 'slow']);
    expect(records.map(({ parts }) => Object.keys(parts ?? {}))).toEqual([
      ['private-key'],
      ['private-key'],
      ['wait', 'private-key'],
    ]);
  });

  it('goes on after a failure', async () => {
    const crypto = createCrypto({ public: openssl, private: [js] });
    const key = await js.privateOperations!.importPrivateKey!(rsaPair().pkcs8);
    const attempt = (): Promise<unknown> =>
      crypto
        .unwrapKey({ name: 'RSA-OAEP', hash: 'SHA-1', mgfHash: 'SHA-1' }, key, Buffer.alloc(3), 128, noTimer)
        .catch((error: unknown) => (error as { code: string }).code);
    expect(await Promise.all([attempt(), attempt(), attempt()])).toEqual(Array(3).fill('DECRYPT_FAILED'));
  });

  it('imports what was unwrapped for the provider that does public work, and labels no provider that is its own', async () => {
    const crypto = createCrypto({ public: openssl, private: [openssl, js] });
    const pair = rsaPair();
    const wrapped = crypto.wrapKey(
      { name: 'RSA-OAEP', hash: 'SHA-1', mgfHash: 'SHA-1' },
      crypto.importPublicKey(pair.spki),
      randomBytes(16),
    );
    for (const provider of [openssl, js]) {
      const key = await provider.privateOperations!.importPrivateKey!(pair.pkcs8);
      const timer = new StepTimer(fixedClock(0));
      timer.enter('decrypt');
      const secret = await crypto.unwrapKey(
        { name: 'RSA-OAEP', hash: 'SHA-1', mgfHash: 'SHA-1' },
        key,
        wrapped,
        128,
        timer,
      );
      timer.finish();
      expect(secret).toMatchObject({ kind: 'secret', bits: 128, provider: 'openssl' });
      expect(timer.steps()[0]?.provider).toBe(provider === js ? 'js' : undefined);
    }
  });

  it('knows who can do what, and takes no key without a place', async () => {
    const { provider, key } = slow(1);
    const crypto = createCrypto({ public: openssl, private: [provider] });
    expect(crypto.provider).toBe('openssl');
    expect(crypto.supports({ use: 'sign', algorithm }, key)).toBe(true);
    expect(crypto.supports({ use: 'unwrapKey', algorithm: { name: 'RSAES-PKCS1-v1_5' } }, key)).toBe(false);
    expect(crypto.supports({ use: 'unwrapKey', algorithm: { name: 'AES-KW' } })).toBe(true);
    expect(crypto.supports({ use: 'verify', algorithm }, { kind: 'EC', bits: 256 })).toBe(false);
    const lost = await js.privateOperations!.importPrivateKey!(ecPair('P-256').pkcs8);
    await expect(crypto.sign(algorithm, lost, Buffer.alloc(1), noTimer)).rejects.toMatchObject({
      code: 'PROVIDER_FAILED',
    });
    const open = crypto.importPublicKey(rsaPair().spki);
    await expect(crypto.sign(algorithm, open, Buffer.alloc(1), noTimer)).rejects.toMatchObject({
      code: 'PROVIDER_FAILED',
    });
    expect(() => createCrypto({ public: provider, private: [] })).toThrow(
      expect.objectContaining({ code: 'OPERATION_UNSUPPORTED' }),
    );
  });
});
