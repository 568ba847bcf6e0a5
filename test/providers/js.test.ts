import { beforeAll, describe } from '@jest/globals';
import { createJs } from '#src/providers/js/provider.js';
import { privateSuite } from './private-suite.js';
import { publicSuite } from './public-suite.js';

describe('js', () => {
  const provider = createJs();
  beforeAll(() => provider.open());
  publicSuite(provider);
  privateSuite({
    provider: () => provider,
    load: (_, { pkcs8 }) => provider.privateOperations!.importPrivateKey!(pkcs8),
  });
});
