import { describe, expect, it } from '@jest/globals';
import { commands } from '#src/cli/commands.js';
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
