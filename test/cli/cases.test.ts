/** The cases of test/cases through the code of `countersign process`. */
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { processBytes, type Processed } from '#src/cli/process-message.js';
import { root } from '../support/paths.js';

interface Case {
  readonly about: string;
  readonly chain: string;
  readonly outcome: string;
  readonly step?: string;
  readonly out?: string;
  readonly twin?: string;
  /** Files of the same options of `process`. */
  readonly request?: string;
  readonly peer?: string;
}

const folder = resolve(root, 'test/cases');
const names = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const expected = (name: string): Case =>
  JSON.parse(readFileSync(resolve(folder, name, 'expect.json'), 'utf8')) as Case;
const cases = new Map(names.map((name) => [name, expected(name)]));

function run(name: string, { chain, request, peer }: Case, provider: string): Promise<Processed> {
  const options = {
    config: resolve(folder, 'countersign.yaml'),
    service: name,
    chain,
    provider,
    clock: '2026-11-30T12:00:00Z',
    ...(request === undefined ? {} : { request: resolve(folder, request) }),
    ...(peer === undefined ? {} : { peer: resolve(folder, peer) }),
  };
  return processBytes(options, () => readFileSync(resolve(folder, name, 'in.xml')));
}

describe('cases', () => {
  it('every refusal has a twin that is accepted', () => {
    for (const [name, { outcome, twin }] of cases) {
      if (outcome === 'accepted') continue;
      expect([name, cases.get(twin ?? '')?.outcome]).toEqual([name, 'accepted']);
    }
  });
});

describe.each(['openssl', 'js'])('cases under provider %s', (provider) => {
  it.each([...cases].map(([name, one]) => [one.about, name, one] as const))(
    '%s (%s)',
    async (_, name, one) => {
      const { outcomes, diagnostics } = await run(name, one, provider);
      expect(diagnostics).toEqual([]);
      const [outcome] = outcomes;
      const { code, step, outcome: result } = outcome?.record ?? {};
      expect({ code: code ?? 'accepted', step }).toEqual({ code: one.outcome, step: one.step });
      const text = Buffer.from(outcome?.bytes ?? []).toString();
      if (one.outcome === 'accepted') {
        expect([result, outcome?.exit, outcome?.line]).toEqual(['ok', 0, undefined]);
        if (one.out !== undefined) expect(text).toBe(readFileSync(resolve(folder, name, one.out), 'utf8'));
      } else {
        expect([result, outcome?.exit]).toEqual([one.chain === 'request' ? 'refused' : 'error', 1]);
        expect(text).toMatch(/<soap:Fault>.*\(reference [0-9A-Z]{26}\)/);
        expect(outcome?.line).toMatch(
          new RegExp(`^refused [0-9A-Z]{26} ${name} ${one.chain} ${one.step ?? ''} ${one.outcome}: `),
        );
        // What a peer learns never depends on what was wrong.
        expect(text).not.toContain(one.outcome);
      }
    },
  );
});
