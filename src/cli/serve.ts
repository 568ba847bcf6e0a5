import type { Command } from 'commander';
import { workersOption } from './workers-option.js';

/** Adds `countersign serve`. */
export function register(program: Command): void {
  program
    .command('serve')
    .description('run the gateway')
    .option('--config <file>', 'the gateway file', 'config/countersign.yaml')
    .option('--provider <id>', 'js, openssl or pkcs11, instead of what the file says')
    .option('--workers <n>', 'processes that share the listener', workersOption, 1)
    .addHelpText('after', '\nExample:\n  countersign serve --config demo/client/countersign.yaml')
    .action(async (options: { config: string; provider?: string; workers: number }) => {
      const { serve } = await import('./serve/run.js');
      await serve(options);
    });
}
