import { InvalidArgumentError, type Command } from 'commander';
import type { StepsOptions } from './steps/command.js';

const whole = (text: string): number => {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number from 1 on.');
};

/** The beginning of an ISO time in UTC, as the log writes it: a day, an hour, a second. */
const moment = (text: string): string => {
  const pattern = /^\d{4}-\d\d-\d\d(T\d\d(:\d\d(:\d\d(\.\d{1,3})?)?)?Z?)?$/;
  if (pattern.test(text)) return text.replace(/Z$/, '');
  throw new InvalidArgumentError('It must be a day or a time in UTC such as 2026-11-30T22:47.');
};

const field = (text: string): 'peer' | 'operation' | 'provider' => {
  if (text === 'peer' || text === 'operation' || text === 'provider') return text;
  throw new InvalidArgumentError('It must be peer, operation or provider.');
};

export function register(program: Command): void {
  program
    .command('steps')
    .argument('[log...]', 'log files of a gateway; - is standard input')
    .description('where the time of exchanges went, step by step, from the timing records of a log')
    .option('--by <field>', 'apart for each peer, operation or provider', field)
    .option('--since <time>', 'from this time on (UTC)', moment)
    .option('--until <time>', 'before this time (UTC)', moment)
    .option('--outcome <outcome>', 'ok, refused, fault, error or all', 'ok')
    .option('--parts', 'also the parts of each step: c14n, private-key, cipher, …')
    .option('--slowest <n>', 'also list the slowest exchanges', whole)
    .option('--compare <a...>', 'two logs, or two values of --by, side by side')
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  countersign steps gateway.log --slowest 5\n  countersign steps --compare before.log after.log\n  countersign steps gateway.log --by provider --compare openssl js',
    )
    .action(async (logs: string[], options: StepsOptions) => {
      const { stepsCommand } = await import('./steps/command.js');
      await stepsCommand(logs, options);
    });
}
