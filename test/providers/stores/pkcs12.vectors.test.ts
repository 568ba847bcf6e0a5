import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readPkcs12 } from '#src/providers/stores/pkcs12.js';
import { selectEntry } from '#src/providers/stores/select.js';
import { vectors } from '../../support/paths.js';

interface Expected {
  readonly kind: string;
  readonly subject: string;
  readonly chain: number;
}

const stores: readonly (readonly [
  folder: string,
  password: string,
  pattern: RegExp,
  expected: Record<string, Expected>,
])[] = [
  ['p12', 'test123', /\.p12$/, {}],
  [
    'soap/oasis',
    'password',
    /\.pfx$/,
    {
      'alice.pfx': { kind: 'RSA', subject: 'CN=Alice,OU=OASIS Interop Test Cert,O=OASIS', chain: 0 },
      'bob.pfx': { kind: 'RSA', subject: 'CN=Bob,OU=OASIS Interop Test Cert,O=OASIS', chain: 0 },
      'WssIP.pfx': { kind: 'RSA', subject: 'CN=WssIP,OU=OASIS Interop Test Cert,O=OASIS', chain: 2 },
    },
  ],
  ['soap/cxf', 'password', /\.p12$/, {}],
];

describe.each(stores)('PKCS#12 vectors %s', (name, password, pattern, expected) => {
  const folder = vectors(...name.split('/'));
  const files = folder === undefined ? [] : readdirSync(folder).filter((file) => pattern.test(file));
  if (folder === undefined) {
    it.skip('vectors not found', () => undefined);
    return;
  }

  it.each(files)('%s opens with its password, and with no other', async (file) => {
    const bytes = readFileSync(join(folder, file));
    const selected = selectEntry(await readPkcs12(bytes, password), undefined);
    expect(selected.pkcs8?.length).toBeGreaterThan(100);
    const known = expected[file];
    if (known !== undefined) {
      expect(selected.certificate.subject.toString()).toBe(known.subject);
      expect(selected.certificate.publicKey.kind).toBe(known.kind);
      expect(selected.chain).toHaveLength(known.chain);
    }
    await expect(readPkcs12(bytes, `${password}x`)).rejects.toMatchObject({ code: 'KEY_PASSWORD_WRONG' });
    await expect(readPkcs12(bytes, undefined)).rejects.toMatchObject({ code: 'KEY_PASSWORD_MISSING' });
  });
});
