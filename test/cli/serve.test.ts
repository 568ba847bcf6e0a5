import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startOrdersService } from '#src/cli/demo/upstream.js';
import { closeAll, listenPort, onClose, post, raw, until } from '../support/gateway.js';
import { root } from '../support/paths.js';

const cli = join(root, 'dist/cli/main.js');

afterEach(closeAll);

let lab = '';

beforeAll(() => {
  lab = join(mkdtempSync(join(tmpdir(), 'countersign-')), 'lab');
  spawnSync(process.execPath, [cli, 'init', lab]);
});

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listenPort(server as unknown as Parameters<typeof listenPort>[0]);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

interface Served {
  readonly child: ChildProcess;
  readonly port: number;
  readonly admin: number;
  out: string;
  err: string;
}

/** Runs `serve` on free ports, with a service that has no steps beside the sample. */
async function serve(upstream: string, broken = '', more: readonly string[] = []): Promise<Served> {
  const [port, admin] = [await freePort(), await freePort()];
  const folder = join(lab, 'client');
  const file = join(folder, `serve-${port}.yaml`);
  const text = readFileSync(join(folder, 'countersign.yaml'), 'utf8');
  writeFileSync(
    file,
    text
      .replace('8080', String(port))
      .replace('9090', String(admin))
      .replace('services/*.yaml', `plain-${port}/*.yaml`),
  );
  spawnSync('mkdir', ['-p', join(folder, `plain-${port}`)]);
  writeFileSync(
    join(folder, `plain-${port}/plain.yaml`),
    `path: /plain\nupstream: ${upstream}\nrequest: []\nresponse: []\n`,
  );
  if (broken !== '') writeFileSync(join(folder, `plain-${port}/broken.yaml`), broken);
  const child = spawn(process.execPath, [cli, 'serve', '--config', file, ...more], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onClose(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  const served: Served = { child, port, admin, out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => (served.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (served.err += chunk.toString()));
  await until(() => served.err.includes('listening on') || child.exitCode !== null, 20_000);
  return served;
}

describe('countersign serve', () => {
  it('serves, drains on SIGTERM and ends by itself', async () => {
    const orders = await startOrdersService();
    onClose(() => orders.close());
    const served = await serve(`http://127.0.0.1:${orders.port}/orders`);
    expect(served.err).toMatch(
      new RegExp(`listening on http://127.0.0.1:${served.port} \\(services: plain\\), admin`),
    );
    const body = '<a><o:article>SLOW</o:article></a>';
    const slow = post(served.port, body, { path: '/plain' });
    await until(() => orders.received.length === 1);
    served.child.kill('SIGHUP');
    await until(() => served.out.includes('SIGHUP is ignored'));
    served.child.kill('SIGTERM');
    await until(() => served.out.includes('draining'));
    expect((await slow).status).toBe(200);
    const [code] = (await once(served.child, 'exit')) as [number | null];
    expect(code).toBe(0);
    const lines = served.out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { msg: string; chain?: string });
    expect(lines.map(({ msg, chain }) => chain ?? msg)).toEqual([
      'listening',
      'request',
      expect.any(String),
      'draining',
      'response',
    ]);
  }, 60_000);

  it('runs several workers behind one port, and counts them together', async () => {
    const orders = await startOrdersService();
    onClose(() => orders.close());
    const served = await serve(`http://127.0.0.1:${orders.port}/orders`, '', ['--workers', '2']);
    expect(served.err).toContain(`listening on http://127.0.0.1:${served.port}`);
    for (let i = 0; i < 10; i++)
      expect((await post(served.port, '<a/>', { path: '/plain' })).status).toBe(200);
    const metrics = (): Promise<{ text: string }> =>
      raw(served.admin, 'GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    for (let i = 0; i < 2; i++) {
      expect((await metrics()).text).toMatch(
        /countersign_exchange_seconds_count\{service="plain",chain="request",outcome="ok"\} 10\n/,
      );
    }
    const slow = post(served.port, '<a><o:article>SLOW</o:article></a>', { path: '/plain' });
    await until(() => orders.received.length === 11);
    served.child.kill('SIGTERM');
    expect((await slow).status).toBe(200);
    expect((await once(served.child, 'exit'))[0]).toBe(0);
  }, 60_000);

  it('refuses a service with errors and serves the others', async () => {
    const served = await serve(
      'http://127.0.0.1:1/',
      'path: /broken\nupstream: http://127.0.0.1:1/\nrequest:\n  - sing: {}\nresponse: []\n',
    );
    expect(served.err).toMatch(/broken\.yaml:4:5/);
    expect(served.err).toMatch(/refused: broken/);
    const ready = await raw(
      served.admin,
      'GET /health/ready HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
    );
    expect(ready.text).toMatch(/200 OK[^]*"services":\{"plain":"ready","broken":"refused"\}/);
    expect((await post(served.port, '<a/>', { path: '/broken' })).status).toBe(503);
    expect((await post(served.port, '<a/>', { path: '/plain' })).status).toBe(502);
    await until(() => /refused [0-9A-Z]{26} plain request send UPSTREAM_UNREACHABLE/.test(served.err));
  }, 60_000);

  it('says which listener cannot be opened, and that this is the configuration', async () => {
    const first = await serve('http://127.0.0.1:1/');
    const file = join(lab, 'client', `serve-${first.port}.yaml`);
    for (const more of [[], ['--workers', '2']]) {
      const ended = spawnSync(process.execPath, [cli, 'serve', '--config', file, ...more], {
        encoding: 'utf8',
        timeout: 15_000,
      });
      expect(ended.status).toBe(2);
      expect(ended.stderr).toMatch(
        new RegExp(`LISTEN_FAILED: cannot listen on 127.0.0.1 port ${first.port}: .*EADDRINUSE`),
      );
    }
  }, 60_000);

  it.each([
    [['--workers', 'x'], /--workers <n>' argument 'x' is invalid/],
    [['--provider', 'gnutls'], /--provider gnutls is none of/],
    [['--config', '/nonexistent.yaml'], /nonexistent/],
  ])('says what is wrong with %j', (args, said) => {
    const ended = spawnSync(process.execPath, [cli, 'serve', ...args], { encoding: 'utf8' });
    expect(ended.status).toBe(2);
    expect(ended.stderr).toMatch(said);
  });
});
