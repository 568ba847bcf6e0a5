import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createGateway } from '#src/index.js';
import { root } from './support/paths.js';

let lab = '';
let order: Buffer;

beforeAll(() => {
  lab = join(mkdtempSync(join(tmpdir(), 'countersign-')), 'lab');
  spawnSync(process.execPath, [join(root, 'dist/cli/main.js'), 'init', lab]);
  order = readFileSync(join(lab, 'messages/order.xml'));
});

describe('createGateway', () => {
  it('runs chains over bytes, both ways', async () => {
    const client = await createGateway({ config: join(lab, 'client/countersign.yaml') });
    const server = await createGateway({ config: join(lab, 'server/countersign.yaml') });
    const sent = await client.process('orders', 'request', order);
    expect(sent.timings).toMatchObject({
      chain: 'request',
      outcome: 'ok',
      bytes: { in: order.length, out: sent.bytes.length },
    });
    const got = await server.process('orders', 'request', sent.bytes);
    expect(got.evidence.map(({ kind }) => kind).sort()).toEqual(['decrypted', 'signed', 'timestamp']);
    const plain = Buffer.from(got.bytes)
      .toString()
      .replace(/ xmlns:wsu="[^"]*"| wsu:Id="[^"]*"/g, '');
    expect(plain).toBe(order.toString());
    await expect(server.process('orders', 'request', sent.bytes)).rejects.toMatchObject({ code: 'REPLAYED' });

    const back = await server.process('orders', 'response', order, got.exchange);
    const answer = await client.process('orders', 'response', back.bytes, sent.exchange);
    expect(answer.timings.peer).toMatch(/^CN=server/);
    await expect(server.process('orders', 'response', order)).rejects.toMatchObject({
      code: 'REQUEST_SIGNER_MISSING',
    });
    await expect(server.process('none', 'request', order)).rejects.toMatchObject({ code: 'USAGE' });
    await client.close();
    await server.close();
  });

  it('says everything that is wrong with a configuration', async () => {
    const file = join(lab, 'client/services/orders.yaml');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace('- sign:', '- sing:'));
    try {
      await expect(createGateway({ config: join(lab, 'client/countersign.yaml') })).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
        message: expect.stringMatching(/orders\.yaml:\d+:\d+/),
      });
    } finally {
      writeFileSync(file, text);
    }
    await expect(createGateway({ config: { listn: {} } })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });
});
