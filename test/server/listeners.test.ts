import { readFileSync } from 'node:fs';
import { createServer as createHttpsServer } from 'node:https';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { createServer as createNetServer } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  closeAll,
  envelope,
  listenPort,
  onClose,
  post,
  raw,
  serviceConfig,
  startGateway,
  startUpstream,
  until,
} from '../support/gateway.js';
import { issue, testKey } from '../support/pki.js';

afterEach(closeAll);

const identity = (
  name: Parameters<typeof testKey>[0],
): { cert: Buffer; key: Buffer; passphrase: undefined } => {
  const { certificateFile, keyFile } = testKey(name);
  return { cert: readFileSync(certificateFile), key: readFileSync(keyFile), passphrase: undefined };
};
/** The server's key with a certificate for `localhost`. */
const localhost = (): { cert: string; key: Buffer } => {
  const der = issue({
    of: 'server',
    dns: ['localhost'],
    keyUsage: ['digitalSignature', 'keyEncipherment'],
  }).der;
  const lines = Buffer.from(der).toString('base64').replace(/.{64}/g, '$&\n');
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: identity('server').key,
  };
};
const caFile = testKey('ca').certificateFile;

function postTls(
  port: number,
  body: string,
  options: RequestOptions,
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const request = httpsRequest(
      {
        host: '127.0.0.1',
        port,
        path: '/orders',
        method: 'POST',
        agent: false,
        headers: { 'Content-Type': 'text/xml' },
        checkServerIdentity: () => undefined,
        ...options,
      },
      (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, body: text });
        });
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

describe('clients', () => {
  it('are let in by bearer token or address, and the token goes no further', async () => {
    process.env['TEST_BEARER'] = 'secret-token';
    const upstream = await startUpstream();
    const { port, records } = await startGateway([serviceConfig(upstream.url)], {
      clients: [{ bearer: { env: 'TEST_BEARER' } }, { address: '10.0.0.0/8' }],
    });
    const body = envelope('1');
    expect((await post(port, body)).status).toBe(403);
    expect((await post(port, body, { headers: { Authorization: 'Bearer secret-tokem' } })).status).toBe(403);
    expect((await post(port, body, { headers: { Authorization: 'Basic secret-token' } })).status).toBe(403);
    expect(upstream.requests).toHaveLength(0);
    expect((await post(port, body, { headers: { Authorization: 'Bearer secret-token' } })).status).toBe(200);
    expect(upstream.requests[0]?.rawHeaders.join()).not.toMatch(/authorization/i);
    expect(records[0]).toMatchObject({ outcome: 'refused', code: 'CLIENT_UNAUTHORISED' });
  });

  it('are let in by address, and their own Authorization is passed on', async () => {
    const upstream = await startUpstream();
    const { port } = await startGateway([serviceConfig(upstream.url)], {
      clients: [{ address: '127.0.0.0/8' }],
    });
    expect((await post(port, envelope('1'), { headers: { Authorization: 'Basic eA==' } })).status).toBe(200);
    expect(upstream.requests[0]?.rawHeaders.join()).toContain('Basic eA==');
  });

  it('with the trace token see timings, others do not', async () => {
    process.env['TEST_TRACE'] = 'trace-me';
    const upstream = await startUpstream();
    const { port } = await startGateway([serviceConfig(upstream.url)], {
      admin: { host: '127.0.0.1', port: 0, bearer: undefined, traceToken: { env: 'TEST_TRACE' } },
    });
    const traced = await post(port, envelope('1'), { headers: { 'X-Countersign-Trace': 'trace-me' } });
    expect(traced.headers['server-timing']).toMatch(
      /^request\.receive;dur=\d+\.\d{3}, request\.send;dur=[\d.]+, upstream;dur=[\d.]+, response\.receive;dur=[\d.]+$/,
    );
    expect(upstream.requests[0]?.rawHeaders.join()).not.toContain('trace-me');
    const guessed = await post(port, envelope('1'), { headers: { 'X-Countersign-Trace': 'trace-mf' } });
    expect(guessed.headers['server-timing']).toBeUndefined();
  });
});

