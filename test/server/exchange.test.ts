import { createServer as createNetServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { ServiceConfig } from '#src/policy/config.js';
import {
  closeAll,
  envelope,
  listenPort,
  mount,
  onClose,
  post,
  serviceConfig,
  startGateway,
  startUpstream,
  until,
  type TestGateway,
} from '../support/gateway.js';

afterEach(closeAll);

/** A service that speaks octets: every connection's first data is answered by `answer`. */
async function rawUpstream(answer: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createNetServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', () => {
      answer(socket);
    });
  });
  const port = await listenPort(server as unknown as Parameters<typeof listenPort>[0]);
  onClose(
    () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => {
          resolve();
        });
      }),
  );
  return `http://127.0.0.1:${port}/ws`;
}

const soap12 = { 'Content-Type': 'application/soap+xml; charset=utf-8' };

describe.each(['listener', 'middleware'])('an exchange without steps, through the %s', (door) => {
  async function start(config: ServiceConfig): Promise<TestGateway & { at: number }> {
    const started = await startGateway([config]);
    return { ...started, at: door === 'listener' ? started.port : await mount(started) };
  }

  it('passes message and answer as they are, with their headers', async () => {
    const upstream = await startUpstream();
    const { at, records } = await start(serviceConfig(upstream.url));
    const message = envelope('ä'.repeat(1000));
    const answer = await post(at, message, { path: '/orders?a=b', headers: { 'X-Custom': 'yes' } });
    expect(answer.status).toBe(200);
    expect(answer.body.toString()).toBe(message);
    expect(answer.headers['x-countersign-id']).toMatch(/^[0-9A-Z]{26}$/);
    const [request] = upstream.requests;
    expect(request?.url).toBe('/ws?a=b');
    expect(request?.body.toString()).toBe(message);
    const sent = request?.rawHeaders.join('\n');
    expect(sent).toContain('SOAPAction\n"urn:order"');
    expect(sent).toContain('X-Custom\nyes');
    expect(sent).toContain('Content-Type\ntext/xml; charset=utf-8');
    await until(() => records.length === 2);
    expect(records.map(({ chain, outcome }) => `${chain} ${outcome}`)).toEqual(['request ok', 'response ok']);
    expect(records[0]?.id).toBe(records[1]?.id);
    expect(records[0]?.id).toBe(answer.headers['x-countersign-id']);
    expect(records[0]?.steps.map(({ step }) => step)).toEqual(['receive', 'send']);
    expect(records[1]?.steps.map(({ step }) => step)).toEqual(['receive', 'send']);
    expect(records[1]?.upstream_us).toBeGreaterThan(0);
  });

  it('passes large messages through pooled buffers and gives them back', async () => {
    const upstream = await startUpstream();
    const { at, pool } = await start(serviceConfig(upstream.url));
    for (const size of [60_000, 70_000, 300_000, 3_000_000]) {
      const message = envelope('x'.repeat(size));
      const answer = await post(at, message);
      expect(answer.body.toString()).toBe(message);
    }
    await until(() => pool.stats.leased === 0);
    expect(pool.stats.retained).toBeGreaterThan(0);
  });

  it('answers for an upstream that is down, in the SOAP version of the caller, without a response record', async () => {
    const { at, records, stderr } = await start(serviceConfig('http://127.0.0.1:1/ws'));
    const old = await post(at, envelope('1'));
    expect(old.status).toBe(502);
    expect(old.body.toString()).toContain('http://schemas.xmlsoap.org/soap/envelope/');
    expect(old.body.toString()).toContain(`(reference ${String(old.headers['x-countersign-id'])})`);
    const fresh = await post(at, envelope('1'), { headers: soap12 });
    expect(fresh.status).toBe(502);
    expect(fresh.headers['content-type']).toContain('application/soap+xml');
    expect(fresh.body.toString()).toContain('http://www.w3.org/2003/05/soap-envelope');
    expect(records.map(({ chain, outcome, code, step }) => [chain, outcome, code, step])).toEqual([
      ['request', 'error', 'UPSTREAM_UNREACHABLE', 'send'],
      ['request', 'error', 'UPSTREAM_UNREACHABLE', 'send'],
    ]);
    expect(stderr[0]).toMatch(
      /request send UPSTREAM_UNREACHABLE: 127\.0\.0\.1:1 cannot be reached: ECONNREFUSED/,
    );
  });

  it.each<[string, 'undici' | 'legacy', string, number]>([
    ['a header field with a control character', 'legacy', '200 OK\r\nX-Fine: 1\r\nX-Odd: a\u0001b', 502],
    ['its twin', 'legacy', '200 OK\r\nX-Fine: 1\r\nX-Odd: a b', 200],
    ['status 999', 'undici', '999 Odd', 502],
    ['status 999', 'legacy', '999 Odd', 502],
    ['status 600', 'undici', '600 Odd', 502],
    ['its twin', 'undici', '599 Odd', 599],
  ])('answers for an upstream that sends %s, over %s', async (_what, transport, head, status) => {
    const url = await rawUpstream((socket) =>
      socket.end(`HTTP/1.1 ${head}\r\nContent-Type: text/xml\r\nContent-Length: 4\r\n\r\n<a/>`),
    );
    const { upstream } = serviceConfig(url);
    const { at, records, stderr } = await start(serviceConfig(url, { upstream: { ...upstream, transport } }));
    for (let i = 0; i < 2; i++) {
      const answer = await post(at, envelope('1'));
      expect(answer.status).toBe(status);
      if (status !== 502) continue;
      expect(answer.headers['x-fine']).toBeUndefined();
      expect(answer.body.toString()).toMatch(/<soap:Fault>.*\(reference [0-9A-Z]{26}\)/);
      expect(stderr[i]).toMatch(/orders response receive UPSTREAM_BAD_ANSWER: /);
    }
    await until(() => records.length === 4);
    if (status === 502) {
      expect(records[3]).toMatchObject({
        chain: 'response',
        outcome: 'refused',
        code: 'UPSTREAM_BAD_ANSWER',
      });
    }
  });

  it('gives up an upstream that does not answer in time, with a response record', async () => {
    const upstream = await startUpstream(() => {});
    const { at, records } = await start(
      serviceConfig(upstream.url, { timeouts: { connect: 50, response: 100 } }),
    );
    const answer = await post(at, envelope('1'));
    expect(answer.status).toBe(504);
    await until(() => records.length === 2);
    expect(records[0]).toMatchObject({ chain: 'request', outcome: 'ok' });
    expect(records[1]).toMatchObject({ chain: 'response', outcome: 'error', code: 'UPSTREAM_TIMEOUT' });
    expect(records[1]?.upstream_us).toBeGreaterThan(40_000);
  });

  it.each<[string, (socket: Socket) => void, number, string]>([
    ['closes without an answer', (socket) => socket.destroy(), 502, 'UPSTREAM_ABORTED'],
    [
      'breaks off in the head',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-'),
      502,
      'UPSTREAM_ABORTED',
    ],
    [
      'breaks off in the body',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc'),
      502,
      'UPSTREAM_ABORTED',
    ],
    ['is no HTTP server', (socket) => socket.end('SSH-2.0-x\r\n'), 502, 'UPSTREAM_ABORTED'],
    [
      'states too much',
      (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\nabc'),
      502,
      'UPSTREAM_TOO_LARGE',
    ],
    [
      'sends without end',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
        const more = (): void => {
          if (socket.destroyed) return;
          socket.write(`10000\r\n${'x'.repeat(65_536)}\r\n`);
          setImmediate(more);
        };
        more();
      },
      502,
      'UPSTREAM_TOO_LARGE',
    ],
    [
      'sends informational answers without end',
      (socket) => {
        const more = (): void => {
          if (socket.destroyed) return;
          socket.write('HTTP/1.1 103 Early Hints\r\n\r\n');
          setImmediate(more);
        };
        more();
      },
      502,
      'UPSTREAM_ABORTED',
    ],
    [
      'has two lengths',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd'),
      502,
      'UPSTREAM_ABORTED',
    ],
  ])('answers for an upstream that %s (HTT-12)', async (_name, misbehave, status, code) => {
    const limits = { ...serviceConfig('http://x').limits, response: 1_000_000 };
    const { at, records } = await start(serviceConfig(await rawUpstream(misbehave), { limits }));
    const answer = await post(at, envelope('1'));
    expect(answer.status).toBe(status);
    await until(() => records.length === 2);
    expect(records[0]).toMatchObject({ chain: 'request', outcome: 'ok' });
    expect(records[1]).toMatchObject({ chain: 'response', code });
  });

  it('sends a message once, whenever the upstream breaks off (HTT-13)', async () => {
    for (const bytes of [0, 1, 10, 1000]) {
      let connections = 0;
      const server = createNetServer((socket) => {
        connections += 1;
        let seen = 0;
        socket.on('error', () => {});
        if (bytes === 0) socket.destroy();
        socket.on('data', (chunk) => {
          seen += chunk.length;
          if (seen >= bytes) socket.resetAndDestroy();
        });
      });
      const port = await listenPort(server as unknown as Parameters<typeof listenPort>[0]);
      const { at } = await start(serviceConfig(`http://127.0.0.1:${port}/ws`));
      const answer = await post(at, envelope('x'.repeat(5000)));
      expect(answer.status).toBe(502);
      expect(connections).toBe(1);
      server.close();
    }
  });

  it('follows no redirect, and passes empty answers and faults', async () => {
    const statuses = [302, 202, 204, 200, 500];
    const upstream = await startUpstream((_request, response, body) => {
      const status = statuses.shift() ?? 200;
      const empty = status === 202 || status === 204 || status === 200;
      response.writeHead(status, {
        Location: 'http://127.0.0.1:1/',
        'X-Countersign-Id': 'theirs',
        Connection: 'X-Hop',
        'X-Hop': '1',
        'Content-Type': 'text/xml',
      });
      response.end(empty ? undefined : body);
    });
    const { at, records } = await start(serviceConfig(upstream.url));
    for (const status of [302, 202, 204, 200, 500]) {
      const answer = await post(at, envelope('1'));
      expect(answer.status).toBe(status);
      expect(answer.headers['x-countersign-id']).toMatch(/^[0-9A-Z]{26}$/);
      expect(answer.headers['x-hop']).toBeUndefined();
    }
    await until(() => records.length === 10);
    expect(records[9]).toMatchObject({ outcome: 'fault', code: 'UPSTREAM_FAULT' });
    expect(upstream.requests).toHaveLength(5);
  });
});

