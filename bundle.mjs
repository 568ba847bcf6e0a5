/** Puts the command line and its libraries into dist/bundle, for a fast start (docs/adr/0015). The library entries stay modules. */
import { rmSync } from 'node:fs';
import { build } from 'esbuild';

rmSync('dist/bundle', { recursive: true, force: true });
await build({
  entryPoints: ['dist/cli/program.js', 'dist/providers/openssl/raw-worker.js'],
  outdir: 'dist/bundle',
  entryNames: '[name]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  // Names stay, so that a stack trace can be read.
  minifyWhitespace: true,
  minifySyntax: true,
  // Native, or loaded when the first message goes on.
  external: ['pkcs11js', 'undici'],
  // CommonJS libraries ask for Node's own modules by require.
  banner: {
    js: "import{createRequire as __nodeRequire}from'node:module';const require=__nodeRequire(import.meta.url);",
  },
  logLevel: 'warning',
});
