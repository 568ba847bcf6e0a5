/** Wycheproof's RSA decryption, on a token. */
import { createPrivateKey } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Pkcs11Client } from '../../support/pkcs11-client.js';
import { SoftHsm, softhsmModule } from '../../support/softhsm.js';
import { filesMatching, folder, groupsOf, hasHashes, pkcs8Of, Tally, unwrapVerdict } from '../wycheproof.js';

const module = softhsmModule();

(folder === undefined || module === undefined ? describe.skip : describe)('wycheproof: pkcs11', () => {
  const tally = new Tally();
  let hsm: SoftHsm;
  let client: Pkcs11Client;
  beforeAll(() => {
    hsm = new SoftHsm(module ?? '');
    hsm.token('wycheproof');
    client = new Pkcs11Client({ SOFTHSM2_CONF: hsm.conf });
  });
  afterAll(async () => {
    await client.provider.close();
    client.end();
    hsm.remove();
    tally.print('pkcs11');
  });

  it.each(filesMatching((file) => /^rsa_(oaep|pkcs1)_/u.test(file)))(
    '%s',
    async (file) => {
      for (const [index, group] of groupsOf(file).entries()) {
        const label = `${file} ${index}`;
        const privateKey = createPrivateKey({ key: pkcs8Of(group), format: 'der', type: 'pkcs8' });
        hsm.importKey('wycheproof', label, privateKey);
        const { handle } = await client.open({
          module: module ?? '',
          token: 'wycheproof',
          label,
          pin: hsm.pin,
        });
        for (const test of group.tests) {
          const verdict = hasHashes(group)
            ? await unwrapVerdict(client.provider.privateOperations!, group, test, handle)
            : 'not ours: hash function';
          tally.add(verdict, group, test);
        }
      }
      expect(tally.faults).toEqual([]);
    },
    120_000,
  );
});
