import { createCipheriv, createHash, createHmac, randomBytes, sign as nodeSign } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type {
  CipherAlgorithm,
  CryptoProvider,
  HashName,
  KeyHandle,
  PublicOperations,
} from '#src/providers/contract.js';
import { ecPair, edPair, rsaPair } from '../support/crypto-keys.js';

const hashes: readonly (readonly [HashName, string])[] = [
  ['SHA-1', 'sha1'],
  ['SHA-224', 'sha224'],
  ['SHA-256', 'sha256'],
  ['SHA-384', 'sha384'],
  ['SHA-512', 'sha512'],
  ['SHA3-224', 'sha3-224'],
  ['SHA3-256', 'sha3-256'],
  ['SHA3-384', 'sha3-384'],
  ['SHA3-512', 'sha3-512'],
];
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** Runs a cipher over `data` in pieces of `step` bytes. */
export function run(
  cipher: { update(bytes: Uint8Array): Uint8Array; final(): Uint8Array },
  data: Uint8Array,
  step: number,
): Buffer {
  const parts: Buffer[] = [];
  for (let start = 0; start < data.length; start += step) {
    parts.push(Buffer.from(cipher.update(data.subarray(start, start + step))));
  }
  parts.push(Buffer.from(cipher.final()));
  return Buffer.concat(parts);
}