describe('TLS (HTT-14)', () => {
  it('is spoken with callers, who need a certificate of the client CA', async () => {
    const upstream = await startUpstream();
    const { port } = await startGateway(
      [serviceConfig(upstream.url)],
      { listen: { host: '127.0.0.1', port: 0, tls: { key: 'tls', clientCa: [caFile] } } },
      { tlsKey: () => identity('server') },
    );
    const ca = readFileSync(caFile);
    const body = envelope('1');
    expect(await postTls(port, body, { ca, ...identity('client') })).toEqual({ status: 200, body });
    await expect(postTls(port, body, { ca })).rejects.toThrow();
    await expect(postTls(port, body, { ca, ...identity('other') })).rejects.toThrow();
    await expect(postTls(port, body, { ca, ...identity('client'), maxVersion: 'TLSv1.1' })).rejects.toThrow();
    expect(upstream.requests).toHaveLength(1);
  });

  it.each(['undici', 'legacy'] as const)(
    'is spoken with upstreams, with a client certificate, over %s',
    async (transport) => {
      const server = createHttpsServer(
        { ...localhost(), ca: readFileSync(caFile), requestCert: true, rejectUnauthorized: true },
        (request, response) => {
          request.resume().on('end', () => response.end('<secure/>'));
        },
      );
      const port = await listenPort(server);
      onClose(
        () =>
          new Promise((resolve) => {
            server.close(() => {
              resolve();
            });
            server.closeAllConnections();
          }),
      );
      const url = `https://localhost:${port}/ws`;
      const parts = { tlsKey: () => identity('client') };
      const tls = { ca: [caFile], key: 'client' };
      const good = await startGateway([serviceConfig(url, { upstream: { url, transport, tls } })], {}, parts);
      const answer = await post(good.port, envelope('1'));
      expect(answer.body.toString()).toBe('<secure/>');
      await until(() => good.records.length === 2);
      const send = good.records[0]?.steps.find(({ step }) => step === 'send');
      expect(send?.parts).toMatchObject({
        connect: expect.any(Number),
        tls: expect.any(Number),
        write: expect.any(Number),
      });
      expect(send?.parts?.tls).toBeGreaterThan(0);

      const untrusted = { ca: [testKey('other').certificateFile], key: 'client' };
      const bad = await startGateway(
        [serviceConfig(url, { upstream: { url, transport, tls: untrusted } })],
        {},
        parts,
      );
      expect((await post(bad.port, envelope('1'))).status).toBe(502);
      expect(bad.records[0]).toMatchObject({ code: 'UPSTREAM_UNREACHABLE' });
      const anonymous = await startGateway([
        serviceConfig(url, { upstream: { url, transport, tls: { ca: [caFile], key: undefined } } }),
      ]);
      expect((await post(anonymous.port, envelope('1'))).status).toBe(502);
    },
  );
});

describe('transport: legacy', () => {
  it('takes what undici refuses', async () => {
    const octets =
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nX-Folded: a\r\n b\r\nContent-Type: text/xml\nContent-Length: 4\r\n\r\n<a/>';
    const server = createNetServer((socket) => {
      socket.on('error', () => {});
      socket.on('data', () => socket.write(octets));
    });
    const port = await listenPort(server as unknown as Parameters<typeof listenPort>[0]);
    onClose(
      () =>
        new Promise((resolve) => {
          server.close(() => {
            resolve();
          });
        }),
    );
    const url = `http://127.0.0.1:${port}/`;
    const legacy = await startGateway([
      serviceConfig(url, { upstream: { url, tls: undefined, transport: 'legacy' } }),
    ]);
    for (let i = 0; i < 3; i++) expect((await post(legacy.port, envelope('1'))).body.toString()).toBe('<a/>');
    const strict = await startGateway([serviceConfig(url)]);
    expect((await post(strict.port, envelope('1'))).status).toBe(502);
  });

  it('passes messages of every size', async () => {
    const upstream = await startUpstream();
    const config = serviceConfig(upstream.url, {
      upstream: { url: upstream.url, tls: undefined, transport: 'legacy' },
    });
    const { port, pool } = await startGateway([config]);
    for (const size of [0, 1000, 100_000, 2_000_000]) {
      const message = envelope('z'.repeat(size));
      expect((await post(port, message)).body.toString()).toBe(message);
    }
    await until(() => pool.stats.leased === 0);
  });
});

