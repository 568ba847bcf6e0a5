/** A SoftHSM of the test's own: tokens in a temporary folder, gone afterwards. */
import { execFileSync } from 'node:child_process';
import type { KeyObject } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const paths = [
  '/usr/lib/softhsm/libsofthsm2.so',
  '/usr/lib/x86_64-linux-gnu/softhsm/libsofthsm2.so',
  '/usr/lib/aarch64-linux-gnu/softhsm/libsofthsm2.so',
  '/usr/lib64/pkcs11/libsofthsm2.so',
  '/opt/homebrew/lib/softhsm/libsofthsm2.so',
];

/** The module, or undefined, said in one line. */
export function softhsmModule(): string | undefined {
  const found = paths.find((path) => existsSync(path));
  if (found === undefined)
    process.stderr.write('SoftHSM2 not found: PKCS#11 suites skipped (install softhsm2)\n');
  return found;
}

export class SoftHsm {
  readonly module: string;
  readonly folder: string;
  readonly pin = '4321';
  #imported = 0;

  constructor(module: string) {
    this.module = module;
    this.folder = mkdtempSync(join(tmpdir(), 'countersign-hsm-'));
    writeFileSync(
      this.conf,
      `directories.tokendir = ${this.folder}\nobjectstore.backend = file\nlog.level = ERROR\n`,
    );
  }

  /** What SOFTHSM2_CONF must say in the process that uses the token. */
  get conf(): string {
    return join(this.folder, 'softhsm2.conf');
  }

  token(label: string): void {
    this.#run('--init-token', '--free', '--label', label, '--pin', this.pin, '--so-pin', '8765');
  }

  importKey(token: string, label: string, key: KeyObject): void {
    const file = join(this.folder, 'import.pem');
    writeFileSync(file, key.export({ format: 'pem', type: 'pkcs8' }));
    const id = (++this.#imported).toString(16).padStart(4, '0');
    this.#run('--import', file, '--token', token, '--label', label, '--id', id, '--pin', this.pin);
    rmSync(file);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  #run(...parameters: string[]): void {
    execFileSync('softhsm2-util', parameters, {
      env: { ...process.env, SOFTHSM2_CONF: this.conf },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  }
}
