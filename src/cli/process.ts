import type { Command } from 'commander';
import type { ProcessOptions } from './process-options.js';

export function register(program: Command): void {
  program
    .command('process')
    .description('runs one chain of a service over one message: standard input to standard output')
    .requiredOption('--config <file>', 'the gateway file')
    .requiredOption('--service <name>', 'the service')
    .requiredOption('--chain <request|response>', 'which of its chains')
    .option('--provider <id>', 'js, openssl or pkcs11, instead of what the file says')
    .option('--clock <time>', 'the time at which it happens: 2026-11-30T12:00:00Z')
    .option('--request <file>', 'the request that a response belongs to: its chain runs first, silently')
    .option('--peer <file>', 'the certificate of the signer of the request, instead of --request')
    .option('--json', 'the reason of a refusal as one line of JSON on standard error')
    .option('--timings', 'prints the timing record as one line of JSON on standard error')
    .option('--repeat <n>', 'runs it n times after a warm-up; --timings then gives the medians')
    .addHelpText(
      'after',
      '\nA refused message gives the SOAP fault on standard output, the reason on standard error, and exit code 1.\n\n' +
        'Example:\n  countersign process --config client/countersign.yaml --service orders --chain request < order.xml',
    )
    .action(async (options: ProcessOptions) => {
      const { processMessage } = await import('./process-message.js');
      process.exitCode = await processMessage(options);
    });
}
