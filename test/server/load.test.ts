import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Bounds } from '#src/server/bounds.js';
import {
  closeAll,
  envelope,
  mount,
  onClose,
  post,
  serviceConfig,
  startGateway,
  startUpstream,
  until,
  type TestAnswer,
  type TestGateway,
} from '../support/gateway.js';
import { testKey } from '../support/pki.js';

afterEach(closeAll);

/** Short enough to wait for. */
const hasty: Partial<Bounds> = { handshake: 500, headers: 800, body: 800, read: 600, interval: 50 };

interface Watched {
  readonly socket: Socket;
  text: string;
  closed: boolean;
}

/** A connection that a test does with what it likes. */
async function open(port: number): Promise<Watched> {
  const socket = connect(port, '127.0.0.1');
  const watched: Watched = { socket, text: '', closed: false };
  socket.on('data', (chunk) => (watched.text += chunk.toString('latin1')));
  socket.on('error', () => {});
  socket.on('close', () => (watched.closed = true));
  onClose(() => {
    socket.destroy();
    return Promise.resolve();
  });
  await new Promise((resolve) => socket.once('connect', resolve));
  return watched;
}

/** Sends an octet every 20 ms for as long as the other side listens. */
function drip({ socket }: Watched, octet: string): void {
  const timer = setInterval(() => {
    if (socket.destroyed || !socket.writable) clearInterval(timer);
    else socket.write(octet);
  }, 20);
  socket.on('close', () => {
    clearInterval(timer);
  });
}

const head = (length: number): string =>
  `POST /orders HTTP/1.1\r\nHost: g\r\nContent-Type: text/xml\r\nContent-Length: ${length}\r\n\r\n`;
const body = envelope('1');

async function start(
  bounds: Partial<Bounds>,
  answer?: Parameters<typeof startUpstream>[0],
): Promise<TestGateway> {
  const upstream = await startUpstream(answer);
  return startGateway([serviceConfig(upstream.url)], {}, {}, bounds);
}

describe('slow callers (HTT-03)', () => {
  it('whose header fields do not come in time are closed', async () => {
    const { port, stderr } = await start(hasty);
    const silent = await open(port);
    const slow = await open(port);
    slow.socket.write('POST /orders HTTP/1.1\r\nX-Slow: ');
    drip(slow, 'x');
    await until(() => silent.closed && slow.closed, 10_000);
    expect(slow.text).toMatch(
      /^HTTP\/1\.1 408 Request Timeout\r\n[^]*\r\n\r\nThe request did not arrive in time\./,
    );
    expect(silent.text).toBe('');
    expect(stderr).toEqual([expect.stringMatching(/HTTP_TIMEOUT/)]);
    const inTime = await open(port);
    inTime.socket.write(head(body.length).slice(0, 20));
    await new Promise((resolve) => setTimeout(resolve, 100));
    inTime.socket.write(head(body.length).slice(20) + body);
    await until(() => inTime.text.includes('200 OK'));
  });

  it.each(['Content-Length', 'chunked'])(
    'whose body drips, by %s, are answered 408 at the deadline',
    async (kind) => {
      const { port, records } = await start(hasty);
      const chunked = kind === 'chunked';
      const slow = await open(port);
      slow.socket.write(
        chunked ? head(0).replace('Content-Length: 0', 'Transfer-Encoding: chunked') : head(100_000),
      );
      drip(slow, chunked ? '1\r\nx\r\n' : 'x');
      await until(() => slow.closed, 10_000);
      expect(slow.text).toMatch(/^HTTP\/1\.1 408 /);
      expect(records).toEqual([
        expect.objectContaining({
          chain: 'request',
          outcome: 'error',
          code: 'HTTP_TIMEOUT',
          step: 'receive',
        }),
      ]);
      expect((await post(port, body)).status).toBe(200);
    },
  );

  it('who do not read their answer are cut off, and the memory is given back', async () => {
    const sizes = [60_000_000, 1_000_000];
    const upstream = await startUpstream((_request, response) => {
      response.end(Buffer.alloc(sizes.shift() ?? 0, 'x'));
    });
    const limits = { ...serviceConfig(upstream.url).limits, response: 100_000_000 };
    const config = serviceConfig(upstream.url, { limits });
    const { port, pool, records } = await startGateway([config], {}, {}, hasty);
    const deaf = await open(port);
    deaf.socket.pause();
    deaf.socket.write(head(body.length) + body);
    await until(() => records.length === 2, 10_000);
    expect(records[1]).toMatchObject({ chain: 'response', outcome: 'error', code: 'CLIENT_ABORTED' });
    await until(() => pool.stats.leased === 0);
    expect((await post(port, body)).body).toHaveLength(1_000_000);
  });

  it('who never begin the TLS handshake are closed', async () => {
    const { certificateFile, keyFile } = testKey('server');
    const identity = {
      cert: readFileSync(certificateFile),
      key: readFileSync(keyFile),
      passphrase: undefined,
    };
    const listen = { host: '127.0.0.1', port: 0, tls: { key: 'tls', clientCa: [] } };
    const { port, stderr } = await startGateway([], { listen }, { tlsKey: () => identity }, hasty);
    const silent = await open(port);
    await until(() => silent.closed, 10_000);
    expect(stderr.join()).toMatch(/HTTP_TIMEOUT: the TLS handshake did not end in time/);
    const plain = await open(port);
    plain.socket.write('GET / HTTP/1.1\r\n\r\n');
    await until(() => plain.closed);
    expect(stderr.join()).toMatch(/HTTP_FRAMING: the TLS handshake failed: ERR_SSL_HTTP_REQUEST/);
    // One that has just begun does not hold up the end of the gateway: afterEach waits for it.
    await open((await startGateway([], { listen }, { tlsKey: () => identity })).port);
  });

  it('in masses cost little memory and do not keep others waiting', async () => {
    const { port } = await start({});
    const before = process.memoryUsage();
    const slow = await Promise.all(Array.from({ length: 1000 }, () => open(port)));
    // Each announces the most that it may send, and sends one octet.
    for (const { socket } of slow) socket.write(`${head(4 * 1024 * 1024)}<`);
    const times: number[] = [];
    for (let i = 0; i < 50; i++) {
      const begun = performance.now();
      expect((await post(port, body)).status).toBe(200);
      times.push(performance.now() - begun);
    }
    const after = process.memoryUsage();
    expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(64 * 1024 * 1024);
    expect(times.sort((a, b) => a - b)[25]).toBeLessThan(250);
    expect(slow.some(({ closed }) => closed)).toBe(false);
  }, 60_000);

  it('whose body comes in a great many crumbs are refused', async () => {
    const { port, records } = await start({});
    const crumbs = (count: number, size: number): string =>
      head(0).replace('Content-Length: 0', 'Transfer-Encoding: chunked') +
      `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`.repeat(count) +
      '0\r\n\r\n';
    const many = await open(port);
    many.socket.write(crumbs(100_000, 1));
    await until(() => many.closed, 10_000);
    expect(many.text).toMatch(/^HTTP\/1\.1 400 /);
    expect(records[0]).toMatchObject({ code: 'HTTP_FRAMING', step: 'receive' });
    for (const [count, size] of [
      [4000, 1],
      [6000, 20],
    ] as const) {
      const twin = await open(port);
      twin.socket.write(crumbs(count, size));
      await until(() => twin.text.includes('HTTP/1.1 200 OK'), 10_000);
    }
  });
});

