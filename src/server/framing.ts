import { CountersignError } from '../core/errors.js';

const MAX_HEADERS = 100;

/** What the gateway itself reads of a request's header fields. */
export interface RequestHead {
  readonly contentType: string | undefined;
  readonly contentLength: number | undefined;
  readonly contentEncoding: string | undefined;
  readonly authorization: string | undefined;
  readonly trace: string | undefined;
  readonly chunked: boolean;
  /** Lower-case names that `Connection` lists. */
  readonly connection: ReadonlySet<string>;
}

interface Fields {
  host?: string;
  'content-type'?: string;
  'content-length'?: string;
  'content-encoding'?: string;
  'transfer-encoding'?: string;
  authorization?: string;
  soapaction?: string;
  expect?: string;
  'x-countersign-trace'?: string;
}

/** Fields that two parties may read differently when they come twice. */
const singles: ReadonlySet<string> = new Set<keyof Fields>([
  'host',
  'content-type',
  'content-length',
  'content-encoding',
  'transfer-encoding',
  'authorization',
  'soapaction',
  'expect',
  'x-countersign-trace',
]);

/** Fields that a message cannot do without: `Connection` must not take them away (RFC 9110 §7.6.1). */
const endToEnd: ReadonlySet<string> = new Set([
  'host',
  'content-type',
  'content-length',
  'content-encoding',
  'authorization',
  'soapaction',
]);

const none: ReadonlySet<string> = new Set();

const isSingle = (name: string): name is keyof Fields => singles.has(name);

/**
 * Reads the header fields as they came, and refuses what Node's parser lets through but two HTTP parties could take
 * for two different messages (research/gateways.md §3.2; security.md HTT-01).
 *
 * @param raw names and values in turn, as `IncomingMessage.rawHeaders` has them
 * @param httpVersion `1.0`, `1.1`
 * @throws CountersignError HTTP_FRAMING, HTTP_HEADER_LIMIT
 */
export function readHead(raw: readonly string[], httpVersion: string): RequestHead {
  if (raw.length > 2 * MAX_HEADERS) {
    throw new CountersignError('HTTP_HEADER_LIMIT', `the request has more than ${MAX_HEADERS} header fields`);
  }
  const fields: Fields = {};
  let connection: Set<string> | undefined;
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] ?? '').toLowerCase();
    const value = raw[i + 1] ?? '';
    if (name === 'connection') connection = listed(value, connection);
    else if (isSingle(name)) {
      if (fields[name] !== undefined) throw framing(`the request has two ${name} fields`);
      fields[name] = value;
    }
  }
  if (fields.host === undefined && httpVersion !== '1.0') throw framing('the request has no Host field');
  for (const name of connection ?? none) {
    if (endToEnd.has(name)) throw framing(`Connection lists ${name}`);
  }
  return {
    contentType: fields['content-type'],
    contentLength: lengthOf(fields),
    contentEncoding: fields['content-encoding'],
    authorization: fields.authorization,
    trace: fields['x-countersign-trace'],
    chunked: fields['transfer-encoding'] !== undefined,
    connection: connection ?? none,
  };
}

function lengthOf(fields: Fields): number | undefined {
  const length = fields['content-length'];
  const encoding = fields['transfer-encoding'];
  if (encoding !== undefined) {
    if (length !== undefined) throw framing('the request has both Content-Length and Transfer-Encoding');
    if (encoding.toLowerCase() !== 'chunked') throw framing(`the transfer encoding is not chunked alone`);
    return undefined;
  }
  if (length === undefined) return undefined;
  if (!/^\d{1,15}$/.test(length)) throw framing('the Content-Length is not a number');
  return Number(length);
}

function listed(value: string, known: Set<string> | undefined): Set<string> | undefined {
  if (known === undefined && (value === 'keep-alive' || value === 'close')) return undefined;
  const names = known ?? new Set<string>();
  for (const part of value.split(',')) {
    const name = part.trim().toLowerCase();
    if (name !== '' && name !== 'keep-alive' && name !== 'close') names.add(name);
  }
  return names;
}

const framing = (message: string): CountersignError => new CountersignError('HTTP_FRAMING', message);
