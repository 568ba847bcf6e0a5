import type { Command } from 'commander';
import type { AlgorithmsOptions } from './algorithms/table.js';

export function register(program: Command): void {
  const algorithms = program
    .command('algorithms')
    .description('what the policy allows for which use, and the rule that says so');
  shared(algorithms.command('list', { isDefault: true }))
    .description('what is allowed; everything else is refused')
    .addHelpText('after', '\nExample:\n  countersign algorithms list --profile legacy')
    .action(async (options: AlgorithmsOptions) => {
      const { listAlgorithms } = await import('./algorithms/table.js');
      listAlgorithms(options);
    });
  shared(algorithms.command('explain'))
    .argument('<id...>', 'policy ids or URIs')
    .description('what an algorithm is, and for each use whether it is allowed')
    .addHelpText('after', '\nExample:\n  countersign algorithms explain rsa-oaep-mgf1p sha1')
    .action(async (ids: string[], options: AlgorithmsOptions) => {
      const { explainAlgorithms } = await import('./algorithms/table.js');
      explainAlgorithms(ids, options);
    });
}

function shared(command: Command): Command {
  return command
    .option('--profile <name>', 'default or legacy', 'default')
    .option('--config <file>', 'what this gateway file says, instead of a profile')
    .option('--service <name>', 'with --config: what this service says')
    .option('--json', 'as JSON');
}
