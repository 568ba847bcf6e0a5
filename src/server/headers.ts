import type { RequestHead } from './framing.js';

/** Hop-by-hop fields (RFC 9110 §7.6.1) and those that the gateway writes itself. */
const connectionFields: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** What only a gateway says about a caller: a service would believe it, so it is never taken from one. */
const identityFields: ReadonlySet<string> = new Set(['forwarded', 'x-real-ip']);
const identityPrefixes = [
  'x-forwarded-',
  'x-client-cert',
  'x-ssl-',
  'x-auth-',
  'x-http-method',
  'x-method-override',
];
const OWN_PREFIX = 'x-countersign-';

/** They speak of the octets, which change. */
const octetFields: ReadonlySet<string> = new Set(['content-md5', 'digest', 'content-digest', 'repr-digest']);

export interface ForwardPlan {
  readonly head: RequestHead;
  /** The service's own host and port. */
  readonly host: string;
  /** The Authorization was for the gateway. */
  readonly keepAuthorization: boolean;
  /** The answer must come as it is, because a chain reads it. */
  readonly keepAcceptEncoding: boolean;
}

/** The fields that go to the service: `Host`, then the caller's own in their order, spelled as they came. */
export function forwardedFields(raw: readonly string[], plan: ForwardPlan): string[] {
  const fields = ['Host', plan.host];
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i] ?? '';
    if (isForwarded(name.toLowerCase(), plan)) fields.push(name, raw[i + 1] ?? '');
  }
  return fields;
}

function isForwarded(name: string, plan: ForwardPlan): boolean {
  if (connectionFields.has(name) || plan.head.connection.has(name)) return false;
  // The body goes on decoded. An underscore reads as a hyphen to some servers (CGI).
  if (name === 'content-encoding' || name.includes('_')) return false;
  if (name === 'authorization') return plan.keepAuthorization;
  if (name === 'accept-encoding') return plan.keepAcceptEncoding;
  if (octetFields.has(name) || identityFields.has(name)) return false;
  if (!name.startsWith('x-')) return true;
  return !name.startsWith(OWN_PREFIX) && !identityPrefixes.some((prefix) => name.startsWith(prefix));
}

/** The fields of an answer that go to the caller; `Content-Length` and the gateway's own are added by the reply. */
export function returnedFields(raw: readonly string[], changed: boolean): string[] {
  const named = connectionNames(raw);
  const fields: string[] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] ?? '').toLowerCase();
    if (connectionFields.has(name) || named?.has(name) === true || name.startsWith(OWN_PREFIX)) continue;
    if (changed && (name === 'content-encoding' || name === 'etag' || octetFields.has(name))) continue;
    fields.push(raw[i] ?? '', raw[i + 1] ?? '');
  }
  return fields;
}

function connectionNames(raw: readonly string[]): Set<string> | undefined {
  const value = fieldValue(raw, 'connection');
  if (value === undefined || /^(?:keep-alive|close)$/i.test(value)) return undefined;
  return new Set(value.split(',').map((name) => name.trim().toLowerCase()));
}

/** The first field of that name (lower case); undefined when there is none. */
export function fieldValue(raw: readonly string[], name: string): string | undefined {
  for (let i = 0; i + 1 < raw.length; i += 2) {
    if (raw[i]?.length === name.length && raw[i]?.toLowerCase() === name) return raw[i + 1];
  }
  return undefined;
}
