import type { ServerResponse } from 'node:http';

/** Milliseconds that a caller may take to read an answer that the operating system did not take at once. */
const READ_DEADLINE = 30_000;
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

/**
 * Writes a whole answer.
 *
 * @returns true once everything is with the operating system, false when the caller went away first. Either way
 *   nothing reads the slices any more.
 */
export function sendReply(response: ServerResponse, reply: Reply): Promise<boolean> {
  return new Promise((resolve) => {
    if (response.destroyed || response.headersSent) {
      response.destroy();
      resolve(false);
      return;
    }
    let timer: NodeJS.Timeout | undefined;
    // Both events may come; a promise takes the first.
    const settle = (): void => {
      if (timer !== undefined) clearTimeout(timer);
      resolve(response.writableFinished);
    };
    response.on('finish', settle);
    response.on('close', settle);
    try {
      response.writeHead(reply.status, fields(reply));
    } catch {
      // A lenient parser let an octet through that no header field may have: nothing of it is passed on.
      response.destroy();
      resolve(false);
      return;
    }
    writeBody(response, reply);
    if (response.writableLength > 0) {
      timer = setTimeout(() => response.socket?.destroy(), READ_DEADLINE);
    }
  });
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
