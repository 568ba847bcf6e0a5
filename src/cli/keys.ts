/** `countersign keys`: which certificates there are, what they are for, and when they end. */
import type { Command } from 'commander';

interface InspectOptions {
  readonly passwordFile?: string;
  readonly json?: boolean;
}

interface ListOptions {
  readonly config: string;
  readonly provider?: string;
  readonly log?: string[];
  readonly json?: boolean;
}

export function register(program: Command): void {
  const keys = program
    .command('keys')
    .description('certificates and keys: list those of a configuration, inspect files')
    .addHelpText(
      'after',
      '\nExamples:\n  countersign keys list --config demo/client/countersign.yaml\n  countersign keys inspect demo/keys/client.pem',
    );
  registerInspect(keys);
  registerList(keys);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function registerInspect(keys: Command): void {
  keys
    .command('inspect')
    .description('what is in certificate and key files (PEM, DER, PKCS#12); subjects as a policy writes them')
    .argument('<file...>')
    .option('--password-file <file>', 'file with the password of PKCS#12 files and encrypted keys')
    .option('--json', 'as JSON')
    .action(async (files: string[], options: InspectOptions) => {
      const { runInspect } = await import('./keys/inspect.js');
      const { passwordFile, json = false } = options;
      process.exitCode = await runInspect({ files, passwordFile, json }, print);
    });
}

function registerList(keys: Command): void {
  keys
    .command('list')
    .description(
      'every certificate that a configuration names, in files and on tokens: uses, last use, expiry, fingerprints',
    )
    .option('--config <file>', 'the gateway file', 'config/countersign.yaml')
    .option('--provider <id>', 'openssl, js or pkcs11 instead of the configured one')
    .option('--log <file...>', 'logs of the gateway: they tell when a key or a trust was last used')
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      '\nExample:\n  countersign keys list --config demo/client/countersign.yaml --log gateway.log',
    )
    .action(async (options: ListOptions) => {
      const { runList } = await import('./keys/list.js');
      const { config, provider, log = [], json = false } = options;
      process.exitCode = await runList({ config, provider, logs: log, json }, print);
    });
}
