/** `countersign`: finds the command, loads its file, runs it, and says how it went by the exit code. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, CommanderError } from 'commander';
import { commands } from './commands.js';
import { complain, complainAbout, exitOf, exits } from './output.js';
import { packageRoot } from './package-root.js';

function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : 'unknown';
}

async function main(argv: readonly string[]): Promise<void> {
  const program = new Command('countersign')
    .description('A WS-Security gateway: signs, encrypts, verifies and decrypts SOAP messages.')
    .version(version())
    .exitOverride()
    .enablePositionalOptions()
    .showSuggestionAfterError()
    .showHelpAfterError('(countersign COMMAND --help tells more)')
    .configureHelp({ sortSubcommands: false });
  program.addHelpText('after', '\nBegin with: countersign init DIR');
  program.addHelpText('afterAll', exitCodes);
  const named = commands[argv[2] ?? ''];
  const wanted = named === undefined ? Object.values(commands) : [named];
  for (const load of wanted) (await load()).register(program);
  for (const command of program.commands) inheritExit(command);
  await program.parseAsync(named === undefined ? withoutHelp(argv) : argv);
}

/** `countersign unknown --help` is wrong usage; without this it would print the general help and exit 0. */
function withoutHelp(argv: readonly string[]): readonly string[] {
  const first = argv[2];
  if (first === undefined || first === 'help' || first.startsWith('-')) return argv;
  return argv.filter((argument) => argument !== '--help' && argument !== '-h');
}

const exitCodes =
  '\nExit codes: 0 ok, 1 refused or a check failed, 2 wrong usage or configuration,\n3 key, token or upstream unavailable.';

/** Subcommands throw instead of ending the process, so that output is never cut off. */
function inheritExit(command: Command): void {
  command.exitOverride();
  for (const below of command.commands) inheritExit(below);
}

/**
 * A reader that goes away (`| head`) has seen enough: nothing more is printed, and the exit code says what it would have
 * said. Output that cannot be written for another reason (a full disk) is a failure of the command.
 */
function watchOutput(stream: NodeJS.WriteStream, name: string): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    complain(`countersign: ${name} cannot be written: ${error.message}`);
    process.once('exit', () => {
      if (process.exitCode === exits.ok || process.exitCode === undefined) process.exitCode = exits.refused;
    });
  });
}

watchOutput(process.stdout, 'standard output');
process.stderr.on('error', () => undefined);

try {
  await main(process.argv);
} catch (error) {
  if (error instanceof CommanderError)
    process.exitCode = error.exitCode === 0 ? exits.ok : exits.configuration;
  else {
    complainAbout(error);
    process.exitCode = exitOf(error);
  }
}
