/** `countersign init`: a development PKI and sample policies. */
import { type Command, InvalidArgumentError } from 'commander';

interface InitOptions {
  readonly bits: number;
  readonly hsm?: string;
  readonly json?: true;
}

export function register(program: Command): void {
  program
    .command('init')
    .description('make a development PKI and sample policies for a client side and a server side')
    .argument('<dir>', 'folder to write; nothing that exists is overwritten')
    .option('--bits <n>', 'size of the RSA keys: 2048, 3072 or 4096', readBits, 2048)
    .option('--hsm <module>', 'also put the keys into a new token of this PKCS#11 module')
    .option('--json', 'what was written, as JSON')
    .addHelpText(
      'after',
      `
Example:
  countersign init demo
  countersign serve --config demo/server/countersign.yaml &
  countersign process --config demo/client/countersign.yaml --service orders --chain request < demo/messages/order.xml`,
    )
    .action(async (folder: string, options: InitOptions) => {
      const { runInit } = await import('./init/run.js');
      process.exitCode = await runInit({ folder, ...options }, (line) => {
        process.stdout.write(`${line}\n`);
      });
    });
}

function readBits(text: string): number {
  if (!['2048', '3072', '4096'].includes(text))
    throw new InvalidArgumentError('It must be 2048, 3072 or 4096.');
  return Number(text);
}
