import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../../support/paths.js';

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs the real command, as it ships. */
export function countersign(args: readonly string[], input = '', cwd?: string): Ran {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'dist/cli/main.js'), ...args], {
    encoding: 'utf8',
    input,
    cwd,
  });
  return { code: status, out: stdout, err: stderr };
}
