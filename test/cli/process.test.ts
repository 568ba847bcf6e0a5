/** `countersign process` as a command: standard input and output, exit codes. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { medianRecord } from '#src/cli/median-record.js';
import type { TimingRecord } from '#src/pipeline/index.js';
import { fixture, root } from '../support/paths.js';

const cases = resolve(root, 'test/cases');
const input = (name: string): Buffer => readFileSync(resolve(cases, name, 'in.xml'));

function countersign(
  service: string,
  message: Buffer,
  ...more: string[]
): { status: number; out: string; err: string } {
  const main = resolve(root, 'dist/cli/main.js');
  const fixed = ['--config', resolve(cases, 'countersign.yaml'), '--service', service];
  const clock = ['--clock', '2026-11-30T12:00:00Z', '--chain', 'request'];
  const result = spawnSync(process.execPath, [main, 'process', ...fixed, ...clock, ...more], {
    input: message,
  });
  return { status: result.status ?? -1, out: result.stdout.toString(), err: result.stderr.toString() };
}

describe('countersign process', () => {
  it('writes what the chain makes of the message, and nothing else', () => {
    const { status, out, err } = countersign('accepted', input('accepted'));
    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(out).toBe(readFileSync(resolve(cases, 'accepted/out.xml'), 'utf8'));
  });

  it('refuses with the fault on standard output and the reason on standard error', () => {
    const { status, out, err } = countersign('body-changed', input('body-changed'));
    expect(status).toBe(1);
    const [, reference] = /\(reference ([0-9A-Z]+)\)/.exec(out) ?? [];
    expect(out).toContain('wsse:FailedCheck');
    expect(err).toMatch(
      new RegExp(
        `^refused ${reference ?? '?'} body-changed request verify DIGEST_MISMATCH: .*body-changed\\.yaml:\\d+:\\d+\n$`,
      ),
    );
  });

  it('gives the reason as fields for programs', () => {
    const { status, err } = countersign('body-changed', input('body-changed'), '--json');
    expect(status).toBe(1);
    expect(JSON.parse(err)).toMatchObject({
      msg: 'refused',
      service: 'body-changed',
      chain: 'request',
      step: 'verify',
      code: 'DIGEST_MISMATCH',
      actor: 'sender',
      place: expect.stringMatching(/^body-changed\/body-changed\.yaml:\d+:\d+$/),
    });
    expect(countersign('accepted', input('accepted'), '--json')).toMatchObject({ status: 0, err: '' });
  });

  it('says what to type when a response needs the signer of its request', () => {
    const lone = countersign('answer-to-nobody', input('answer-to-nobody'), '--chain', 'response');
    expect(lone).toMatchObject({ status: 1, out: expect.stringContaining('<soap:Fault>') });
    expect(lone.err).toContain('REQUEST_SIGNER_MISSING');
    expect(lone.err).toContain('--request FILE');
    expect(lone.err).toContain('--peer CERT.pem');
    const peer = fixture('keys/client.pem');
    const answered = countersign(
      'answer-to-peer',
      input('answer-to-peer'),
      '--chain',
      'response',
      '--peer',
      peer,
    );
    expect(answered).toMatchObject({ status: 0, err: '' });
  });

  it('prints the timing record, with medians where it ran several times', () => {
    const { status, err } = countersign('accepted', input('accepted'), '--timings', '--repeat', '3');
    expect(status).toBe(0);
    const record = JSON.parse(err) as TimingRecord;
    expect(record).toMatchObject({
      msg: 'exchange',
      service: 'accepted',
      outcome: 'ok',
      provider: 'openssl',
    });
    expect(record.cpu_us).toBeGreaterThan(0);
    expect(record.steps.map(({ step }) => step)).toContain('decrypt');
  });

  it.each([
    ['an unknown chain', ['--chain', 'sideways'], 2],
    ['a clock that is none', ['--clock', 'noon'], 2],
    ['an unknown provider', ['--provider', 'abacus'], 2],
    ['an unknown service', ['--service', 'nobody'], 2],
    ['a configuration that is not there', ['--config', 'nowhere.yaml'], 2],
    ['a request for a request', ['--request', 'x.xml'], 2],
    ['a request that is not there', ['--chain', 'response', '--request', 'no-such.xml'], 2],
  ])('says what is wrong with %s', (_, more, status) => {
    const result = countersign('accepted', input('accepted'), ...more);
    expect(result).toMatchObject({ status, out: '' });
    expect(result.err).not.toMatch(/\n\s+at /);
    expect(result.err).not.toBe('');
  });
});

describe('medianRecord', () => {
  const record = (scale: number): TimingRecord => ({
    msg: 'exchange',
    time: '',
    id: '1',
    service: 's',
    chain: 'request',
    outcome: 'ok',
    provider: 'openssl',
    bytes: { in: 1, out: 1 },
    total_us: 100 * scale,
    cpu_us: 10 * scale,
    steps: [
      { step: 'parse', start_us: 0, us: 10 * scale },
      { step: 'sign', start_us: 10 * scale, us: 50 * scale, key: 'client', parts: { c14n: 5 * scale } },
    ],
  });

  it('takes the median of each figure', () => {
    expect(medianRecord([record(9), record(1), record(2)])).toEqual({ ...record(2) });
    expect(medianRecord([record(3)])).toEqual(record(3));
  });

  it('keeps steps apart and the total large enough', () => {
    const odd = { ...record(1), total_us: 1 };
    const { steps, total_us } = medianRecord([odd, odd, record(1)]);
    const [first, second] = steps;
    expect((first?.start_us ?? 0) + (first?.us ?? 0)).toBeLessThanOrEqual(second?.start_us ?? 0);
    expect(total_us).toBe(60);
  });
});
