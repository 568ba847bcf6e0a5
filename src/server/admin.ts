import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { bearerToken } from './clients.js';
import type { Exposition } from './exposition.js';
import { fieldValue } from './headers.js';
import { rawPath } from './message-handler.js';
import type { TokenCheck } from './tokens.js';

export interface AdminPlan {
  /** Undefined: the listener is on loopback and asks for nothing. */
  readonly bearer: TokenCheck | undefined;
  /** Names that the Host field may carry: a page that a browser was lured to has another (DNS rebinding). */
  readonly hosts: ReadonlySet<string> | undefined;
  readonly readiness: () => Readiness;
  /** Loads what writes the metrics, at the first scrape. */
  readonly metrics: () => Promise<Exposition>;
  /** Takes every other path: console and API, loaded when they are first needed. */
  readonly app: (request: IncomingMessage, response: ServerResponse) => void;
}

/** What `/health/ready` says. */
export interface Readiness {
  readonly ready: boolean;
  readonly status: 'ready' | 'starting' | 'draining';
  readonly services: Readonly<Record<string, 'ready' | 'refused'>>;
}

/** The server for operators. Probes are answered without the app, so that an idle gateway loads none. */
export function adminListener(plan: AdminPlan): Server {
  return createServer((request, response) => {
    if (!isAllowed(plan, request)) {
      end(response, 403, 'text/plain', '');
      return;
    }
    answer(plan, request, response).catch(() => {
      if (response.headersSent) response.destroy();
      else end(response, 500, 'text/plain', '');
    });
  });
}

async function answer(plan: AdminPlan, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = rawPath(request.url ?? '');
  if (request.method !== 'GET') {
    plan.app(request, response);
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

function isAllowed(plan: AdminPlan, request: IncomingMessage): boolean {
  if (plan.bearer !== undefined) {
    const token = bearerToken(fieldValue(request.rawHeaders, 'authorization'));
    return token !== undefined && plan.bearer(token);
  }
  if (plan.hosts === undefined) return true;
  const host = fieldValue(request.rawHeaders, 'host') ?? '';
  return plan.hosts.has(host.replace(/:\d+$/, '').toLowerCase());
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
