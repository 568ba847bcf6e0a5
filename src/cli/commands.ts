/** The commands, each in a file of its own that is loaded when it is called. One line each. */
import type { Command } from 'commander';

/** What the file of a command exports. It imports nothing heavy before its action runs. */
export interface CommandModule {
  register(program: Command): void;
}

export const commands: Readonly<Record<string, () => Promise<CommandModule>>> = {
  serve: () => import('./serve.js'),
  init: () => import('./init.js'),
  keys: () => import('./keys.js'),
  check: () => import('./check.js'),
  expand: () => import('./expand.js'),
  fmt: () => import('./fmt.js'),
  schema: () => import('./schema.js'),
  errors: () => import('./errors.js'),
  steps: () => import('./steps.js'),
  process: () => import('./process.js'),
  algorithms: () => import('./algorithms.js'),
  bench: () => import('./bench.js'),
};
