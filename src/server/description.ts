import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { basename, dirname, resolve } from 'node:path';
import { CountersignError } from '../core/errors.js';
import { asError } from './failures.js';
import { readHead } from './framing.js';
import type { HandlerContext } from './handler-context.js';
import { fieldValue } from './headers.js';
import { rawPath } from './message-handler.js';
import { plainReply } from './replies.js';
import { sendReply } from './reply.js';
import { upstreamPath, type Service } from './service.js';
import type { UpstreamObserver } from './upstream/contract.js';
import { importedLocations, rewriteDescription } from './wsdl.js';

/** At most so many files are looked at for one description. */
const MAX_FILES = 200;

export interface DescriptionInput {
  readonly context: HandlerContext;
  readonly service: Service;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

const unobserved: UpstreamObserver = { written() {}, flushed() {}, started() {} };

/** Answers `GET …?wsdl` and `?xsd=…` with the service's description, at the gateway's own address. */
export async function describeService(input: DescriptionInput): Promise<void> {
  const { context, service, request, response } = input;
  const id = context.newId();
  try {
    context.guard.admit(readHead(request.rawHeaders, request.httpVersion), request);
    const bytes = await description(input);
    await sendReply(response, {
      status: 200,
      headers: ['Content-Type', 'text/xml; charset=utf-8', 'X-Countersign-Id', id],
      slices: [bytes],
      length: bytes.length,
      close: context.draining,
    });
  } catch (thrown) {
    const error = asError(thrown);
    context.journal.refused(error, { id, service: service.config.name, chain: 'request' });
    const status = error.kind.status === 0 || error.kind.status === 500 ? 502 : error.kind.status;
    await sendReply(response, plainReply(error, { id, timings: undefined }, status));
  }
}

function description(input: DescriptionInput): Promise<Buffer> {
  const { service, request } = input;
  const own = ownAddress(input);
  const { wsdl } = service.config;
  const query = (request.url ?? '').slice(rawPath(request.url ?? '').length + 1);
  return wsdl === undefined ? fromUpstream(input, own) : fromFile(wsdl, query, own);
}

/**
 * The address by which the caller reaches the service: scheme of the connection, and the Host that the caller sent.
 * A Host of anything but host and port is not repeated.
 */
function ownAddress({ service, request }: DescriptionInput): string {
  const scheme = 'encrypted' in request.socket ? 'https' : 'http';
  const host = fieldValue(request.rawHeaders, 'host') ?? '';
  if (!/^(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/.test(host)) {
    throw new CountersignError('HTTP_FRAMING', 'the Host field is not a host and port');
  }
  return `${scheme}://${host}${service.config.path}`;
}

/** The upstream's own description: what it says of its own address is said of the gateway's. */
async function fromUpstream({ service, request }: DescriptionInput, own: string): Promise<Buffer> {
  const { upstream, config } = service;
  const call = upstream.transport().send(
    {
      method: 'GET',
      path: upstreamPath(upstream, request.url ?? ''),
      headers: ['Host', upstream.host, 'Accept', 'text/xml, application/xml, */*'],
      body: Buffer.alloc(0),
      limit: config.limits.response,
    },
    unobserved,
  );
  const answer = await call.answer;
  if (answer.status !== 200) {
    throw new CountersignError(
      'UPSTREAM_NOT_SOAP',
      `the service gives no description: it answers ${answer.status}`,
    );
  }
  const base = new URL(config.upstream.url);
  try {
    return rewriteDescription(answer.body.bytes, {
      address: own,
      import: (location) => upstreamImport(location, base, own),
    });
  } finally {
    answer.body.release();
  }
}

/** `http://upstream/ws?xsd=1` becomes the gateway's `…?xsd=1`; what lies elsewhere stays. */
function upstreamImport(location: string, base: URL, own: string): string | undefined {
  const target = URL.canParse(location, base.href) ? new URL(location, base) : undefined;
  if (target?.origin !== base.origin || target.pathname !== base.pathname) return undefined;
  return own + target.search;
}

/** A description in files: the WSDL, and what it imports from its own folder or below, by `?xsd=`. */
async function fromFile(wsdl: string, query: string, own: string): Promise<Buffer> {
  const files = await importedFiles(wsdl);
  const wanted = /(?:^|&)xsd=([^&]*)/i.exec(query)?.[1];
  const file = wanted === undefined ? wsdl : files.get(decoded(wanted));
  if (file === undefined) throw new CountersignError('HTTP_NOT_FOUND', 'the description has no such part');
  return rewriteDescription(await readFile(file), {
    address: own,
    import: (location) => {
      const name = nameOf(files, resolve(dirname(file), location));
      return name === undefined ? undefined : `${own}?xsd=${encodeURIComponent(name)}`;
    },
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

const nameOf = (files: ReadonlyMap<string, string>, path: string): string | undefined => {
  for (const [name, file] of files) if (file === path) return name;
  return undefined;
};

/** The files that the WSDL leads to, by the name that is used for them. Only files that it names are ever served. */
async function importedFiles(wsdl: string): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  const root = dirname(wsdl);
  const pending = [wsdl];
  const seen = new Set(pending);
  for (let file = pending.shift(); file !== undefined && seen.size <= MAX_FILES; file = pending.shift()) {
    for (const location of importedLocations(await readFile(file))) {
      if (/^[a-z][a-z0-9+.-]*:/i.test(location)) continue;
      const path = resolve(dirname(file), location);
      if (seen.has(path) || !path.startsWith(`${root}/`)) continue;
      seen.add(path);
      pending.push(path);
      files.set(files.has(basename(path)) ? path.slice(root.length + 1) : basename(path), path);
    }
  }
  return files;
}
