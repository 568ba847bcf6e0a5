/** Debian packages that tests and peers need: installed where that may be done, named where not. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/**
 * @param packages { name, and what shows that the package is there: command: one on the PATH, or file; … }[]
 * @returns those that are still missing
 */
export function installPackages(packages) {
  const missing = packages.filter((each) => !isThere(each));
  const may = process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
  if (missing.length === 0 || !may) return missing;
  const options = { stdio: 'ignore', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } };
  spawnSync('apt-get', ['update'], options);
  spawnSync(
    'apt-get',
    ['install', '-y', '--no-install-recommends', ...missing.map((each) => each.name)],
    options,
  );
  return packages.filter((each) => !isThere(each));
}

function isThere({ command, file }) {
  if (file !== undefined) return existsSync(file);
  return spawnSync('sh', ['-c', `command -v ${command}`], { stdio: 'ignore' }).status === 0;
}
