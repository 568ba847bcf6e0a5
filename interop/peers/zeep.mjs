/** zeep as a peer: a Python client that calls a gateway over HTTP. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

const folder = resolve(import.meta.dirname, '../zeep');

/** Makes a virtual environment with zeep in `work`. @returns why it cannot be used, or undefined */
export function prepare(work) {
  const python = join(work, 'venv/bin/python');
  if (existsSync(python) && spawnSync(python, ['-c', 'import zeep, xmlsec']).status === 0) return undefined;
  if (spawnSync('python3', ['-m', 'venv', join(work, 'venv')]).status !== 0) {
    return 'Python 3 with venv is not installed (Debian: python3-venv)';
  }
  const install = spawnSync(python, ['-m', 'pip', 'install', '-q', '-r', join(folder, 'requirements.txt')], {
    encoding: 'utf8',
  });
  return install.status === 0 ? undefined : `pip install failed: ${install.stderr.slice(-400)}`;
}

/**
 * One call.
 *
 * @param options { wsdl, endpoint, key, certificate, partner, arguments: object, flags?: string[] }
 * @returns what the client printed: { ok, answer } or { ok: false, error, message }
 */
export function call(work, options) {
  return new Promise((accept, reject) => {
    const args = ['wsdl', 'endpoint', 'key', 'certificate', 'partner'].flatMap((name) => [
      `--${name}`,
      options[name],
    ]);
    const child = spawn(join(work, 'venv/bin/python'), [
      join(folder, 'client.py'),
      ...args,
      ...(options.flags ?? []),
    ]);
    const out = [];
    const err = [];
    child.stdout.on('data', (chunk) => out.push(chunk));
    child.stderr.on('data', (chunk) => err.push(chunk));
    child.on('error', reject);
    child.on('close', () => {
      const text = Buffer.concat(out).toString('utf8');
      if (text === '')
        accept({ ok: false, error: 'crash', message: Buffer.concat(err).toString('utf8').slice(-1500) });
      else accept(JSON.parse(text));
    });
    child.stdin.end(JSON.stringify(options.arguments));
  });
}
