import type { ServerResponse } from 'node:http';
import { defaultBounds } from './bounds.js';

/** Below this, one copy is cheaper than several writes. */
const JOIN = 64 * 1024;

export interface Reply {
  readonly status: number;
  /** Names and values in turn, without Content-Length. */
  readonly headers: readonly string[];
  readonly slices: readonly Uint8Array[];
  readonly length: number;
  /** The connection ends with this answer. */
  readonly close: boolean;
}

/** What became of an answer. Whatever it is, nothing reads the slices any more. */
export type Delivery =
  /** Everything is with the operating system. */
  | 'finished'
  /** The caller went away first. */
  | 'lost'
  /** A header field has octets that none may have; nothing was written, and another answer may be. */
  | 'unwritable';

/**
 * Writes a whole answer. Never throws.
 *
 * @param deadline milliseconds that the caller may take to read what the operating system did not take at once
 */
export function sendReply(
  response: ServerResponse,
  reply: Reply,
  deadline: number = defaultBounds.read,
): Promise<Delivery> {
  return new Promise((resolve) => {
    if (response.destroyed || response.headersSent) {
      response.destroy();
      resolve('lost');
      return;
    }
    if (!writeHead(response, reply)) {
      resolve('unwritable');
      return;
    }
    let timer: NodeJS.Timeout | undefined;
    const { socket } = response;
    // Both events may come; a promise takes the first. Node says 'finish' also when it gives up what is not written yet.
    const settle = (): void => {
      if (timer !== undefined) clearTimeout(timer);
      resolve(response.writableFinished && socket?.destroyed !== true ? 'finished' : 'lost');
    };
    response.on('finish', settle);
    response.on('close', settle);
    writeBody(response, reply);
    if (response.writableLength > 0) {
      timer = setTimeout(() => socket?.destroy(), deadline);
    }
  });
}

/** @returns false when Node refuses a field: a lenient parser let an octet through that none may have */
function writeHead(response: ServerResponse, reply: Reply): boolean {
  const head = fields(reply);
  try {
    response.writeHead(reply.status, head);
    return true;
  } catch {
    // Where an application has set fields of its own, Node has taken over those before the bad one.
    for (let i = 0; i < head.length; i += 2) response.removeHeader(head[i] ?? '');
    return false;
  }
}

function fields(reply: Reply): string[] {
  const fields = [...reply.headers];
  // RFC 9110 §8.6: none with 204.
  if (reply.status !== 204 && reply.status !== 304) fields.push('Content-Length', String(reply.length));
  if (reply.close) fields.push('Connection', 'close');
  return fields;
}

function writeBody(response: ServerResponse, reply: Reply): void {
  const [first] = reply.slices;
  if (first === undefined || reply.length === 0) {
    response.end();
  } else if (reply.slices.length === 1) {
    response.end(first);
  } else if (reply.length <= JOIN) {
    response.end(Buffer.concat(reply.slices, reply.length));
  } else {
    response.cork();
    for (const slice of reply.slices) response.write(slice);
    response.end();
    response.uncork();
  }
}
