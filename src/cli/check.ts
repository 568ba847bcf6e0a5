import type { Command } from 'commander';
import type { CheckOptions } from './check/run.js';
import { workersOption } from './workers-option.js';

export function register(program: Command): void {
  program
    .command('check')
    .argument('[file...]', 'gateway files or service files; without one, the whole configuration')
    .description('validate a configuration: load keys, open tokens, compile every chain')
    .option('--config <file>', 'the gateway file', 'config/countersign.yaml')
    .option('--provider <id>', 'js, openssl or pkcs11 instead of what the file says')
    .option('--workers <n>', 'as for serve', workersOption)
    .option('--offline', 'open no token and no socket')
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  countersign check\n  countersign check --offline config/services/orders.yaml\n\nWarnings change no exit code.',
    )
    .action(async (files: string[], options: CheckOptions) => {
      const { check } = await import('./check/run.js');
      process.exitCode = await check(files, options);
    });
}
