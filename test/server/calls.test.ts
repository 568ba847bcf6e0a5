import { afterEach, describe, expect, it } from '@jest/globals';
import { BufferPool } from '#src/core/buffers.js';
import { systemClock } from '#src/core/clock.js';
import { CountersignError } from '#src/core/errors.js';
import type { UpstreamObserver, UpstreamTransport } from '#src/server/upstream/contract.js';
import { legacyTransport } from '#src/server/upstream/legacy.js';
import { undiciTransport } from '#src/server/upstream/undici.js';
import { closeAll, onClose, startUpstream } from '../support/gateway.js';

afterEach(closeAll);

const transports = { legacy: legacyTransport, undici: undiciTransport };

function open(name: keyof typeof transports, url: string): UpstreamTransport {
  const plan = {
    url: new URL(url),
    ca: [],
    identity: undefined,
    connectTimeout: 1000,
    responseTimeout: 1000,
  };
  const transport = transports[name]({ plan, clock: systemClock, pool: new BufferPool() });
  onClose(() => transport.close());
  return transport;
}

const request = (path: string): Parameters<UpstreamTransport['send']>[0] => ({
  method: 'POST',
  path,
  headers: ['Host', 'upstream'],
  body: Buffer.from('<a/>'),
  limit: 1000,
});

const seen: string[] = [];
const observer: UpstreamObserver = {
  written: () => seen.push('written'),
  flushed: () => seen.push('flushed'),
  started: () => seen.push('started'),
};

describe.each(['legacy', 'undici'] as const)('a call over %s', (name) => {
  it('fails without a throw when the path cannot be sent', async () => {
    const upstream = await startUpstream();
    const transport = open(name, upstream.url);
    await expect(transport.send(request('/a b'), observer).answer).rejects.toBeInstanceOf(CountersignError);
    expect((await transport.send(request('/ab'), observer).answer).status).toBe(200);
    expect(upstream.requests).toHaveLength(1);
  });

  it('that is given up before it has a connection sends nothing and tells nobody', async () => {
    const upstream = await startUpstream();
    const transport = open(name, upstream.url);
    seen.length = 0;
    const call = transport.send(request('/gone'), observer);
    call.abort(new CountersignError('CLIENT_ABORTED', 'gone'));
    await expect(call.answer).rejects.toMatchObject({ code: 'CLIENT_ABORTED' });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(seen).toEqual([]);
    expect((await transport.send(request('/there'), observer).answer).status).toBe(200);
    expect(seen).toEqual(['written', 'flushed', 'started']);
    expect(upstream.requests.map(({ url }) => url)).toEqual(['/there']);
  });
});
