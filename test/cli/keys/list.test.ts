import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { runList } from '#src/cli/keys/list.js';
import { testKey, type TestKeyName } from '../../support/pki.js';

const folder = mkdtempSync(join(tmpdir(), 'countersign-list-'));
afterAll(() => rmSync(folder, { recursive: true }));
mkdirSync(join(folder, 'services'));
writeFileSync(
  join(folder, 'services/orders.yaml'),
  `path: /orders
upstream: http://127.0.0.1:9/
request:
  - timestamp
  - sign: { key: own, parts: [timestamp, body] }
response: []
`,
);

const config = (name: TestKeyName): string => {
  const file = join(folder, `${name}.yaml`);
  const { certificateFile, keyFile } = testKey(name);
  writeFileSync(file, `keys:\n  own: { store: pem, certificate: ${certificateFile}, key: ${keyFile} }\n`);
  return file;
};
async function list(
  file: string,
  { json = false, provider, logs = [] }: { json?: boolean; provider?: string; logs?: readonly string[] } = {},
): Promise<{ code: number; text: string }> {
  const lines: string[] = [];
  const code = await runList({ config: file, provider, logs, json }, (line) => lines.push(line));
  return { code, text: lines.join('\n') };
}

describe('keys list', () => {
  it('prints keys with their uses; 0 when all are valid', async () => {
    const { code, text } = await list(config('client'));
    expect(code).toBe(0);
    expect(text).toContain(`key own  (${testKey('client').certificateFile}, with private key)`);
    expect(text).toContain('used by  orders request sign');
  });

  it('gives JSON, and 1 when a certificate has expired', async () => {
    const { code, text } = await list(config('expired'), { json: true });
    expect(code).toBe(1);
    expect(JSON.parse(text)).toMatchObject({
      certificates: [{ name: 'own', certificate: { state: 'expired' } }],
    });
  });

  it('tells by a log when a key was last used', async () => {
    const log = join(folder, 'gateway.log');
    const line = (time: string, key: string, outcome = 'ok'): string =>
      JSON.stringify({
        msg: 'exchange',
        time,
        service: 'orders',
        chain: 'request',
        outcome,
        total_us: 9,
        steps: [{ step: 'sign', us: 5, key }],
      });
    const times = ['2026-11-30T10:00:00.000Z', '2026-12-01T10:00:00.000Z', '2026-11-30T11:00:00.000Z'];
    const lines = times.map((time) => line(time, 'own')).concat(line('2027-01-01T00:00:00.000Z', 'other'));
    writeFileSync(log, `{"msg":"listening"}\n${lines.join('\n')}\n`);
    const { text } = await list(config('client'), { logs: [log] });
    expect(text).toContain('  last use 2026-12-01T10:00:00.000Z');
    const json = JSON.parse((await list(config('client'), { logs: [log], json: true })).text) as unknown;
    expect(json).toMatchObject({ certificates: [{ lastUse: '2026-12-01T10:00:00.000Z' }] });
    writeFileSync(log, '');
    expect((await list(config('client'), { logs: [log] })).text).toContain('  last use none in this log');
    expect((await list(config('client'))).text).toContain('--log FILE');
    await expect(list(config('client'), { logs: ['/none.log'] })).rejects.toMatchObject({ code: 'USAGE' });
  });

  it('exits as check does for a gateway file that cannot be used', async () => {
    expect(await list(config('client'), { provider: 'pkcs11' })).toMatchObject({ code: 3, text: '' });
    expect(await list(join(folder, 'none.yaml'))).toMatchObject({ code: 2, text: '' });
  });

  it('refuses a provider that does not exist', async () => {
    await expect(list(config('client'), { provider: 'java' })).rejects.toMatchObject({ code: 'USAGE' });
  });
});
