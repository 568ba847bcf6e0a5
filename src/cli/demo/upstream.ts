import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const MiB = 1024 * 1024;
const LARGEST = 16 * MiB;
const SLOW = 2_000;
const BIG = 300_000;

const SOAP = 'http://schemas.xmlsoap.org/soap/envelope/';

/** A plain SOAP service that knows nothing of WS-Security: what the gateway protects. */
export interface OrdersService {
  readonly port: number;
  /** Bodies of the requests, newest last; at most the last hundred. */
  readonly received: readonly Buffer[];
  /** Number of requests so far. */
  count(): number;
  close(): Promise<void>;
}

export interface OrdersOptions {
  readonly host?: string;
  /** 0: any free one. */
  readonly port?: number;
  /** The description that `GET /orders?wsdl` gives. */
  readonly wsdl?: Buffer;
}

/**
 * Starts a document/literal SOAP 1.1 service at `/orders`. It answers an order with a confirmation that carries the
 * order's own octets. Some articles are special: `FAULT` is answered with a fault, `SLOW` after two seconds, `BIG` with
 * 300 KB, `ONEWAY` with an empty 202, `HTML` with a web page.
 */
export async function startOrdersService(options: OrdersOptions = {}): Promise<OrdersService> {
  const received: Buffer[] = [];
  const server = createServer((request, response) => {
    handle(request, response, received, options.wsdl);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: options.host ?? '127.0.0.1', port: options.port ?? 0 }, resolve);
  });
  let total = 0;
  server.on('request', () => total++);
  return { port: portOf(server), received, count: () => total, close: () => close(server) };
}

function handle(
  request: IncomingMessage,
  response: ServerResponse,
  received: Buffer[],
  wsdl: Buffer | undefined,
): void {
  const [path, query] = (request.url ?? '').split('?');
  if (
    request.method === 'GET' &&
    path === '/orders' &&
    query?.toLowerCase() === 'wsdl' &&
    wsdl !== undefined
  ) {
    send(response, 200, 'text/xml; charset=utf-8', wsdl);
    return;
  }
  if (request.method !== 'POST' || path !== '/orders') {
    send(response, 404, 'text/plain', Buffer.from('not found\n'));
    return;
  }
  const chunks: Buffer[] = [];
  let length = 0;
  request.on('error', () => {});
  request.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length <= LARGEST) chunks.push(chunk);
  });
  request.on('end', () => {
    const body = Buffer.concat(chunks);
    received.push(body);
    if (received.length > 100) received.shift();
    respond(response, body);
  });
}

function respond(response: ServerResponse, body: Buffer): void {
  // Only this demo may look at a message as text: a real service has a parser.
  const article = /<(?:\w+:)?article>([^<]*)</.exec(body.toString('utf8', 0, 65_536))?.[1] ?? '';
  switch (article) {
    case 'FAULT':
      send(response, 500, 'text/xml; charset=utf-8', fault());
      return;
    case 'SLOW':
      setTimeout(() => {
        confirm(response, body);
      }, SLOW);
      return;
    case 'BIG':
      send(
        response,
        200,
        'text/xml; charset=utf-8',
        confirmation(Buffer.from(`<o:note>${'x'.repeat(BIG)}</o:note>`)),
      );
      return;
    case 'ONEWAY':
      send(response, 202, undefined, Buffer.alloc(0));
      return;
    case 'HTML':
      send(response, 200, 'text/html', Buffer.from('<html><body>maintenance</body></html>'));
      return;
    default:
      confirm(response, body);
  }
}

function confirm(response: ServerResponse, body: Buffer): void {
  send(response, 200, 'text/xml; charset=utf-8', confirmationOf(body));
}

/** The answer to an ordinary order. */
export function confirmationOf(order: Buffer): Buffer {
  return confirmation(orderOf(order));
}

/** The octets of the order element, so that whoever asks sees whether it came through unchanged. */
function orderOf(body: Buffer): Buffer {
  const start = body.indexOf('Body');
  const from = body.indexOf('>', start) + 1;
  const to = body.lastIndexOf('</', body.lastIndexOf('Body>'));
  return start < 0 || to < from ? Buffer.alloc(0) : body.subarray(from, to);
}

function confirmation(content: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from(
      `<soap:Envelope xmlns:soap="${SOAP}"><soap:Body><o:confirmation xmlns:o="urn:orders"><o:status>accepted</o:status>`,
    ),
    content,
    Buffer.from('</o:confirmation></soap:Body></soap:Envelope>'),
  ]);
}

function fault(): Buffer {
  return Buffer.from(
    `<soap:Envelope xmlns:soap="${SOAP}"><soap:Body><soap:Fault><faultcode>soap:Server</faultcode>` +
      `<faultstring>The article is not in stock</faultstring><detail><o:stock xmlns:o="urn:orders">0</o:stock></detail>` +
      `</soap:Fault></soap:Body></soap:Envelope>`,
  );
}

function send(response: ServerResponse, status: number, type: string | undefined, body: Buffer): void {
  response.writeHead(status, {
    ...(type === undefined ? {} : { 'Content-Type': type }),
    'Content-Length': body.length,
  });
  response.end(body);
}

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === 'string') throw new Error('the service has no port');
  return address.port;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeAllConnections();
  });
}
