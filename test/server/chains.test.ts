import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startOrdersService, type OrdersService } from '#src/cli/demo/upstream.js';
import { compose } from '#src/compose.js';
import { CountersignError } from '#src/core/errors.js';
import type { ServiceConfig } from '#src/policy/config.js';
import {
  closeAll,
  mount,
  onClose,
  post,
  raw,
  startComposed,
  startUpstream,
  until,
  type TestGateway,
} from '../support/gateway.js';
import { root } from '../support/paths.js';

afterEach(closeAll);

let lab = '';
let order = '';

beforeAll(() => {
  lab = join(mkdtempSync(join(tmpdir(), 'countersign-')), 'lab');
  const made = spawnSync(process.execPath, [join(root, 'dist/cli/main.js'), 'init', lab], {
    encoding: 'utf8',
  });
  expect(made.stderr).toBe('');
  order = readFileSync(join(lab, 'messages/order.xml'), 'utf8');
});

interface Chain {
  readonly orders: OrdersService;
  readonly server: TestGateway;
  readonly client: TestGateway;
  /** Where callers go. */
  readonly at: number;
}

type Changes = (config: ServiceConfig) => Partial<ServiceConfig>;

async function gateway(
  side: 'client' | 'server',
  upstream: string,
  changes: Changes = () => ({}),
): Promise<TestGateway> {
  const { parts } = await compose({ config: join(lab, side, 'countersign.yaml') });
  if (parts === undefined) throw new Error('the sample policy has errors');
  const services = parts.services.map((service) => {
    const config = { ...service.config, upstream: { ...service.config.upstream, url: upstream } };
    return { ...service, config: { ...config, ...changes(config) } };
  });
  return startComposed({ ...parts, services });
}

async function start(door: string, server: Changes = () => ({})): Promise<Chain> {
  const orders = await startOrdersService();
  onClose(() => orders.close());
  const behind = await gateway('server', `http://127.0.0.1:${orders.port}/orders`, server);
  const serverPort = door === 'listener' ? behind.port : await mount(behind);
  const front = await gateway('client', `http://127.0.0.1:${serverPort}/orders`);
  return { orders, server: behind, client: front, at: door === 'listener' ? front.port : await mount(front) };
}

const buy = (article: string): string => order.replace(/<o:article>[^<]*/, `<o:article>${article}`);
const codes = ({ records }: TestGateway): string[] =>
  records.map(({ chain, outcome, code }) => `${chain} ${outcome}${code === undefined ? '' : ` ${code}`}`);

describe('an answer that no chain can read', () => {
  const zeros = gzipSync(Buffer.alloc(20_000_000, 32));
  it.each<[string, Record<string, string>, Buffer]>([
    ['in another charset', { 'Content-Type': 'text/xml; charset=iso-8859-1' }, Buffer.from('<a/>')],
    [
      'in an unsound gzip',
      { 'Content-Type': 'text/xml', 'Content-Encoding': 'gzip' },
      Buffer.from('no gzip'),
    ],
    ['that is a bomb', { 'Content-Type': 'text/xml', 'Content-Encoding': 'gzip' }, zeros],
    ['that is no SOAP', { 'Content-Type': 'text/html' }, Buffer.from('<p>')],
  ])('%s is a 502 with a fault, not a fault of the caller', async (_what, headers, body) => {
    const upstream = await startUpstream((_request, response) => {
      response.writeHead(200, headers).end(body);
    });
    const front = await gateway('client', upstream.url);
    const answer = await post(front.port, order);
    expect(answer.status).toBe(502);
    expect(answer.body.toString()).toContain('<soap:Fault>');
    await until(() => front.records.length === 2);
    expect(front.records[1]).toMatchObject({ chain: 'response', code: 'UPSTREAM_NOT_SOAP' });
  });
});

describe('a fault that cannot be signed', () => {
  it('goes out as it is, and the operator is told why', async () => {
    const { parts } = await compose({ config: join(lab, 'server/countersign.yaml') });
    if (parts === undefined) throw new Error('the sample policy has errors');
    const services = parts.services.map((service) => {
      const { response } = service;
      if (response === undefined) throw new Error('the sample has a response chain');
      const faultSteps = response.faultSteps.map((step) => ({
        ...step,
        run: () => {
          throw new CountersignError('PROVIDER_UNAVAILABLE', 'the token was removed');
        },
      }));
      return { ...service, response: { ...response, faultSteps } };
    });
    const { port, adminPort, lines, stderr } = await startComposed({ ...parts, services });
    const answer = await post(port, order);
    expect(answer.status).toBe(500);
    expect(answer.body.toString()).toContain('FailedCheck');
    expect(answer.body.toString()).not.toMatch(/Signature>|token/);
    expect(lines).toContainEqual(
      expect.objectContaining({
        msg: 'fault sent unsigned',
        code: 'PROVIDER_UNAVAILABLE',
        reason: 'the token was removed',
        id: answer.headers['x-countersign-id'],
      }),
    );
    expect(stderr).toContainEqual(
      expect.stringMatching(/^unsigned [0-9A-Z]{26} orders response timestamp PROVIDER_UNAVAILABLE: /),
    );
    const { text } = await raw(
      adminPort,
      'GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
    );
    expect(text).toContain(
      'countersign_unsigned_faults_total{service="orders",code="PROVIDER_UNAVAILABLE"} 1',
    );
  });
});

