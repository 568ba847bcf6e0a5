import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Crypto } from '#src/providers/index.js';
import type { Toolkit } from '#src/wss/toolkit.js';
import { makeTrust, type Trust } from '#src/wss/trust.js';
import { testKey, testNow } from '../support/pki.js';
import { outcome, testToolkit } from '../support/toolkit.js';

let toolkit: Toolkit;
beforeAll(async () => {
  toolkit = await testToolkit();
});

/** A trust in the test CA that counts the signatures it checks. */
function counting(kit: Toolkit): { trust: Trust; checks: () => number } {
  let checks = 0;
  const crypto: Crypto = {
    ...kit.crypto,
    verify: (...given: Parameters<Crypto['verify']>) => {
      checks += 1;
      return kit.crypto.verify(...given);
    },
  };
  const anchors = [testKey('ca').certificate];
  const trust = makeTrust(
    { name: 'counted', anchors, pinned: [], subjects: [], anySubject: true },
    { ...kit, crypto },
  );
  return { trust, checks: () => checks };
}

describe('trust', () => {
  it('remembers whom it accepted, until a certificate of the path expires', async () => {
    const { trust, checks } = counting(toolkit);
    const { certificate } = testKey('client');
    const first = trust.accept(certificate, [], testNow);
    expect(trust.accept(certificate, [], testNow + 1)).toBe(first);
    expect(checks()).toBe(1);
    const after = certificate.notAfter + 1000;
    expect(await outcome(() => trust.accept(certificate, [], after))).toBe('CERTIFICATE_EXPIRED');
    const before = certificate.notBefore - 1;
    expect(await outcome(() => trust.accept(certificate, [], before))).toBe('CERTIFICATE_NOT_YET_VALID');
  });

  it('remembers no refusal', async () => {
    const { trust } = counting(toolkit);
    const { certificate } = testKey('leaf');
    expect(await outcome(() => trust.accept(certificate, [], testNow))).toBe('CERTIFICATE_UNTRUSTED');
    const signer = trust.accept(certificate, [testKey('sub-ca').certificate], testNow);
    expect(signer.path.map((one) => one.subject.toString())).toHaveLength(3);
  });

  it('forgets an answer when an exception of the policy ends', async () => {
    const kit = await testToolkit({ allow: ['rsa-sha1 for certificate until 2026-12-31'] });
    const { trust, checks } = counting(kit);
    const { certificate } = testKey('client');
    trust.accept(certificate, [], testNow);
    trust.accept(certificate, [], Date.UTC(2027, 0, 1));
    expect(checks()).toBe(2);
    trust.accept(certificate, [], Date.UTC(2027, 0, 2));
    expect(checks()).toBe(2);
  });

  it('trusts a pinned certificate whatever subjects are named, and nobody else through it', async () => {
    const pinned = [testKey('self-signed').certificate];
    const trust = makeTrust({ name: 'zeep', anchors: [], pinned, subjects: [], anySubject: false }, toolkit);
    expect(trust.accept(testKey('self-signed').certificate, [], testNow).path).toHaveLength(1);
    expect(await outcome(() => trust.accept(testKey('client').certificate, [], testNow))).toBe(
      'CERTIFICATE_UNTRUSTED',
    );
  });

  it('does not take an anchor for a signer', async () => {
    const { trust } = counting(toolkit);
    expect(await outcome(() => trust.accept(testKey('ca').certificate, [], testNow))).not.toBe('accepted');
  });
});
