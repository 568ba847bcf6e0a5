import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { commands } from '#src/cli/commands.js';
import { root } from '../support/paths.js';
import { countersign } from './support/run.js';

describe('the command line', () => {
  it('lists every command, and exits 0', () => {
    const { code, out } = countersign(['--help']);
    expect(code).toBe(0);
    for (const name of Object.keys(commands)) expect(out).toMatch(new RegExp(`^  ${name} `, 'm'));
  });

  it.each(Object.keys(commands))('has help with an example for %s', (name) => {
    const { code, out } = countersign([name, '--help']);
    expect(code).toBe(0);
    expect(out).toContain('Exit codes: 0 ok, 1 refused or a check failed, 2 wrong usage');
    expect(`${out}${name === 'algorithms' ? countersign([name, 'list', '--help']).out : ''}`).toMatch(
      /Examples?:\n {2}countersign/,
    );
  });

  it('exits 2 for wrong usage, with a suggestion and nothing on standard output', () => {
    const { code, out, err } = countersign(['erorrs']);
    expect(code).toBe(2);
    expect(out).toBe('');
    expect(err).toContain('Did you mean errors?');
    expect(countersign([]).code).toBe(2);
    expect(countersign(['erorrs', '--help'])).toMatchObject({ code: 2, out: '' });
    expect(countersign(['errors', '--jsn']).code).toBe(2);
  });

  it('prints no stack', () => {
    const { code, err } = countersign(['errors', 'PART_NOT_SIGNE']);
    expect(code).toBe(2);
    expect(err).toBe('countersign: USAGE: there is no code PART_NOT_SIGNE; did you mean PART_NOT_SIGNED?\n');
  });
});

describe('a reader that goes away', () => {
  const main = join(root, 'dist/cli/main.js');
  /** The exit code of a command whose standard output and standard error nobody reads. */
  async function unread(...args: string[]): Promise<number | null> {
    const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.destroy();
    child.stderr.destroy();
    await once(child, 'exit');
    return child.exitCode;
  }

  it('changes no exit code', async () => {
    expect(await unread('errors')).toBe(0);
    expect(await unread('schema', 'service')).toBe(0);
    expect(await unread('check', join(root, 'no-such.yaml'))).toBe(2);
    expect(await unread('errors', 'NO_SUCH')).toBe(2);
  });

  it('is not taken for a full disk', () => {
    const full = spawnSync('bash', ['-c', `"$0" ${main} errors > /dev/full`, process.execPath], {
      encoding: 'utf8',
    });
    expect(full.status).toBe(1);
    expect(full.stderr).toMatch(/^countersign: standard output cannot be written: ENOSPC/);
  });
});

describe('errors', () => {
  it('prints the whole table, aligned', () => {
    const { code, out } = countersign(['errors']);
    expect(code).toBe(0);
    const column = out.indexOf('who can act');
    for (const line of out.trimEnd().split('\n')) expect(line[column - 1]).toBe(' ');
  });

  it('explains one code in any letter case', () => {
    expect(countersign(['errors', 'part_not_signed']).out).toMatchInlineSnapshot(`
     "PART_NOT_SIGNED
       A part that must be signed is not covered.
       who can act: sender
       peer sees:   wsse:FailedCheck, HTTP 500 (SOAP 1.2: 400)
     "
    `);
    expect(JSON.parse(countersign(['errors', 'REPLAYED', '--json']).out)).toMatchObject({
      code: 'REPLAYED',
      actor: 'sender',
      fault: 'wsse:FailedCheck',
    });
  });
});