describe.each(['listener', 'middleware'])('two gateways, through the %s', (door) => {
  it('carry messages both ways, protected in between', async () => {
    const { orders, client, server, at } = await start(door);
    for (const article of ['difference engine', 'BIG', 'über-😀']) {
      const answer = await post(at, buy(article));
      expect(answer.status).toBe(200);
      expect(answer.body.toString()).toContain('<o:status>accepted</o:status>');
      const seen = orders.received
        .at(-1)
        ?.toString()
        .replace(/ xmlns:wsu="[^"]*"| wsu:Id="[^"]*"/g, '');
      expect(seen).toBe(buy(article));
    }
    await until(() => client.records.length === 6 && server.records.length === 6);
    expect(new Set([...codes(client), ...codes(server)])).toEqual(new Set(['request ok', 'response ok']));
    expect(client.records[0]).toMatchObject({ operation: 'o:order', provider: 'openssl' });
    expect(client.records[0]?.steps.map(({ step }) => step)).toEqual([
      'receive',
      'parse',
      'header',
      'timestamp',
      'sign',
      'encrypt',
      'render',
      'send',
    ]);
    expect(server.records[0]?.peer).toMatch(/^CN=client/);
  });

  it('carry the fault of the service', async () => {
    const { client, server, at } = await start(door);
    const answer = await post(at, buy('FAULT'));
    expect(answer.status).toBe(500);
    expect(answer.body.toString()).toContain('<faultstring>The article is not in stock</faultstring>');
    await until(() => client.records.length === 2 && server.records.length === 2);
    expect(codes(client)).toEqual(['request ok', 'response fault UPSTREAM_FAULT']);
    expect(codes(server)).toEqual(['request ok', 'response fault UPSTREAM_FAULT']);
  });

  it('carry an empty answer without a chain', async () => {
    const { client, at } = await start(door);
    const answer = await post(at, buy('ONEWAY'));
    expect(answer.status).toBe(202);
    expect(answer.body).toHaveLength(0);
    await until(() => client.records.length === 2);
    expect(codes(client)).toEqual(['request ok', 'response ok']);
    expect(client.records[1]?.steps.map(({ step }) => step)).toEqual(['receive', 'send']);
  });

  it('make a web page a fault, signed by the gateway that makes it, which is not passed on uncovered', async () => {
    const { client, server, at } = await start(door);
    const answer = await post(at, buy('HTML'));
    expect(answer.status).toBe(502);
    expect(answer.body.toString()).not.toContain('maintenance');
    expect(answer.body.toString()).toMatch(/\(reference [0-9A-Z]{26}\)/);
    await until(() => client.records.length === 2 && server.records.length === 2);
    expect(codes(server)).toEqual(['request ok', 'response refused UPSTREAM_NOT_SOAP']);
    expect(codes(client)).toEqual(['request ok', 'response refused UPSTREAM_FAULT_UNPROTECTED']);
    expect(server.stderr[0]).toMatch(/response .* UPSTREAM_NOT_SOAP: .*text\/html/);
  });

  it.each([
    ['SOAP 1.2 as text/xml', '1.2', 'text/xml; charset=utf-8'],
    ['SOAP 1.1 as application/soap+xml', '1.1', 'application/soap+xml; charset=utf-8'],
  ])(
    'refuse %s before anything is done with it, and accept its twin (SOP-04)',
    async (_what, version, type) => {
      const { orders, client, at } = await start(door);
      const message =
        version === '1.1'
          ? order
          : order.replaceAll(
              'http://schemas.xmlsoap.org/soap/envelope/',
              'http://www.w3.org/2003/05/soap-envelope',
            );
      const twin = version === '1.1' ? 'text/xml; charset=utf-8' : 'application/soap+xml; charset=utf-8';
      const answer = await post(at, message, { headers: { 'Content-Type': type } });
      expect(answer.status).toBe(415);
      expect(answer.body.toString()).toMatch(/^The content type is not .*\(reference [0-9A-Z]{26}\)\n$/);
      expect(client.records).toEqual([
        expect.objectContaining({
          chain: 'request',
          outcome: 'refused',
          code: 'HTTP_MEDIA_TYPE',
          step: 'parse',
        }),
      ]);
      expect(orders.received).toHaveLength(0);
      await post(at, message, { headers: { 'Content-Type': twin } });
      expect(orders.received).toHaveLength(1);
    },
  );

  it('let nothing through that is not protected', async () => {
    const { orders, server } = await start(door);
    const entry = door === 'listener' ? server.port : await mount(server);
    const plain = await post(entry, order);
    expect(plain.status).toBe(500);
    expect(plain.headers['content-type']).toBe('text/xml; charset=utf-8');
    expect(plain.body.toString()).toContain('FailedCheck');
    const version12 = order.replaceAll(
      'http://schemas.xmlsoap.org/soap/envelope/',
      'http://www.w3.org/2003/05/soap-envelope',
    );
    const fresh = await post(entry, version12, { headers: { 'Content-Type': 'application/soap+xml' } });
    expect(fresh.status).toBe(400);
    expect(fresh.headers['content-type']).toBe('application/soap+xml; charset=utf-8');
    const other = await post(entry, order, { headers: { 'Content-Type': 'text/xml; charset=iso-8859-1' } });
    expect(other.status).toBe(415);
    expect((await post(entry, 'no xml')).status).toBe(500);
    expect((await post(entry, '')).status).toBe(500);
    expect(orders.received).toHaveLength(0);
    expect(codes(server).every((code) => code.startsWith('request refused'))).toBe(true);
  });
});

