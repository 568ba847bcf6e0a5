import { constants, publicEncrypt, randomBytes, verify as nodeVerify } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type {
  CryptoProvider,
  HashName,
  KeyHandle,
  PrivateOperations,
  SignatureAlgorithm,
  WrapAlgorithm,
} from '#src/providers/contract.js';
import { createOpenssl } from '#src/providers/openssl/provider.js';
import { ecPair, edPair, rsaPair, type Pair } from '../support/crypto-keys.js';

/** A provider under test and how a private key gets into it; undefined where it takes no key of that kind. */
export interface Subject {
  readonly provider: () => CryptoProvider;
  readonly load: (name: string, pair: Pair) => Promise<KeyHandle | undefined>;
}

const oaepHashes: readonly HashName[] = ['SHA-1', 'SHA-256', 'SHA-384', 'SHA-512'];
const signatures: readonly SignatureAlgorithm[] = [
  ...(['SHA-1', 'SHA-224', 'SHA-256', 'SHA-384', 'SHA-512', 'SHA3-256'] as const).map(
    (hash) => ({ name: 'RSASSA-PKCS1-v1_5', hash }) as const,
  ),
  ...(['SHA-1', 'SHA-256', 'SHA-384', 'SHA-512'] as const).map(
    (hash) => ({ name: 'RSA-PSS', hash, mgfHash: hash, saltLength: 32 }) as const,
  ),
  { name: 'RSA-PSS', hash: 'SHA-256', mgfHash: 'SHA-1', saltLength: 20 },
];

const label = (value: object): string =>
  JSON.stringify(value, (_, inner: unknown) => (ArrayBuffer.isView(inner) ? 'label' : inner));

