/** Wycheproof, over every provider that claims the operation (COUNTERSIGN_VECTORS/wycheproof). */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createJs } from '#src/providers/js/provider.js';
import { createOpenssl } from '#src/providers/openssl/provider.js';
import {
  filesMatching,
  folder,
  groupsOf,
  hasHashes,
  isUnwrap,
  keyOf,
  publicVerdict,
  Tally,
  unclaimed,
  unwrapVerdict,
} from './wycheproof.js';

(folder === undefined ? describe.skip : describe).each([
  ['openssl', createOpenssl()],
  ['js', createJs()],
] as const)('wycheproof: %s', (name, provider) => {
  const tally = new Tally();
  beforeAll(() => provider.open());
  afterAll(async () => {
    await provider.close();
    tally.print(
      `${name} (${filesMatching((file) => unclaimed.test(file)).length} files of operations not claimed)`,
    );
  });

  it.each(filesMatching((file) => !unclaimed.test(file)))(
    '%s',
    async (file) => {
      for (const group of groupsOf(file)) {
        const key = await keyOf(provider, group);
        const ours = hasHashes(group);
        for (const test of group.tests) {
          if (!ours) tally.add('not ours: hash function', group, test);
          else if (!isUnwrap(group))
            tally.add(publicVerdict({ file, provider }, group, test, key), group, test);
          else tally.add(await unwrapVerdict(provider.privateOperations!, group, test, key!), group, test);
        }
      }
      expect(tally.faults).toEqual([]);
    },
    120_000,
  );
});
