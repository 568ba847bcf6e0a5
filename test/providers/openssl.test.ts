import { afterAll, describe } from '@jest/globals';
import { createOpenssl } from '#src/providers/openssl/provider.js';
import { privateSuite } from './private-suite.js';
import { publicSuite } from './public-suite.js';

describe('openssl', () => {
  const provider = createOpenssl();
  afterAll(() => provider.close());
  publicSuite(provider);
  privateSuite({
    provider: () => provider,
    load: (_, { pkcs8 }) => provider.privateOperations!.importPrivateKey!(pkcs8),
  });
});
