import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const modules = [
  '/usr/lib/softhsm/libsofthsm2.so',
  '/usr/lib/x86_64-linux-gnu/softhsm/libsofthsm2.so',
  '/usr/lib64/pkcs11/libsofthsm2.so',
  '/usr/local/lib/softhsm/libsofthsm2.so',
  '/opt/homebrew/lib/softhsm/libsofthsm2.so',
];

/**
 * A fresh, empty SoftHSM2 token store for this demonstration and its children.
 *
 * @returns the path of the PKCS#11 module
 */
export async function tokenForDemo(): Promise<string> {
  const module = modules.find((path) => existsSync(path));
  if (module === undefined) throw new Error('SoftHSM2 is not installed (Debian: softhsm2)');
  const folder = await mkdtemp(join(tmpdir(), 'countersign-token-'));
  await mkdir(join(folder, 'tokens'));
  const config = join(folder, 'softhsm2.conf');
  await writeFile(
    config,
    `directories.tokendir = ${join(folder, 'tokens')}\nobjectstore.backend = file\nlog.level = ERROR\n`,
  );
  process.env['SOFTHSM2_CONF'] = config;
  return module;
}
