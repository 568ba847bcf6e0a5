import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Bounds } from './bounds.js';
import { bearerToken } from './clients.js';
import type { Exposition } from './exposition.js';
import { fieldValue } from './headers.js';
import { rawPath } from './message-handler.js';
import { PLAIN } from './replies.js';
import type { TokenCheck } from './tokens.js';

export interface AdminPlan {
  /** Undefined: the listener is on loopback and asks for nothing. */
  readonly bearer: TokenCheck | undefined;
  readonly bounds: Bounds;
  /** Names that the Host field may carry: a page that a browser was lured to has another (DNS rebinding). */
  readonly hosts: ReadonlySet<string> | undefined;
  readonly readiness: () => Readiness;
  /** Loads what writes the metrics, at the first scrape. */
  readonly metrics: () => Promise<Exposition>;
  /** Takes every other path: console and API, loaded when they are first needed. */
  readonly app: (request: IncomingMessage, response: ServerResponse) => void;
}

/** What is answered here, and only to be read. */
const probes: ReadonlySet<string> = new Set(['/health/live', '/health/ready', '/metrics']);

/** What `/health/ready` says. */
export interface Readiness {
  readonly ready: boolean;
  readonly status: 'ready' | 'starting' | 'draining';
  readonly services: Readonly<Record<string, 'ready' | 'refused'>>;
}

/** The server for operators. Probes are answered without the app, so that an idle gateway loads none. */
export function adminListener(plan: AdminPlan): Server {
  const { headers, body, interval } = plan.bounds;
  const options = { headersTimeout: headers, requestTimeout: body, connectionsCheckingInterval: interval };
  return createServer(options, (request, response) => {
    if (!isAllowed(plan, request, response)) return;
    answer(plan, request, response).catch(() => {
      if (response.headersSent) response.destroy();
      else end(response, 500, PLAIN, 'A fault in Countersign.\n');
    });
  });
}

async function answer(plan: AdminPlan, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = rawPath(request.url ?? '');
  if (probes.has(path) && request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('Allow', 'GET, HEAD');
    end(response, 405, PLAIN, 'This can only be read.\n');
    return;
  }
  switch (path) {
    case '/health/live':
      end(response, 200, 'application/json', '{"status":"live"}');
      return;
    case '/health/ready': {
      const state = plan.readiness();
      end(response, state.ready ? 200 : 503, 'application/json', JSON.stringify(state));
      return;
    }
    case '/metrics': {
      const exposition = await plan.metrics();
      end(response, 200, exposition.contentType, await exposition.text());
      return;
    }
    default:
      plan.app(request, response);
  }
}

/** Answers a caller who may not go on (RFC 9110 §15.5.2, RFC 6750 §3). */
function isAllowed(plan: AdminPlan, request: IncomingMessage, response: ServerResponse): boolean {
  if (plan.bearer !== undefined) {
    const token = bearerToken(fieldValue(request.rawHeaders, 'authorization'));
    if (token !== undefined && plan.bearer(token)) return true;
    const problem = token === undefined ? '' : ', error="invalid_token"';
    response.setHeader('WWW-Authenticate', `Bearer realm="countersign admin"${problem}`);
    end(response, 401, PLAIN, 'The admin listener asks for its bearer token.\n');
    return false;
  }
  const host = fieldValue(request.rawHeaders, 'host') ?? '';
  if (plan.hosts === undefined || plan.hosts.has(host.replace(/:\d+$/, '').toLowerCase())) return true;
  end(response, 403, PLAIN, 'The Host field is not a name of the admin listener.\n');
  return false;
}

function end(response: ServerResponse, status: number, type: string, body: string): void {
  const bytes = Buffer.from(body);
  response.writeHead(status, {
    'Content-Type': type,
    'Content-Length': bytes.length,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  response.end(bytes);
}
