import { describe, expect, it } from '@jest/globals';
import type { KeyEntry } from '#src/providers/index.js';
import { selectForUse } from '#src/providers/index.js';
import { testKey, type TestKeyName, testNow } from '../support/pki.js';

const entry = (name: TestKeyName, from?: number): KeyEntry => ({
  certificate: testKey(name).certificate,
  chain: [],
  publicKey: { kind: 'RSA', bits: 2048, visibility: 'public', provider: 'openssl', uses: [] },
  privateKey: undefined,
  from,
});
const choose = (entries: KeyEntry[], now = testNow): KeyEntry =>
  selectForUse({ name: 'k', entries }, 'encrypt', now);

describe('selectForUse', () => {
  const old = entry('client');
  const next = entry('server', testNow + 1000);

  it('uses the first valid entry until a from has passed, then the latest such entry', () => {
    expect(choose([old, next])).toBe(old);
    expect(choose([old, next], testNow + 999)).toBe(old);
    expect(choose([old, next], testNow + 1000)).toBe(next);
    const later = entry('ec', testNow + 2000);
    expect(choose([later, old, next], testNow + 5000)).toBe(later);
  });

  it('passes over an expired entry without from', () => {
    expect(choose([entry('expired'), old])).toBe(old);
  });

  it('refuses with the code of the use, and never takes an entry before its time', () => {
    const refuse = (entries: KeyEntry[], use: 'sign' | 'encrypt'): unknown => {
      try {
        return selectForUse({ name: 'k', entries }, use, testNow);
      } catch (error) {
        return error;
      }
    };
    expect(refuse([entry('expired')], 'encrypt')).toMatchObject({
      code: 'RECIPIENT_CERTIFICATE_EXPIRED',
      details: { key: 'k' },
    });
    expect(refuse([entry('expired')], 'sign')).toMatchObject({ code: 'SIGNER_CERTIFICATE_EXPIRED' });
    expect(refuse([next], 'sign')).toMatchObject({ code: 'SIGNER_CERTIFICATE_EXPIRED' });
    expect(refuse([old, entry('expired', testNow - 1)], 'encrypt')).toMatchObject({
      code: 'RECIPIENT_CERTIFICATE_EXPIRED',
    });
  });
});