describe('admin', () => {
  const get = (port: number, path: string, headers = ''): Promise<{ text: string }> =>
    raw(port, `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}Connection: close\r\n\r\n`);

  it('tells health, services and metrics', async () => {
    const upstream = await startUpstream();
    const { port, adminPort } = await startGateway(
      [serviceConfig(upstream.url)],
      {},
      {
        refused: [{ name: 'broken', path: '/broken', reasons: [] }],
      },
    );
    await post(port, envelope('1'));
    await post(port, envelope('1'), { method: 'PUT' });
    const unavailable = await post(port, envelope('1'), { path: '/broken' });
    expect(unavailable.status).toBe(503);
    expect(unavailable.headers['retry-after']).toBe('60');
    expect(unavailable.headers['content-type']).toBe('text/xml; charset=utf-8');
    expect(unavailable.body.toString()).toContain('<faultcode>soap:Server</faultcode>');
    const looked = await post(port, '', { path: '/broken', method: 'GET' });
    expect(looked.status).toBe(503);
    expect(looked.body.toString()).toMatch(/^The service did not start or is shutting down\. \(reference/);
    expect((await get(adminPort, '/health/live')).text).toMatch(/200 OK[^]*\{"status":"live"\}$/);
    expect((await get(adminPort, '/health/ready')).text).toMatch(
      /200 OK[^]*"services":\{"orders":"ready","broken":"refused"\}/,
    );
    const { text } = await get(adminPort, '/metrics');
    expect(text).toMatch(
      /countersign_step_seconds_bucket\{service="orders",chain="request",step="send",provider="openssl",le="0.00005"\} \d/,
    );
    expect(text).toMatch(
      /countersign_part_seconds_count\{service="orders",chain="request",step="send",provider="openssl",part="write"\} 1/,
    );
    expect(text).toMatch(
      /countersign_exchange_seconds_count\{service="orders",chain="response",outcome="ok"\} 1/,
    );
    expect(text).toMatch(
      /countersign_refused_total\{service="orders",chain="request",code="HTTP_METHOD"\} 1/,
    );
    expect(text).toMatch(
      /countersign_refused_total\{service="broken",chain="request",code="SERVICE_UNAVAILABLE"\} 2/,
    );
    expect(text).toMatch(/# TYPE countersign_refused_total counter\n/);
    expect(text).toMatch(/# TYPE countersign_step_seconds histogram\n/);
    // The first scrape, too, says nothing odd.
    const delays = [...text.matchAll(/^nodejs_eventloop_lag_\w+ (\S+)$/gm)].map(([, value]) => Number(value));
    expect(delays.length).toBeGreaterThan(5);
    for (const delay of delays) expect(delay).toBeLessThan(60);
    const samples = text
      .slice(text.indexOf('\r\n\r\n') + 4)
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    for (const line of samples)
      expect(line).toMatch(/^[a-z_0-9]+(?:\{(?:[a-z_]+="[^"]*",?)+\})? -?[0-9.e+-]+$/);
    expect((await get(adminPort, '/nothing')).text).toMatch(/^HTTP\/1.1 404/);
    for (const path of ['/health/live', '/health/ready', '/metrics']) {
      const send = (method: string): Promise<{ text: string }> =>
        raw(adminPort, `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
      expect((await send('HEAD')).text).toMatch(
        /^HTTP\/1.1 200 OK\r\n[^]*Content-Length: [1-9]\d*\r\n[^]*\r\n\r\n$/,
      );
      expect((await send('POST')).text).toMatch(/^HTTP\/1.1 405 [^]*Allow: GET, HEAD\r\n/);
    }
  });

  it('asks for its token, and without one answers only to its own name', async () => {
    process.env['TEST_ADMIN'] = 'admin-token';
    const closed = await startGateway([], {
      admin: { host: '127.0.0.1', port: 0, bearer: { env: 'TEST_ADMIN' }, traceToken: undefined },
    });
    const asked = await get(closed.adminPort, '/metrics');
    expect(asked.text).toMatch(/^HTTP\/1.1 401 [^]*WWW-Authenticate: Bearer realm="countersign admin"\r\n/);
    for (const wrong of ['Bearer admin-tokem', 'Bearer ', 'Basic admin-token']) {
      const { text } = await get(closed.adminPort, '/metrics', `Authorization: ${wrong}\r\n`);
      expect(text).toMatch(/^HTTP\/1.1 401 [^]*WWW-Authenticate: Bearer /);
      expect(text.includes('error="invalid_token"')).toBe(wrong === 'Bearer admin-tokem');
    }
    expect((await get(closed.adminPort, '/metrics', 'Authorization: Bearer admin-token\r\n')).text).toMatch(
      /^HTTP\/1.1 200/,
    );
    const open = await startGateway([]);
    const { text } = await raw(
      open.adminPort,
      'GET /metrics HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n',
    );
    expect(text).toMatch(/^HTTP\/1.1 403/);
  });
});

describe('shutting down', () => {
  it('finishes what is under way, then closes', async () => {
    const upstream = await startUpstream((_request, response, body) => {
      setTimeout(() => response.end(body), 200);
    });
    const { gateway, port, records } = await startGateway([serviceConfig(upstream.url)]);
    const answer = post(port, envelope('1'));
    await until(() => upstream.requests.length === 1);
    const closing = gateway.close(5000);
    expect(gateway.readiness()).toMatchObject({ ready: false, status: 'draining' });
    expect((await answer).status).toBe(200);
    expect((await answer).headers.connection).toBe('close');
    await closing;
    expect(records).toHaveLength(2);
    await expect(post(port, envelope('1'))).rejects.toThrow(/ECONNREFUSED/);
  });

  it('breaks off what is not finished at the deadline', async () => {
    const upstream = await startUpstream(() => {});
    const { gateway, port, records } = await startGateway([
      serviceConfig(upstream.url, { timeouts: { connect: 1000, response: 20_000 } }),
    ]);
    const answer = post(port, envelope('1')).catch(() => 'broken');
    await until(() => upstream.requests.length === 1);
    await gateway.close(100);
    expect(await answer).toBe('broken');
    expect(records[1]).toMatchObject({ chain: 'response', outcome: 'error', code: 'CLIENT_ABORTED' });
  });
});
