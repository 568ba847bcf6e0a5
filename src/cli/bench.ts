import type { Command } from 'commander';

export function register(program: Command): void {
  program
    .command('bench')
    .argument('<name>', 'a benchmark of perf/, such as scenario3')
    .argument('[options...]', 'passed on')
    .description('run a benchmark of the source tree')
    .allowUnknownOption()
    .passThroughOptions()
    .addHelpText('after', '\nExample:\n  countersign bench scenario3')
    .action(async (name: string, options: string[]) => {
      const { bench } = await import('./bench/run.js');
      process.exitCode = await bench(name, options);
    });
}
