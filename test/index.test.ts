import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { systemClock } from '#src/core/clock.js';
import { createGateway } from '#src/index.js';
import { openLog } from '#src/server/log.js';
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

  it('refuses a service with errors, says why, and runs the others', async () => {
    const folder = join(lab, 'client/services');
    const text = readFileSync(join(folder, 'orders.yaml'), 'utf8');
    writeFileSync(
      join(folder, 'broken.yaml'),
      text.replace('- sign:', '- sing:').replace('path: /orders', 'path: /broken'),
    );
    const lines: string[] = [];
    const log = openLog(systemClock, { write: (line) => lines.push(line) });
    const gateway = await createGateway({ config: join(lab, 'client/countersign.yaml'), log });
    try {
      expect(gateway.refused).toEqual([
        {
          name: 'broken',
          path: '/broken',
          reasons: [
            expect.objectContaining({
              code: 'CONFIG_UNKNOWN_NAME',
              message: expect.stringMatching(/broken\.yaml:\d+:\d+/),
            }),
          ],
        },
      ]);
      expect(lines.join('')).toMatch(
        /"service":"broken","code":"CONFIG_UNKNOWN_NAME".*"msg":"service refused"/,
      );
      await expect(gateway.process('broken', 'request', order)).rejects.toMatchObject({
        code: 'SERVICE_UNAVAILABLE',
        message: expect.stringContaining('broken.yaml'),
      });
      expect((await gateway.process('orders', 'request', order)).timings.outcome).toBe('ok');
    } finally {
      await gateway.close();
      rmSync(join(folder, 'broken.yaml'));
    }
    const good = await createGateway({ config: join(lab, 'client/countersign.yaml') });
    expect(good.refused).toEqual([]);
    await good.close();
  });

  it.each([
    ['is no YAML', (text: string) => text.replace('path: /orders', 'path: [/broken'), 'CONFIG_INVALID'],
    ['has no path', (text: string) => text.replace('path: /orders', ''), 'CONFIG_INVALID'],
    [
      'has a path and another error',
      (text: string) => text.replace('path: /orders', 'path: /b\nsteps: 1'),
      '',
    ],
  ])('does not pass on what is meant for a service whose file %s', async (_what, change, code) => {
    const folder = join(lab, 'client/services');
    const text = readFileSync(join(folder, 'orders.yaml'), 'utf8');
    writeFileSync(join(folder, 'broken.yaml'), change(text));
    const log = openLog(systemClock, { write: () => undefined });
    try {
      const made = createGateway({ config: join(lab, 'client/countersign.yaml'), log });
      if (code !== '') {
        await expect(made).rejects.toMatchObject({ code, message: expect.stringContaining('broken.yaml') });
        return;
      }
      const gateway = await made;
      expect(gateway.refused).toMatchObject([{ name: 'broken', path: '/b' }]);
      await gateway.close();
    } finally {
      rmSync(join(folder, 'broken.yaml'));
    }
  });

  it('asks for the secrets of its callers', async () => {
    const config = { services: {}, clients: [{ bearer: { env: 'COUNTERSIGN_NO_SUCH' } }] };
    await expect(createGateway({ config })).rejects.toMatchObject({ code: 'SECRET_UNAVAILABLE' });
    const known = { services: {}, clients: [{ bearer: { env: 'PATH' } }] };
    await (await createGateway({ config: known })).close();
  });

  it('does not start when the gateway itself is configured wrongly, and says everything', async () => {
    await expect(createGateway({ config: { listn: {} } })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('listn'),
    });
  });
});
