import { afterEach, describe, expect, it } from '@jest/globals';
import {
  closeAll,
  envelope,
  post,
  serviceConfig,
  startGateway,
  startUpstream,
  until,
} from '../support/gateway.js';

afterEach(closeAll);

describe('an exchange without steps', () => {
  it('passes message and answer as they are, with their headers', async () => {
    const upstream = await startUpstream();
    const { port, records } = await startGateway([serviceConfig(upstream.url)]);
    const message = envelope('ä'.repeat(1000));
    const answer = await post(port, message, { path: '/orders?a=b', headers: { 'X-Custom': 'yes' } });
    expect(answer.status).toBe(200);
    expect(answer.body.toString()).toBe(message);
    expect(answer.headers['x-countersign-id']).toMatch(/^[0-9A-Z]{26}$/);
    const [request] = upstream.requests;
    expect(request?.url).toBe('/ws?a=b');
    expect(request?.body.toString()).toBe(message);
    const fields = Object.fromEntries(
      Array.from({ length: request!.rawHeaders.length / 2 }, (_, i) => [
        request!.rawHeaders[2 * i]!,
        request!.rawHeaders[2 * i + 1]!,
      ]),
    );
    expect(fields).toMatchObject({ SOAPAction: '"urn:order"', 'X-Custom': 'yes' });
    expect(fields['Content-Type']).toBe('text/xml; charset=utf-8');
    await until(() => records.length === 2);
    expect(records.map(({ chain, outcome }) => `${chain} ${outcome}`)).toEqual(['request ok', 'response ok']);
    expect(records[0]?.id).toBe(records[1]?.id);
    expect(records[0]?.steps.map(({ step }) => step)).toEqual(['receive', 'send']);
    expect(records[1]?.steps.map(({ step }) => step)).toEqual(['receive', 'send']);
    expect(records[1]?.upstream_us).toBeGreaterThan(0);
  });

  it('passes large messages through pooled buffers and gives them back', async () => {
    const upstream = await startUpstream();
    const { port, pool } = await startGateway([serviceConfig(upstream.url)]);
    for (const size of [60_000, 70_000, 300_000, 3_000_000]) {
      const message = envelope('x'.repeat(size));
      const answer = await post(port, message);
      expect(answer.body.toString()).toBe(message);
    }
    await until(() => pool.stats.leased === 0);
    expect(pool.stats.retained).toBeGreaterThan(0);
  });
});
