import type { Command } from 'commander';

export function register(program: Command): void {
  program
    .command('errors')
    .argument('[code]', 'a code, such as PART_NOT_SIGNED')
    .description('the code table: what a code means and who can act')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  countersign errors PART_NOT_SIGNED')
    .action(async (code: string | undefined, options: { json?: true }) => {
      const { codes } = await import('../core/codes.js');
      const { kinds } = await import('../core/codes/entry.js');
      const { nearestName } = await import('../policy/diagnostics.js');
      const { CountersignError } = await import('../core/errors.js');
      const { print, printJson, table } = await import('./output.js');
      const rows = Object.entries(codes).map(([name, { kind, summary }]) => ({
        code: name,
        actor: kinds[kind].actor,
        fault: kinds[kind].fault,
        status: kinds[kind].status,
        summary,
      }));
      if (code === undefined) {
        if (options.json === true) printJson(rows);
        else {
          const cells = rows.map((row) => [row.code, row.actor, row.summary]);
          print(table([{ title: 'code' }, { title: 'who can act' }, { title: 'meaning' }], cells));
        }
        return;
      }
      const row = rows.find((each) => each.code === code.toUpperCase());
      if (row === undefined) {
        const near = nearestName(code.toUpperCase(), Object.keys(codes));
        const hint = near === undefined ? '' : `; did you mean ${near}?`;
        throw new CountersignError('USAGE', `there is no code ${code}${hint}`);
      }
      if (options.json === true) printJson(row);
      else {
        const fault =
          row.fault === 'none'
            ? 'none: no message is being answered'
            : `${row.fault}, HTTP ${statusText(row)}`;
        print(`${row.code}\n  ${row.summary}\n  who can act: ${row.actor}\n  peer sees:   ${fault}`);
      }
    });
}

/** SOAP 1.2 answers what the sender did wrong with 400, SOAP 1.1 with 500 (pipeline/fault.ts). */
function statusText({ actor, fault, status }: { actor: string; fault: string; status: number }): string {
  if (actor !== 'sender' || !(status === 500 || status === 400)) return String(status);
  return /MustUnderstand|VersionMismatch/.test(fault) ? '500' : '500 (SOAP 1.2: 400)';
}