/** What every provider with public operations must do; node:crypto is the judge. */
export function publicSuite(provider: CryptoProvider): void {
  const operations = (): PublicOperations => {
    if (provider.publicOperations === undefined) throw new Error('no public operations');
    return provider.publicOperations;
  };

  describe('digests and MACs', () => {
    it.each(hashes)('%s', (hash, name) => {
      const data = randomBytes(1000);
      const expected = createHash(name).update(data).digest('hex');
      expect(hex(operations().digest(hash, data))).toBe(expected);
      const running = operations().createDigest(hash);
      for (let start = 0; start < data.length; start += 77) running.update(data.subarray(start, start + 77));
      expect(hex(running.digest())).toBe(expected);
      const key = operations().importSecretKey(Buffer.from('secret'));
      const mac = createHmac(name, 'secret').update(data).digest();
      expect(hex(operations().mac(hash, key, data))).toBe(hex(mac));
      const check = (signature: Uint8Array): boolean =>
        operations().verify({ name: 'HMAC', hash }, key, signature, data);
      expect(check(mac)).toBe(true);
      expect(check(mac.subarray(0, 10))).toBe(false);
      mac[3]! ^= 1;
      expect(check(mac)).toBe(false);
    });
  });

  describe('ciphers', () => {
    const cases: readonly (readonly [CipherAlgorithm['name'], number])[] = [
      ['AES-GCM', 16],
      ['AES-GCM', 24],
      ['AES-GCM', 32],
      ['AES-CBC', 16],
      ['AES-CBC', 24],
      ['AES-CBC', 32],
      ['3DES-CBC', 24],
    ];
    const algorithmOf = (name: CipherAlgorithm['name']): CipherAlgorithm => {
      if (name === 'AES-GCM') return { name, iv: randomBytes(12), tagLength: 128 };
      return { name, iv: randomBytes(name === 'AES-CBC' ? 16 : 8) };
    };
    const decrypt = (algorithm: CipherAlgorithm, key: KeyHandle, sealed: Buffer, step: number): Buffer => {
      if (algorithm.name !== 'AES-GCM')
        return run(operations().createDecryptor(algorithm, key), sealed, step);
      const tag = sealed.subarray(sealed.length - 16);
      return run(
        operations().createDecryptor(algorithm, key, tag),
        sealed.subarray(0, sealed.length - 16),
        step,
      );
    };

    it.each(cases)('%s with %d-byte keys gives back what it took, in pieces of any size', (name, size) => {
      const key = operations().importSecretKey(randomBytes(size));
      for (const length of [0, 1, 7, 8, 15, 16, 17, 31, 32, 1000, 49_152, 100_001]) {
        for (const step of [1, 13, 16, 4096, 49_152]) {
          if (length / step > 1500) continue;
          const algorithm = algorithmOf(name);
          const data = randomBytes(length);
          const sealed = run(operations().createEncryptor(algorithm, key), data, step);
          expect(hex(decrypt(algorithm, key, sealed, 40_000)) === hex(data)).toBe(true);
          expect(hex(decrypt(algorithm, key, sealed, step)) === hex(data)).toBe(true);
        }
      }
    });

    it.each(cases)('%s with %d-byte keys is what node:crypto makes', (name, size) => {
      const bytes = randomBytes(size);
      const algorithm = algorithmOf(name);
      const data = randomBytes(100);
      const key = operations().importSecretKey(bytes);
      const suffix = `${name === '3DES-CBC' ? 'des-ede3' : `aes-${size * 8}`}-${name === 'AES-GCM' ? 'gcm' : 'cbc'}`;
      const cipher = createCipheriv(suffix, bytes, algorithm.iv);
      let expected = Buffer.concat([cipher.update(data), cipher.final()]);
      if (name === 'AES-GCM')
        expected = Buffer.concat([expected, (cipher as unknown as { getAuthTag(): Buffer }).getAuthTag()]);
      expect(hex(run(operations().createEncryptor(algorithm, key), data, 33))).toBe(hex(expected));
    });

    it('refuses every GCM tag that is not 16 bytes, and accepts the whole one', () => {
      const key = operations().importSecretKey(randomBytes(16));
      const algorithm = algorithmOf('AES-GCM');
      const sealed = run(operations().createEncryptor(algorithm, key), Buffer.from('hello'), 5);
      const tag = sealed.subarray(5);
      const open = (given: Uint8Array | undefined): Buffer =>
        run(operations().createDecryptor(algorithm, key, given), sealed.subarray(0, 5), 5);
      expect(open(tag).toString()).toBe('hello');
      for (let length = 0; length < 16; length++) {
        expect(() => open(tag.subarray(0, length))).toThrow(
          expect.objectContaining({ code: 'DECRYPT_FAILED' }),
        );
      }
      expect(() => open(Buffer.concat([tag, tag]))).toThrow(
        expect.objectContaining({ code: 'DECRYPT_FAILED' }),
      );
      expect(() => open(undefined)).toThrow(expect.objectContaining({ code: 'DECRYPT_FAILED' }));
    });

    it('fails the same way whatever is wrong', () => {
      const outcomes = new Set<string>();
      const fail = (work: () => unknown): void => {
        let outcome = 'accepted';
        try {
          work();
        } catch (error) {
          const { code, message, cause, details } = error as Record<string, unknown>;
          outcome = JSON.stringify({ code, message, cause, details });
        }
        outcomes.add(outcome);
      };
      for (const [name, size] of cases) {
        const algorithm = algorithmOf(name);
        const key = operations().importSecretKey(randomBytes(size));
        const sealed = run(operations().createEncryptor(algorithm, key), randomBytes(40), 40);
        if (name === 'AES-GCM') {
          for (const at of [0, 39, 40, 55]) {
            const bad = Buffer.from(sealed);
            bad[at]! ^= 1;
            fail(() => decrypt(algorithm, key, bad, 40));
          }
        } else {
          fail(() => decrypt(algorithm, key, sealed.subarray(0, sealed.length - 3), 40));
          fail(() => decrypt(algorithm, key, Buffer.alloc(0), 40));
          for (const count of [0, 17, 255])
            fail(() => decrypt(algorithm, key, padded(algorithm, key, count), 40));
        }
        fail(() => decrypt({ ...algorithm, iv: randomBytes(5) }, key, sealed, 40));
        fail(() => decrypt(algorithm, operations().importSecretKey(randomBytes(15)), sealed, 40));
      }
      expect([...outcomes]).toEqual([expect.stringContaining('DECRYPT_FAILED')]);
    });

    /** A message whose plaintext ends in a padding count of `count`. */
    function padded(algorithm: CipherAlgorithm, key: KeyHandle, count: number): Buffer {
      const plain = Buffer.alloc(32, count);
      return run(operations().createEncryptor(algorithm, key), plain, 32).subarray(0, 32);
    }

    it('looks at the last byte of CBC padding only (XML Encryption 1.1 §5.2)', () => {
      const key = operations().importSecretKey(randomBytes(16));
      const algorithm = algorithmOf('AES-CBC');
      const plain = Buffer.concat([Buffer.from('x'.repeat(20)), randomBytes(11), Buffer.from([12])]);
      const sealed = run(operations().createEncryptor(algorithm, key), plain, 32).subarray(0, 32);
      expect(decrypt(algorithm, key, sealed, 32).toString()).toBe('x'.repeat(20));
    });
  });

  describe('AES key wrap', () => {
    it('gives RFC 3394 §4.1 and takes it back', () => {
      const key = operations().importSecretKey(Buffer.from('000102030405060708090A0B0C0D0E0F', 'hex'));
      const data = Buffer.from('00112233445566778899AABBCCDDEEFF', 'hex');
      const wrapped = operations().wrapKey({ name: 'AES-KW' }, key, data);
      expect(hex(wrapped)).toBe('1fa68b0a8112b447aef34bd8fb5a7b829d3e862371d2cfe5');
      expect(hex(operations().unwrapSecret({ name: 'AES-KW' }, key, wrapped))).toBe(hex(data));
      for (const bad of [wrapped.subarray(8), wrapped.subarray(1), Buffer.alloc(24), Buffer.alloc(0)]) {
        expect(() => operations().unwrapSecret({ name: 'AES-KW' }, key, bad)).toThrow(
          expect.objectContaining({ code: 'DECRYPT_FAILED' }),
        );
      }
    });
  });

  describe('public keys', () => {
    it('tells the facts and hides the rest', () => {
      const facts = (spki: Uint8Array): object => {
        const { kind, bits, curve, visibility, provider: owner } = operations().importPublicKey(spki);
        return { kind, bits, curve, visibility, owner };
      };
      const common = { visibility: 'public', owner: provider.name };
      expect(facts(rsaPair().spki)).toEqual({ kind: 'RSA', bits: 2048, ...common });
      expect(facts(ecPair('P-384').spki)).toEqual({ kind: 'EC', bits: 384, curve: 'P-384', ...common });
      expect(facts(edPair().spki)).toEqual({ kind: 'Ed25519', bits: 256, ...common });
      const secret = operations().importSecretKey(Buffer.from('0123456789abcdef'));
      expect(JSON.stringify(secret)).not.toMatch(/0123|MDEy|3031/);
    });

    it.each([
      ['nothing', Buffer.alloc(0)],
      ['junk', Buffer.from('hello')],
      ['a private key', edPair().pkcs8],
      ['a curve that is not used', ecPair('secp256k1').spki],
    ])('refuses %s', (_, spki) => {
      expect(() => operations().importPublicKey(spki)).toThrow(
        expect.objectContaining({ code: 'CERTIFICATE_MALFORMED' }),
      );
    });

    it('verifies nothing with a key of another kind, and takes no handle of another provider', () => {
      const pair = rsaPair();
      const data = Buffer.from('data');
      const signature = nodeSign('sha256', data, pair.privateObject);
      const key = operations().importPublicKey(pair.spki);
      expect(operations().verify({ name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }, key, signature, data)).toBe(
        true,
      );
      expect(
        operations().verify({ name: 'ECDSA', hash: 'SHA-256', format: 'der' }, key, signature, data),
      ).toBe(false);
      expect(operations().verify({ name: 'Ed25519' }, key, signature, data)).toBe(false);
      const foreign = { ...key, provider: 'elsewhere' };
      expect(() =>
        operations().verify({ name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }, foreign, signature, data),
      ).toThrow(expect.objectContaining({ code: 'PROVIDER_FAILED' }));
    });
  });
}