/** What every provider with private operations must do. Skips are said. */
export function privateSuite(subject: Subject): void {
  const judge = createOpenssl();
  const reference = judge.publicOperations!;
  const operations = (): PrivateOperations => {
    const own = subject.provider().privateOperations;
    if (own === undefined) throw new Error('no private operations');
    return own;
  };
  const data = randomBytes(5000);

  describe('RSA', () => {
    const pair = rsaPair();
    const publicKey = reference.importPublicKey(pair.spki);
    let key: KeyHandle;
    beforeAll(async () => {
      key = (await subject.load('rsa', pair))!;
    });

    it('shows facts only', () => {
      expect(key).toMatchObject({
        kind: 'RSA',
        bits: 2048,
        visibility: 'private',
        provider: subject.provider().name,
      });
      const shown = JSON.stringify(key);
      expect(shown.length).toBeLessThan(250);
    });

    it.each(signatures.map((algorithm) => [label(algorithm), algorithm] as const))(
      'signs %s',
      async (_, algorithm) => {
        if (!subject.provider().supports({ use: 'sign', algorithm }, key)) {
          await expect(operations().sign(algorithm, key, data)).rejects.toMatchObject({
            code: 'OPERATION_UNSUPPORTED',
          });
          return;
        }
        const signature = await operations().sign(algorithm, key, data);
        expect(reference.verify(algorithm, publicKey, signature, data)).toBe(true);
        expect(reference.verify(algorithm, publicKey, signature, data.subarray(1))).toBe(false);
      },
    );

    const wraps: readonly WrapAlgorithm[] = [
      ...oaepHashes.flatMap((hash) =>
        oaepHashes.map((mgfHash) => ({ name: 'RSA-OAEP', hash, mgfHash }) as const),
      ),
      { name: 'RSA-OAEP', hash: 'SHA-1', mgfHash: 'SHA-1', label: Buffer.from('a label') },
      { name: 'RSA-OAEP', hash: 'SHA-256', mgfHash: 'SHA-1', label: Buffer.from('a label') },
      { name: 'RSA-OAEP', hash: 'SHA3-256', mgfHash: 'SHA3-256' },
      { name: 'RSAES-PKCS1-v1_5' },
    ];
    it.each(wraps.map((algorithm) => [label(algorithm), algorithm] as const))(
      'unwraps %s',
      async (_, algorithm) => {
        for (const size of [16, 24, 32]) {
          const secret = randomBytes(size);
          const wrapped = reference.wrapKey(algorithm, publicKey, secret);
          const plain = await operations().unwrapKey(algorithm, key, wrapped, size * 8);
          expect(Buffer.from(plain).equals(secret)).toBe(true);
        }
      },
    );

    it('unwraps what node:crypto wraps', async () => {
      const secret = randomBytes(16);
      const wrapped = publicEncrypt(
        {
          key: pair.publicObject,
          padding: constants.RSA_PKCS1_OAEP_PADDING,
          oaepHash: 'sha256',
          oaepLabel: Buffer.from('x'),
        },
        secret,
      );
      const algorithm = {
        name: 'RSA-OAEP',
        hash: 'SHA-256',
        mgfHash: 'SHA-256',
        label: Buffer.from('x'),
      } as const;
      expect(Buffer.from(await operations().unwrapKey(algorithm, key, wrapped, 128)).equals(secret)).toBe(
        true,
      );
    });

    it('refuses a ciphertext that lost its leading zero', async () => {
      for (const hash of ['SHA-256', 'SHA-1'] as const) {
        const algorithm = { name: 'RSA-OAEP', hash: 'SHA-256', mgfHash: hash } as const;
        let whole: Uint8Array;
        do whole = reference.wrapKey(algorithm, publicKey, randomBytes(16));
        while (whole[0] !== 0);
        expect((await operations().unwrapKey(algorithm, key, whole, 128)).length).toBe(16);
        await expect(operations().unwrapKey(algorithm, key, whole.subarray(1), 128)).rejects.toMatchObject({
          code: 'DECRYPT_FAILED',
        });
      }
    });

    it.each(
      wraps
        .filter(({ name }) => name === 'RSA-OAEP')
        .map((algorithm) => [label(algorithm), algorithm] as const),
    )('fails %s the same way whatever is wrong', async (_, algorithm) => {
      if (algorithm.name !== 'RSA-OAEP') return;
      const good = reference.wrapKey(algorithm, publicKey, randomBytes(16));
      const flipped = Buffer.from(good);
      flipped[200]! ^= 4;
      const attempts: [WrapAlgorithm, Uint8Array, number][] = [
        [algorithm, flipped, 128],
        [algorithm, good, 256],
        [algorithm, good.subarray(1), 128],
        [algorithm, Buffer.concat([good, Buffer.alloc(1)]), 128],
        [algorithm, Buffer.alloc(256, 0xff), 128],
        [algorithm, Buffer.alloc(256), 128],
        [algorithm, Buffer.alloc(0), 128],
        [{ ...algorithm, label: Buffer.from('other') }, good, 128],
        [{ ...algorithm, hash: algorithm.hash === 'SHA-1' ? 'SHA-224' : 'SHA-1' }, good, 128],
        [{ ...algorithm, mgfHash: algorithm.mgfHash === 'SHA-1' ? 'SHA-224' : 'SHA-1' }, good, 128],
        [algorithm, reference.wrapKey({ name: 'RSAES-PKCS1-v1_5' }, publicKey, randomBytes(16)), 128],
      ];
      const outcomes = new Set<string>();
      for (const [used, wrapped, bits] of attempts) {
        outcomes.add(
          await operations()
            .unwrapKey(used, key, wrapped, bits)
            .then(
              () => 'accepted',
              (error: unknown) => {
                const { code, message, cause, details } = error as Record<string, unknown>;
                return JSON.stringify({ code, message, cause, details });
              },
            ),
        );
      }
      expect([...outcomes]).toEqual([expect.stringContaining('DECRYPT_FAILED')]);
    });

    it('rejects RSA-1.5 implicitly: a key of the asked length, the same each time', async () => {
      const algorithm = { name: 'RSAES-PKCS1-v1_5' } as const;
      const secret = randomBytes(16);
      const good = reference.wrapKey(algorithm, publicKey, secret);
      const unwrap = async (wrapped: Uint8Array, bits: number): Promise<string> => {
        const plain = await operations().unwrapKey(algorithm, key, wrapped, bits);
        expect(plain).toHaveLength(bits / 8);
        return Buffer.from(plain).toString('hex');
      };
      expect(await unwrap(good, 128)).toBe(secret.toString('hex'));
      const seen = new Set([secret.toString('hex')]);
      const flipped = Buffer.from(good);
      flipped[9]! ^= 1;
      const shortPadding = Buffer.alloc(256, 7);
      for (const [wrapped, bits] of [
        [flipped, 128],
        [good, 256],
        [good, 192],
        [good.subarray(1), 128],
        [Buffer.alloc(256, 0xff), 128],
        [Buffer.alloc(256), 128],
        [shortPadding, 128],
      ] as const) {
        const first = await unwrap(wrapped, bits);
        expect(await unwrap(wrapped, bits)).toBe(first);
        expect(seen.has(first)).toBe(false);
        seen.add(first);
      }
    });

    it('does many at a time', async () => {
      const algorithm = { name: 'RSA-OAEP', hash: 'SHA-256', mgfHash: 'SHA-1' } as const;
      const secrets = Array.from({ length: 12 }, () => randomBytes(32));
      const plains = await Promise.all(
        secrets.map((secret) =>
          operations().unwrapKey(algorithm, key, reference.wrapKey(algorithm, publicKey, secret), 256),
        ),
      );
      for (const [index, plain] of plains.entries())
        expect(Buffer.from(plain).equals(secrets[index]!)).toBe(true);
    });
  });

  describe('other kinds', () => {
    it.each(['P-256', 'P-384', 'P-521'])('signs with %s', async (curve) => {
      const pair = ecPair(curve);
      const key = await subject.load(curve, pair);
      if (key === undefined) return;
      expect(key).toMatchObject({ kind: 'EC', curve });
      for (const hash of ['SHA-1', 'SHA-256', 'SHA-512'] as const) {
        for (const format of ['p1363', 'der'] as const) {
          const algorithm = { name: 'ECDSA', hash, format } as const;
          const signature = await operations().sign(algorithm, key, data);
          const check = {
            key: pair.publicObject,
            dsaEncoding: format === 'der' ? 'der' : 'ieee-p1363',
          } as const;
          expect(nodeVerify(hash.replace('-', ''), data, check, signature)).toBe(true);
        }
      }
      await expect(
        operations().sign({ name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }, key, data),
      ).rejects.toMatchObject({ code: 'OPERATION_UNSUPPORTED' });
    });

    it('signs with Ed25519', async () => {
      const pair = edPair();
      const key = await subject.load('ed25519', pair);
      if (key === undefined) return;
      const signature = await operations().sign({ name: 'Ed25519' }, key, data);
      expect(nodeVerify(null, data, pair.publicObject, signature)).toBe(true);
    });

    it('refuses what is no private key', async () => {
      const own = operations();
      if (own.importPrivateKey === undefined) return;
      for (const bad of [Buffer.alloc(0), Buffer.from('junk'), rsaPair().spki, ecPair('secp256k1').pkcs8]) {
        await expect(own.importPrivateKey(bad)).rejects.toMatchObject({ code: 'KEY_FILE_MALFORMED' });
      }
    });
  });
}
