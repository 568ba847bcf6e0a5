import type { Command } from 'commander';

export function register(program: Command): void {
  program
    .command('expand')
    .description('the effective policy with every default written out')
    .option('--config <file>', 'the gateway file', 'config/countersign.yaml')
    .option('--service <name>', 'only this service')
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      '\nExample:\n  countersign expand --config demo/client/countersign.yaml --service orders',
    )
    .action(async (options: { config: string; service?: string; json?: true }) => {
      const { expand } = await import('./expand/run.js');
      process.exitCode = await expand(options);
    });
}
