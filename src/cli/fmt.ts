import type { Command } from 'commander';
import type { FormatOptions } from './fmt/run.js';

export function register(program: Command): void {
  program
    .command('fmt')
    .argument('[file...]', 'configuration files; without one, the whole configuration')
    .description('format policy files; comments stay')
    .option('--config <file>', 'the gateway file', 'config/countersign.yaml')
    .option('--check', 'change nothing; exit 1 if a file is not formatted')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  countersign fmt --check config/services/*.yaml')
    .action(async (files: string[], options: FormatOptions) => {
      const { format } = await import('./fmt/run.js');
      process.exitCode = format(files, options);
    });
}
