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
async function list(file: string, json = false, provider?: string): Promise<{ code: number; text: string }> {
  const lines: string[] = [];
  const code = await runList({ config: file, provider, json }, (line) => lines.push(line));
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
    const { code, text } = await list(config('expired'), true);
    expect(code).toBe(1);
    expect(JSON.parse(text)).toMatchObject({
      certificates: [{ name: 'own', certificate: { state: 'expired' } }],
    });
  });

  it('gives the first error of a gateway file that cannot be used', async () => {
    await expect(list(config('client'), false, 'pkcs11')).rejects.toMatchObject({ code: 'KEY_HOME_MISSING' });
  });

  it('refuses a provider that does not exist and a file that is not there', async () => {
    await expect(list(config('client'), false, 'java')).rejects.toMatchObject({ code: 'USAGE' });
    await expect(list(join(folder, 'none.yaml'))).rejects.toMatchObject({ code: 'CONFIG_UNREADABLE' });
  });
});
