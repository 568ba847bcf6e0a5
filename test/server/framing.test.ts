import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { TestAnswer, TestGateway, TestUpstream } from '../support/gateway.js';
import {
  closeAll,
  envelope,
  post,
  raw,
  serviceConfig,
  soapHeaders,
  startGateway,
  startUpstream,
} from '../support/gateway.js';

afterEach(closeAll);

const body = envelope('1');
const length = Buffer.byteLength(body);
const base = 'Host: gateway\r\nContent-Type: text/xml; charset=utf-8\r\nSOAPAction: "urn:order"\r\n';
const good = `POST /orders HTTP/1.1\r\n${base}Content-Length: ${length}\r\n\r\n${body}`;
const chunked = `${length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;

async function start(changes = {}): Promise<{ gateway: TestGateway; upstream: TestUpstream }> {
  const upstream = await startUpstream();
  return { upstream, gateway: await startGateway([serviceConfig(upstream.url, changes)]) };
}

/** One line for people, the same for everybody but for the reference; nothing of the message or the policy. */
function expectPlainText({ headers, body: text }: TestAnswer, said: string | RegExp): void {
  expect(headers['content-type']).toBe('text/plain; charset=utf-8');
  const [, sentence, id] = /^(.*) \(reference ([0-9A-Z]{26})\)\n$/.exec(text.toString()) ?? [];
  expect(sentence).toMatch(said);
  expect(id).toBe(headers['x-countersign-id']);
}

/** HTT-01, HTT-04: what must be refused, and the status. Each is followed by a good request that must not be looked at. */
const refused: [string, string, number][] = [
  ['CL and TE', `${base}Content-Length: ${length}\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`, 400],
  ['two CL', `${base}Content-Length: ${length}\r\nContent-Length: ${length}\r\n\r\n${body}`, 400],
  ['two CL that differ', `${base}Content-Length: ${length}\r\nContent-Length: 0\r\n\r\n${body}`, 400],
  ['CL with a sign', `${base}Content-Length: +${length}\r\n\r\n${body}`, 400],
  ['CL list', `${base}Content-Length: ${length},${length}\r\n\r\n${body}`, 400],
  ['TE xchunked', `${base}Transfer-Encoding: xchunked\r\n\r\n${chunked}`, 400],
  ['TE chunked, identity', `${base}Transfer-Encoding: chunked, identity\r\n\r\n${chunked}`, 400],
  ['TE gzip, chunked', `${base}Transfer-Encoding: gzip, chunked\r\n\r\n${chunked}`, 400],
  ['two TE', `${base}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`, 400],
  ['space before the colon', `${base}Content-Length : ${length}\r\n\r\n${body}`, 400],
  ['folded field', `${base}X-Folded: a\r\n b\r\nContent-Length: ${length}\r\n\r\n${body}`, 400],
  ['bare LF', `Host: gateway\nContent-Length: ${length}\n\n${body}`, 400],
  ['bare CR', `${base}X-Cr: a\rb\r\nContent-Length: ${length}\r\n\r\n${body}`, 400],
  ['two Host', `Host: other\r\n${base}Content-Length: ${length}\r\n\r\n${body}`, 400],
  ['no Host', `Content-Type: text/xml\r\nContent-Length: ${length}\r\n\r\n${body}`, 400],
  ['two SOAPAction', `SOAPAction: "urn:other"\r\n${base}Content-Length: ${length}\r\n\r\n${body}`, 400],
  ['two Content-Type', `${base}Content-Type: text/xml\r\nContent-Length: ${length}\r\n\r\n${body}`, 400],
  [
    'Connection names SOAPAction',
    `${base}Connection: SOAPAction\r\nContent-Length: ${length}\r\n\r\n${body}`,
    400,
  ],
  [
    'Connection names Content-Length',
    `${base}Connection: content-length\r\nContent-Length: ${length}\r\n\r\n${body}`,
    400,
  ],
  [
    'headers of 17 KiB',
    `${base}X-Long: ${'x'.repeat(17 * 1024)}\r\nContent-Length: ${length}\r\n\r\n${body}`,
    431,
  ],
  [
    '101 header fields',
    `${base}${Array.from({ length: 97 }, (_, i) => `X-${i}: 1\r\n`).join('')}Content-Length: ${length}\r\n\r\n${body}`,
    431,
  ],
  ['bad chunk size', `${base}Transfer-Encoding: chunked\r\n\r\nzz\r\n${body}\r\n0\r\n\r\n`, 400],
  [
    'chunk size too large',
    `${base}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n${body}\r\n0\r\n\r\n`,
    400,
  ],
];

describe('framing (HTT-01, HTT-02, HTT-04, HTT-09)', () => {
  it.each(refused)('refuses %s, and what follows', async (_name, head, status) => {
    const { gateway, upstream } = await start();
    const { text, closed } = await raw(gateway.port, `POST /orders HTTP/1.1\r\n${head}${good}`);
    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(text).toMatch(/X-Countersign-Id: [0-9A-Z]{26}/);
    expect(text).toMatch(
      /Content-Type: text\/plain; charset=utf-8\r\n[^]*\r\n\r\nThe .*\. \(reference [0-9A-Z]{26}\)\n$/,
    );
    expect(closed).toBe(true);
    expect(upstream.bytes).toBe(0);
  });

  it('accepts their twins: Content-Length, chunked in any case, two requests in one segment', async () => {
    const { gateway, upstream } = await start();
    const te = `POST /orders HTTP/1.1\r\n${base}transfer-encoding: Chunked\r\n\r\n${chunked}`;
    const last = good.replace('Host:', 'Connection: close\r\nHost:');
    const { text } = await raw(gateway.port, good + te + last);
    expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(3);
    expect(upstream.requests.map((request) => request.body.toString())).toEqual([body, body, body]);
    for (const { rawHeaders } of upstream.requests) {
      expect(rawHeaders.filter((name) => /^content-length$/i.test(name))).toHaveLength(1);
      expect(rawHeaders.some((name) => /^transfer-encoding$/i.test(name))).toBe(false);
    }
  });

  it('accepts exactly 100 header fields', async () => {
    const { gateway } = await start();
    const many = Array.from({ length: 95 }, (_, i) => `X-${i}: 1\r\n`).join('');
    const { text } = await raw(
      gateway.port,
      `POST /orders HTTP/1.1\r\n${base}${many}Content-Length: ${length}\r\nConnection: close\r\n\r\n${body}`,
    );
    expect(text).toMatch(/^HTTP\/1\.1 200/);
  });

  it('refuses a URL of 64 KiB', async () => {
    const { gateway } = await start();
    const { text } = await raw(gateway.port, good.replace('/orders', `/orders?${'x'.repeat(65_536)}`));
    expect(text).toMatch(/^HTTP\/1\.1 431 /);
  });
});

describe('methods and paths (HTT-06, HTT-07, HTT-10)', () => {
  it.each(['GET', 'PUT', 'DELETE', 'TRACE', 'OPTIONS', 'HEAD', 'PATCH'])(
    'refuses %s with Allow',
    async (method) => {
      const { gateway, upstream } = await start();
      const answer = await post(gateway.port, '', { method, headers: { 'X-HTTP-Method-Override': 'POST' } });
      expect(answer.status).toBe(405);
      expect(answer.headers.allow).toBe('POST, GET');
      if (method === 'HEAD') expect(answer.body).toHaveLength(0);
      else expectPlainText(answer, 'The HTTP method is not accepted here.');
      expect(upstream.bytes).toBe(0);
    },
  );

  it.each([
    '//orders',
    '/orders/',
    '/Orders',
    '/%6frders',
    '/x/../orders',
    '/x/%2e%2e/orders',
    '/orders;x',
    '/orders.',
    '/orders%2f',
    '\\orders',
    '/',
    'http://gateway/orders',
  ])('knows no service at %s', async (path) => {
    const { gateway, upstream } = await start();
    const { text } = await raw(gateway.port, good.replace('/orders', path));
    expect(text).toMatch(/^HTTP\/1\.1 40[04] /);
    expect(text).toMatch(/\r\n\r\nThe(?:re is no service at this path| HTTP request is framed).*\(reference/);
    expect(text).not.toMatch(/express|node|html/i);
    expect(upstream.bytes).toBe(0);
  });

  it('has nothing of the admin listener (ADM-01)', async () => {
    const { gateway } = await start();
    for (const path of ['/health/live', '/health/ready', '/metrics', '/console/', '/api/']) {
      const { text } = await raw(
        gateway.port,
        `GET ${path} HTTP/1.1\r\nHost: gateway\r\nConnection: close\r\n\r\n`,
      );
      expect(text).toMatch(/^HTTP\/1\.1 404 /);
    }
  });

  it.each(['h2c', 'websocket'])('ignores an upgrade to %s', async (protocol) => {
    const { gateway, upstream } = await start();
    const { text } = await raw(
      gateway.port,
      good.replace('Host:', `Connection: Upgrade, close\r\nUpgrade: ${protocol}\r\nHost:`),
      1000,
    );
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
    expect(upstream.requests[0]?.rawHeaders.join()).not.toMatch(/upgrade/i);
  });

  it('refuses CONNECT and the HTTP/2 preface', async () => {
    const { gateway, upstream } = await start();
    const connect = await raw(gateway.port, 'CONNECT /orders HTTP/1.1\r\nHost: gateway\r\n\r\n');
    expect(connect.closed).toBe(true);
    const preface = await raw(gateway.port, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
    expect(preface.text).toMatch(/^HTTP\/1\.1 400 /);
    expect(upstream.bytes).toBe(0);
  });

  it('continues a request that waits for it, and refuses one that is too large before its body', async () => {
    const { gateway } = await start({ limits: { ...serviceConfig('http://x').limits, envelope: 1000 } });
    const waiting = good.replace('Host:', 'Expect: 100-continue\r\nConnection: close\r\nHost:');
    expect((await raw(gateway.port, waiting)).text).toMatch(
      /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /,
    );
    const large = waiting.replace(`Length: ${length}`, 'Length: 100000').slice(0, -length);
    expect((await raw(gateway.port, large)).text).toMatch(/^HTTP\/1\.1 413 /);
    expect((await raw(gateway.port, waiting.replace('100-continue', '200-ok'))).text).toMatch(
      /^HTTP\/1\.1 417 /,
    );
  });
});

describe('bodies (HTT-05)', () => {
  const message = envelope('x'.repeat(5000));
  const zipped = gzipSync(message);

  it('decodes one gzip', async () => {
    const { gateway, upstream } = await start();
    const answer = await post(gateway.port, zipped, { headers: { 'Content-Encoding': 'gzip' } });
    expect(answer.status).toBe(200);
    expect(upstream.requests[0]?.body.toString()).toBe(message);
    expect(upstream.requests[0]?.rawHeaders.join()).not.toMatch(/encoding/i);
  });

  it.each<[string, Buffer, string, number]>([
    ['two members', Buffer.concat([zipped, zipped]), 'gzip', 415],
    ['something after it', Buffer.concat([zipped, Buffer.from('x')]), 'gzip', 415],
    [
      'a wrong checksum',
      Buffer.concat([zipped.subarray(0, -8), Buffer.alloc(4), zipped.subarray(-4)]),
      'gzip',
      415,
    ],
    ['a cut member', zipped.subarray(0, -20), 'gzip', 415],
    ['stacked codings', gzipSync(zipped), 'gzip, gzip', 415],
    ['brotli', zipped, 'br', 415],
    ['no gzip at all', Buffer.from(message), 'gzip', 415],
    ['a bomb', gzipSync(Buffer.alloc(20_000_000, 32)), 'gzip', 413],
  ])('refuses %s', async (_name, octets, coding, status) => {
    const { gateway, upstream } = await start();
    const answer = await post(gateway.port, octets, { headers: { 'Content-Encoding': coding } });
    expect(answer.status).toBe(status);
    expectPlainText(
      answer,
      status === 413 ? 'The message is larger than the limit.' : /^The content encoding/,
    );
    expect(upstream.bytes).toBe(0);
  });

  it.each<[string, Record<string, string>, string]>([
    ['another content type', { 'Content-Type': 'application/json' }, 'HTTP_MEDIA_TYPE'],
    ['a content type that is none', { 'Content-Type': 'text/xml; charset' }, 'HTTP_MEDIA_TYPE'],
    [
      'attachments',
      { 'Content-Type': 'multipart/related; boundary=x; type="text/xml"' },
      'ATTACHMENTS_REFUSED',
    ],
  ])('refuses %s', async (_name, headers, code) => {
    const { gateway, upstream } = await start({ attachments: 'refuse' });
    const answer = await post(gateway.port, body, { headers });
    expect(answer.status).toBe(415);
    expectPlainText(answer, /^The (?:content type|message has attachments)/);
    expect(upstream.bytes).toBe(0);
    expect(gateway.lines).toContainEqual(
      expect.objectContaining({ msg: 'refused', code, service: 'orders', chain: 'request' }),
    );
    expect(gateway.stderr[0]).toMatch(new RegExp(`^refused [0-9A-Z]{26} orders request receive ${code}: `));
    expect(gateway.records).toEqual([
      expect.objectContaining({ chain: 'request', outcome: 'refused', code }),
    ]);
  });

  it('refuses a message over the limit, stated or not', async () => {
    const { gateway, upstream } = await start({
      limits: { ...serviceConfig('http://x').limits, envelope: 1000 },
    });
    const large = envelope('x'.repeat(100_000));
    expect((await post(gateway.port, large)).status).toBe(413);
    const unstated = await raw(
      gateway.port,
      `POST /orders HTTP/1.1\r\n${base}Transfer-Encoding: chunked\r\n\r\n${large.length.toString(16)}\r\n${large}\r\n0\r\n\r\n`,
    );
    expect(unstated.text).toMatch(/^HTTP\/1\.1 413 /);
    expect((await post(gateway.port, envelope('1'))).status).toBe(200);
    expect(upstream.requests).toHaveLength(1);
  });

  it('strips identity and hop-by-hop fields, and those that Connection names (HTT-08)', async () => {
    const { gateway, upstream } = await start();
    const answer = await post(gateway.port, body, {
      headers: {
        Connection: 'close, X-Secret',
        'X-Secret': '1',
        'X-Forwarded-For': '1.2.3.4',
        Forwarded: 'for=1.2.3.4',
        'X-Client-Cert': 'a',
        'X-Auth-User': 'root',
        'X-Countersign-Id': 'mine',
        'X-Countersign-Trace': 'guess',
        X_Auth_User: 'root',
        TE: 'trailers',
        'Proxy-Authorization': 'Basic a',
        Authorization: 'Basic dTpw',
        Cookie: 'a=b',
      },
    });
    expect(answer.status).toBe(200);
    expect(answer.headers['server-timing']).toBeUndefined();
    const names = upstream.requests[0]!.rawHeaders.filter((_, i) => i % 2 === 0).map((name) =>
      name.toLowerCase(),
    );
    expect(names.sort()).toEqual(
      [
        'authorization',
        'connection',
        'content-length',
        'content-type',
        'cookie',
        'host',
        'soapaction',
      ].sort(),
    );
    expect(Object.keys(soapHeaders)).toHaveLength(2);
  });
});