describe('records', () => {
  it('keep their promises over many exchanges, good and bad', async () => {
    let n = 0;
    const upstream = await startUpstream((request, response, body) => {
      n += 1;
      if (n % 7 === 0) request.socket.destroy();
      else if (n % 11 === 0) setTimeout(() => response.end(body), 150);
      else response.end(body);
    });
    const { port, records } = await startGateway([
      serviceConfig(upstream.url, { timeouts: { connect: 100, response: 100 } }),
    ]);
    const ids = new Set<string>();
    for (let round = 0; round < 40; round++) {
      const answers = await Promise.all(
        Array.from({ length: 25 }, (_, i) =>
          post(port, envelope('y'.repeat(i * 300)), i === 3 ? { method: 'PUT' } : {}),
        ),
      );
      for (const answer of answers) ids.add(String(answer.headers['x-countersign-id']));
    }
    await until(() => records.filter(({ chain }) => chain === 'response').length === 960);
    expect(ids.size).toBe(1000);
    const requests = new Map(
      records.filter(({ chain }) => chain === 'request').map((record) => [record.id, record]),
    );
    const responses = new Map(
      records.filter(({ chain }) => chain === 'response').map((record) => [record.id, record]),
    );
    expect(requests.size).toBe(1000);
    expect(responses.size).toBe(960);
    expect(records).toHaveLength(1960);
    for (const record of records) {
      const sum = record.steps.reduce((total, step) => total + step.us, 0);
      expect(sum).toBeLessThanOrEqual(record.total_us);
      let end = 0;
      for (const step of record.steps) {
        expect(step.start_us).toBeGreaterThanOrEqual(end - 1);
        end = step.start_us + step.us;
        const parts = Object.values(step.parts ?? {}).reduce((total, part) => total + part, 0);
        expect(parts).toBeLessThanOrEqual(step.us);
      }
      expect(Number.isInteger(record.total_us)).toBe(true);
      expect(record.loop_us).toBeGreaterThanOrEqual(0);
      if (record.outcome !== 'ok')
        expect(record).toMatchObject({ code: expect.any(String), step: expect.any(String) });
      if (record.chain === 'response') {
        expect(record.upstream_us).toBeGreaterThanOrEqual(0);
        expect(requests.get(record.id)?.outcome).toBe('ok');
      }
    }
  });
});
