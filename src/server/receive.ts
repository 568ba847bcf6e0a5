import type { IncomingMessage } from 'node:http';
import { unpooled, type BufferPool, type Lease } from '../core/buffers.js';
import { CountersignError } from '../core/errors.js';
import { BodyCollector } from './collector.js';
import type { RequestHead } from './framing.js';
import { gunzip } from './gunzip.js';

/** A body in so many pieces must have pieces of so many bytes on average: each costs as much as a kilobyte would. */
const MANY_PIECES = 4_096;
const CRUMB = 16;
/** How long, and how much, the rest of a refused body is read before the answer, so that the caller gets to see it. */
const LINGER = 500;
const LINGER_BYTES = 8 * 1024 * 1024;

export interface ReceivePlan {
  readonly head: RequestHead;
  readonly pool: BufferPool;
  /** The most bytes, decoded. */
  readonly limit: number;
  /** Milliseconds in which the whole body must have come. */
  readonly deadline: number;
  /** Sends `100 Continue`, where the caller waits for it. */
  readonly proceed: (() => void) | undefined;
}

/**
 * Reads the body of a request under the limit, and decodes it.
 *
 * @throws CountersignError HTTP_TOO_LARGE, HTTP_TIMEOUT, HTTP_FRAMING, HTTP_CONTENT_ENCODING, CLIENT_ABORTED
 */
export async function receiveBody(request: IncomingMessage, plan: ReceivePlan): Promise<Lease> {
  const coding = contentCoding(plan.head.contentEncoding);
  const { contentLength } = plan.head;
  if (contentLength !== undefined && contentLength > plan.limit) throw tooLarge(plan.limit);
  plan.proceed?.();
  const body = await read(request, new BodyCollector(plan.pool, plan.limit, contentLength), plan);
  if (coding === 'identity') return body;
  try {
    return unpooled(gunzip(body.bytes, plan.limit));
  } finally {
    body.release();
  }
}

function contentCoding(field: string | undefined): 'identity' | 'gzip' {
  switch (field?.trim().toLowerCase()) {
    case undefined:
    case 'identity':
      return 'identity';
    case 'gzip':
    case 'x-gzip':
      return 'gzip';
    default:
      throw new CountersignError(
        'HTTP_CONTENT_ENCODING',
        'the content encoding is neither identity nor one gzip',
      );
  }
}

const tooLarge = (limit: number): CountersignError =>
  new CountersignError('HTTP_TOO_LARGE', `the body is larger than ${limit} bytes`);

const crumbled = (): CountersignError =>
  new CountersignError('HTTP_FRAMING', `the body comes in more than ${MANY_PIECES} pieces of a few bytes`);

function read(
  request: IncomingMessage,
  collector: BodyCollector,
  { limit, deadline }: Pick<ReceivePlan, 'limit' | 'deadline'>,
): Promise<Lease> {
  return new Promise((resolve, reject) => {
    // Listeners stay on the request, which ends with the exchange: taking them off costs more than the check.
    let open = true;
    let pieces = 0;
    const timer = setTimeout(() => {
      fail(new CountersignError('HTTP_TIMEOUT', `the body did not come within ${deadline} ms`));
    }, deadline);
    const settle = (): void => {
      open = false;
      clearTimeout(timer);
    };
    const fail = (error: CountersignError): void => {
      if (!open) return;
      settle();
      request.pause();
      collector.drop();
      reject(error);
    };
    request.on('data', (chunk: Buffer) => {
      if (!open) return;
      pieces += 1;
      if (!collector.push(chunk)) fail(tooLarge(limit));
      else if (pieces > MANY_PIECES && collector.length < pieces * CRUMB) fail(crumbled());
    });
    request.on('end', () => {
      if (!open) return;
      settle();
      const body = collector.finish();
      if (body === undefined)
        reject(new CountersignError('CLIENT_ABORTED', 'the body is shorter than it says'));
      else resolve(body);
    });
    request.on('close', () => {
      if (open) fail(new CountersignError('CLIENT_ABORTED', 'the caller went away while it sent'));
    });
    // A broken connection comes as an error, then as 'close'.
    request.on('error', () => {});
  });
}

/** Reads and forgets what is left of a request, within bounds. */
export function discardRest(request: IncomingMessage): Promise<void> {
  if (request.complete || request.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    let seen = 0;
    const settle = (): void => {
      clearTimeout(timer);
      request.off('data', onData);
      request.off('end', settle);
      request.off('close', settle);
      resolve();
    };
    const onData = (chunk: Buffer): void => {
      seen += chunk.length;
      if (seen > LINGER_BYTES) settle();
    };
    const timer = setTimeout(settle, LINGER);
    request.on('data', onData);
    request.on('end', settle);
    request.on('close', settle);
    request.on('error', () => {});
    request.resume();
  });
}
