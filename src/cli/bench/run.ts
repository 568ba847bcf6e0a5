import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CountersignError } from '../../core/errors.js';
import { packageRoot } from '../package-root.js';

/** Runs `perf/run.mjs NAME`, and gives its exit code. @throws CountersignError USAGE outside the source tree */
export async function bench(name: string, options: readonly string[]): Promise<number> {
  const script = join(packageRoot(), 'perf/run.mjs');
  if (!existsSync(script)) {
    throw new CountersignError('USAGE', 'benchmarks are part of the source tree, not of the package');
  }
  const child = spawn(process.execPath, [script, name, ...options], { stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => resolve(code ?? 1));
  });
}
