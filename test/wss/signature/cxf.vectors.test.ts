/** Signed messages of Apache CXF (vectors/soap/cxf): RSA-1024, SHA-1, an MD5 certificate; legacy profile, pinned. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { parseCertificate } from '#src/pki/index.js';
import { readPkcs12 } from '#src/providers/stores/pkcs12.js';
import type { Toolkit } from '#src/wss/toolkit.js';
import { makeTrust, type Trust } from '#src/wss/trust.js';
import { vectors } from '../../support/paths.js';
import { verified } from '../../support/signing.js';
import { outcome, testToolkit } from '../../support/toolkit.js';

const folder = vectors('soap', 'cxf');
const read = (name: string): string => readFileSync(resolve(folder ?? '', name), 'utf8');
const header = 'header/{http://www.sdj.pl}Header';

(folder === undefined ? describe.skip : describe)('CXF messages', () => {
  let legacy: Toolkit;
  let trust: Trust;
  beforeAll(async () => {
    legacy = await testToolkit({ profile: 'legacy' });
    const store = await readPkcs12(readFileSync(resolve(folder ?? '', 'privatestore.p12')), 'password');
    const pinned = store.certificates.map(({ der }) => parseCertificate(der));
    trust = makeTrust({ name: 'cxf', anchors: [], pinned, subjects: [], anySubject: false }, legacy);
  });
  const judge = (toolkit: Toolkit, message: string, ...parts: string[]): Promise<string> =>
    outcome(() => verified(toolkit, message, { trust, parts }));

  it.each(['signed_x509_issuer_serial.xml', 'signed_x509_direct_ref.xml'])('accepts %s', async (name) => {
    expect(await judge(legacy, read(name), 'body', header)).toBe('accepted');
    expect(await judge(legacy, read(name).replace('<in0>A', '<in0>B'), 'body', header)).toBe(
      'DIGEST_MISMATCH',
    );
  });

  it('refuses them in the default profile', async () => {
    expect(await judge(await testToolkit(), read('signed_x509_issuer_serial.xml'), 'body')).toBe(
      'ALGORITHM_DENIED',
    );
  });

  it('finds that the Body is not signed', async () => {
    const message = read('signed_x509_issuer_serial_missing_signed_body.xml');
    expect(await judge(legacy, message, header)).toBe('accepted');
    expect(await judge(legacy, message, 'body')).toBe('PART_NOT_SIGNED');
  });

  it('refuses signed_invalid', async () => {
    const message = read('signed_invalid.xml');
    expect(await judge(legacy, message, 'body')).toBe('SIGNATURE_MISSING');
    const forUs = message.replace(/ [\w-]+:actor="actor1"/, '');
    expect(forUs).not.toBe(message);
    // Its X509IssuerSerial stands in the SecurityTokenReference without X509Data, as in drafts of the profile.
    expect(await judge(legacy, forUs, 'body')).toBe('TOKEN_UNSUPPORTED');
  });
});
