import { randomInt } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  closeAll,
  POISON,
  post,
  serviceConfig,
  soapHeaders,
  startGateway,
  startUpstream,
  until,
} from '../support/gateway.js';

afterEach(closeAll);

/** A body that says on every line whose it is. */
function ownBody(owner: number, size: number): Buffer {
  return Buffer.alloc(size, `<${String(owner).padStart(6, '0')}>\n`);
}

/** What is in a body that does not belong to its owner. */
function foreign(body: Buffer): string | undefined {
  if (body.includes(Buffer.alloc(8, POISON))) return 'released memory';
  const owner = body.subarray(0, 9);
  for (let at = 0; at + 9 <= body.length; at += 9) {
    if (owner.compare(body, at, at + 9) !== 0) return body.toString('latin1', at, at + 9);
  }
  return undefined;
}

interface Given {
  readonly body: Buffer;
  readonly aborted: boolean;
}

/** Posts a body, and goes away at a random moment when asked to. */
function postOrLeave(port: number, body: Buffer, leave: boolean): Promise<Given> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const done = (aborted: boolean): void => {
      resolve({ body: Buffer.concat(chunks), aborted });
    };
    const request = httpRequest(
      {
        host: '127.0.0.1',
        port,
        path: '/orders',
        method: 'POST',
        agent: false,
        headers: { ...soapHeaders, 'Content-Length': body.length },
      },
      (response) => {
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          done(false);
        });
        response.on('error', () => {
          done(true);
        });
      },
    );
    request.on('error', () => {
      done(true);
    });
    if (!leave) {
      request.end(body);
      return;
    }
    request.write(body.subarray(0, randomInt(body.length)));
    setTimeout(() => {
      if (randomInt(2) === 0) request.end(body.subarray(0, 0));
      else request.destroy();
      setTimeout(() => request.destroy(), randomInt(10));
    }, randomInt(15));
  });
}

describe('aborts', () => {
  it('put no byte of one exchange into another', async () => {
    const upstream = await startUpstream((request, response, body) => {
      const whim = randomInt(10);
      if (whim === 0) request.socket.destroy();
      else if (whim === 1) {
        response.writeHead(200, { 'Content-Length': body.length, 'Content-Type': 'text/xml' });
        response.write(body.subarray(0, body.length >> 1));
        setTimeout(() => request.socket.destroy(), randomInt(5));
      } else {
        setTimeout(() => {
          response.writeHead(200, { 'Content-Length': body.length, 'Content-Type': 'text/xml' });
          response.end(body);
        }, randomInt(10));
      }
    });
    // Some answers come before the request has been read.
    upstream.server.on('request', (request, response) => {
      if (randomInt(12) !== 0) return;
      request.removeAllListeners('end');
      response.writeHead(200, { 'Content-Type': 'text/xml', 'Content-Length': 9 });
      response.end('<early!>\n');
    });
    const { port, pool, records } = await startGateway([serviceConfig(upstream.url)]);
    const problems: string[] = [];
    let owner = 0;
    let whole = 0;
    for (let round = 0; round < 25; round++) {
      await Promise.all(
        Array.from({ length: 16 }, async () => {
          const body = ownBody(owner++, 9 * randomInt(1_000, 60_000));
          const { body: answer, aborted } = await postOrLeave(port, body, randomInt(4) === 0);
          if (answer.includes('Envelope') || answer.includes('early')) return;
          if (!aborted && answer.length > 0) {
            whole += 1;
            if (!answer.equals(body))
              problems.push(`answer ${answer.length} of ${body.length}: ${foreign(answer) ?? 'cut'}`);
          } else if (answer.length > 0 && !body.subarray(0, answer.length).equals(answer)) {
            problems.push(`part: ${foreign(answer) ?? 'cut'}`);
          }
        }),
      );
    }
    for (const { body } of upstream.requests) {
      const found = foreign(body);
      if (found !== undefined) problems.push(`upstream saw ${found}`);
    }
    expect(problems).toEqual([]);
    expect(whole).toBeGreaterThan(100);
    // The gateway is in order afterwards.
    const last = ownBody(999_999, 900_000);
    for (let i = 0; i < 30; i++) {
      const answer = await post(port, last);
      if (answer.body.equals(last)) break;
    }
    // Every request that was handed on has its response record.
    const idsOf = (chain: string, outcome?: string): Set<string> =>
      new Set(
        records
          .filter((one) => one.chain === chain && (outcome ?? one.outcome) === one.outcome)
          .map(({ id }) => id),
      );
    await until(() => [...idsOf('request', 'ok')].every((id) => idsOf('response').has(id)), 5000);
    expect(pool.stats.leased).toBeLessThan(400);
  }, 60_000);

  it('of a caller end the call to the upstream, and are recorded', async () => {
    let closed = 0;
    const upstream = await startUpstream((request) => {
      request.socket.on('close', () => {
        closed += 1;
      });
    });
    const { port, records } = await startGateway([serviceConfig(upstream.url)]);
    const request = httpRequest({
      host: '127.0.0.1',
      port,
      path: '/orders',
      method: 'POST',
      headers: soapHeaders,
    });
    request.on('error', () => {});
    request.end('<a/>');
    await until(() => upstream.requests.length === 1);
    request.destroy();
    await until(() => closed === 1);
    await until(() => records.length === 2);
    expect(records[1]).toMatchObject({ chain: 'response', outcome: 'error', code: 'CLIENT_ABORTED' });
  });
});