describe('too many at a time (HTT-15)', () => {
  it.each(['listener', 'middleware'])(
    'are answered 503 through the %s, and served again afterwards',
    async (door) => {
      const held: (() => void)[] = [];
      const gateway = await start({ exchanges: 4 }, (_request, response, octets) => {
        held.push(() => response.end(octets));
      });
      const at = door === 'listener' ? gateway.port : await mount(gateway);
      const served = Array.from({ length: 4 }, () => post(at, body));
      await until(() => held.length === 4);
      const refused: TestAnswer[] = [];
      for (let i = 0; i < 6; i++) refused.push(await post(at, body));
      for (const answer of refused) {
        expect(answer.status).toBe(503);
        expect(answer.headers['retry-after']).toBe('2');
        expect(answer.body.toString()).toMatch(
          /^The gateway has too much to do.*\(reference [0-9A-Z]{26}\)\n$/,
        );
      }
      expect(held).toHaveLength(4);
      for (const answer of held.splice(0)) answer();
      for (const answer of await Promise.all(served)) expect(answer.status).toBe(200);
      expect(gateway.records.filter(({ code }) => code === 'SERVICE_OVERLOADED')).toHaveLength(6);
      expect(gateway.records.find(({ code }) => code === 'SERVICE_OVERLOADED')).toMatchObject({
        outcome: 'error',
      });
      const again = Array.from({ length: 4 }, () => post(at, body));
      await until(() => held.length === 4);
      for (const answer of held.splice(0)) answer();
      for (const answer of await Promise.all(again)) expect(answer.status).toBe(200);
    },
  );

  it('bytes are refused too, however few the messages; one alone is always let in', async () => {
    const held: (() => void)[] = [];
    const { port, pool } = await start({ bytes: 250_000 }, (_request, response, octets) => {
      held.push(() => response.end(octets));
    });
    const large = envelope('x'.repeat(100_000));
    const served = [post(port, large), post(port, large)];
    await until(() => held.length === 2);
    expect((await post(port, large)).status).toBe(503);
    for (const answer of held.splice(0)) answer();
    for (const answer of await Promise.all(served)) expect(answer.status).toBe(200);
    const alone = post(port, envelope('x'.repeat(300_000)));
    await until(() => held.length === 1);
    held.pop()?.();
    expect((await alone).status).toBe(200);
    await until(() => pool.stats.leased === 0);
  });

  it('places are given back whatever becomes of an exchange', async () => {
    let n = 0;
    const { port } = await start({ exchanges: 2 }, (request, response, octets) => {
      n += 1;
      if (n % 3 === 0) request.socket.destroy();
      else response.end(octets);
    });
    for (let i = 0; i < 12; i++) {
      expect((await post(port, body)).status).toBe(i % 3 === 2 ? 502 : 200);
      expect((await post(port, 'x', { headers: { 'Content-Type': 'text/plain' } })).status).toBe(415);
    }
  });

  it('connections beyond the most are closed, and taken again when there is room', async () => {
    const { port } = await start({ connections: 3 });
    const kept = [await open(port), await open(port), await open(port)];
    const more = await open(port);
    await until(() => more.closed);
    kept[0]?.socket.destroy();
    await until(() => kept[0]?.closed === true);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await post(port, body)).status).toBe(200);
  });
});