describe('attachments: pass', () => {
  const type = 'multipart/related; boundary="--=x"; type="text/xml"; start="<root>"';
  const swa = (root: string): string =>
    `----=x\r\nContent-Type: text/xml; charset=utf-8\r\nContent-ID: <root>\r\n\r\n${root}\r\n----=x\r\nContent-ID: <pic>\r\n\r\n\u0000binary\u0001\r\n----=x--\r\n`;
  const pass: Changes = () => ({ attachments: 'pass' });

  it('protects the envelope and leaves the other parts as they are', async () => {
    const orders = await startOrdersService();
    onClose(() => orders.close());
    const behind = await gateway('server', `http://127.0.0.1:${orders.port}/orders`, pass);
    const front = await gateway('client', `http://127.0.0.1:${behind.port}/orders`, pass);
    const answer = await post(front.port, swa(order), { headers: { 'Content-Type': type } });
    expect(answer.status).toBe(200);
    const seen = orders.received[0]?.toString().replace(/ xmlns:wsu="[^"]*"| wsu:Id="[^"]*"/g, '');
    expect(seen).toBe(swa(order));
  });

  it('refuses a root of another SOAP version than it says (SOP-04)', async () => {
    const orders = await startOrdersService();
    onClose(() => orders.close());
    const front = await gateway('client', `http://127.0.0.1:${orders.port}/orders`, pass);
    const mixed = swa(order).replace('text/xml', 'application/soap+xml');
    const answer = await post(front.port, mixed, { headers: { 'Content-Type': type } });
    expect(answer.status).toBe(415);
    expect(front.records.at(-1)).toMatchObject({ code: 'HTTP_MEDIA_TYPE', step: 'parse' });
    expect(orders.received).toHaveLength(0);
  });

  it('refuses a root that is no plain envelope, and what is not MIME', async () => {
    const orders = await startOrdersService();
    onClose(() => orders.close());
    const front = await gateway('client', `http://127.0.0.1:${orders.port}/orders`, pass);
    const send = async (body: string, contentType: string): Promise<number> =>
      (await post(front.port, body, { headers: { 'Content-Type': contentType } })).status;
    expect(await send(swa(order), type.replace('text/xml', 'application/xop+xml'))).toBe(415);
    expect(await send(swa(order).replace('text/xml', 'text/html'), type)).toBe(415);
    expect(
      await send(
        swa(order).replace('Content-ID: <root>', 'Content-ID: <root>\r\nContent-Transfer-Encoding: base64'),
        type,
      ),
    ).toBe(415);
    expect(await send(order, type)).toBe(500);
    expect(orders.received).toHaveLength(0);
    expect(front.records.map(({ code }) => code)).toEqual([
      'ATTACHMENTS_REFUSED',
      'ATTACHMENTS_REFUSED',
      'ATTACHMENTS_REFUSED',
      'MIME_MALFORMED',
    ]);
  });
});

describe('under load', () => {
  it('answers every caller with their own message', async () => {
    const { at, client, server } = await start('listener');
    for (let round = 0; round < 5; round++) {
      await Promise.all(
        Array.from({ length: 12 }, async (_, i) => {
          const mine = `mine-${round}-${i}-${'x'.repeat(i * 9000)}-end`;
          const answer = await post(at, buy(mine));
          expect(answer.body.toString()).toContain(`<o:article>${mine}</o:article>`);
        }),
      );
    }
    await until(() => client.pool.stats.leased === 0 && server.pool.stats.leased === 0);
    await until(() => client.records.length === 120);
  });
});
