/** The layer table of ARCHITECTURE.md, as rules. A file imports only from layers above its own. */
const layers = [
  ['core'],
  ['xml', 'mime', 'pki'],
  ['providers'],
  ['wss', 'cms', 'pdf'],
  ['stores', 'pipeline'],
  ['policy'],
  ['server'],
];
const folder = (names) => `^src/(${names.join('|')})/`;
const composition = '^src/(compose|main|index)\\.ts$';

const layerRules = layers.map((names, level) => ({
  name: `layer-${names.join('-')}`,
  severity: 'error',
  comment: 'a file imports only from layers above its own',
  from: { path: folder(names) },
  to: {
    path: [folder(layers.slice(level + 1).flat()), '^src/cli/', composition].filter(
      (path) => path !== '^src/()/',
    ),
  },
}));

const siblings = [
  ['xml', 'pki|mime'],
  ['mime', 'xml|pki'],
  ['pki', 'xml|mime'],
  ['wss', 'pdf|cms'],
  ['pdf', 'wss'],
  ['cms', 'wss|pdf'],
  ['pipeline', 'stores'],
].map(([from, to]) => ({
  name: `siblings-${from}`,
  severity: 'error',
  from: { path: `^src/${from}/` },
  to: { path: `^src/(${to})/` },
}));

const only = (name, path, allowed) => ({
  name,
  severity: 'error',
  from: { path: '^src/', pathNot: allowed },
  to: { path },
});

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-unused-files',
      severity: 'error',
      from: { orphan: true, pathNot: ['^src/cli/main\\.ts$', '^src/(index|main)\\.ts$'] },
      to: {},
    },
    ...layerRules,
    ...siblings,
    {
      name: 'lists-only-from-composition',
      severity: 'error',
      from: { pathNot: ['^src/compose\\.ts$', '^test/'] },
      to: { path: '^src/.*/builtin\\.ts$' },
    },
    only('pkcs11js-in-its-provider', 'node_modules/pkcs11js', '^src/providers/pkcs11/'),
    only(
      'forge-in-its-places',
      'node_modules/(node-forge|@noble)',
      '^src/(providers/js|providers/stores|cli/init)',
    ),
    only('express-in-server', 'node_modules/(express|undici|prom-client)/', '^src/server/'),
    only('yaml-in-policy', 'node_modules/yaml/', '^src/policy/'),
    only('commander-in-cli', 'node_modules/commander/', '^src/cli/'),
    only('crypto-in-openssl', '^(node:)?crypto$', '^src/(providers/openssl/|core/random\\.ts|cli/init)'),
    {
      name: 'no-dev-dependencies',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev'], pathNot: 'node_modules/@types/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};
