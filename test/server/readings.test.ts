import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { compose } from '#src/compose.js';
import { fixedClock } from '#src/core/clock.js';
import { exceptionReadings } from '#src/server/readings.js';
import { closeAll, raw, startComposed } from '../support/gateway.js';
import { root } from '../support/paths.js';

afterEach(closeAll);

const lab = join(mkdtempSync(join(tmpdir(), 'countersign-')), 'lab');
const config = join(lab, 'server/countersign.yaml');

describe('days left on what the policy allows by exception', () => {
  it('are a metric and in the log, one for each algorithm and use', async () => {
    spawnSync(process.execPath, [join(root, 'dist/cli/main.js'), 'init', lab]);
    writeFileSync(
      join(lab, 'server/services/old.yaml'),
      'path: /old\nupstream: http://127.0.0.1:1/\nalgorithms: { allow: ["rsa-sha1 for verify until 2099-06-30", "sha1 for verify"] }\n' +
        'request:\n  - verify: { trust: clients, parts: [body] }\nresponse: []\n',
    );
    const { parts, compiled } = await compose({ config });
    if (parts === undefined) throw new Error(JSON.stringify(compiled.diagnostics));
    expect(parts.refused).toEqual([]);
    const { adminPort, lines } = await startComposed(parts);
    expect(lines).toContainEqual(
      expect.objectContaining({
        msg: 'algorithms allowed by exception',
        service: 'old',
        exceptions: ['rsa-sha1 for verify', 'sha1 for verify'],
      }),
    );
    const { text } = await raw(
      adminPort,
      'GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
    );
    const found = text.match(/^countersign_algorithm_exception_days\{.*$/gm);
    expect(found).toEqual([
      expect.stringMatching(/^[^{]*\{service="old",algorithm="rsa-sha1",use="verify"\} \d{5}$/),
    ]);
    const daysAt = (time: string): unknown => {
      const [reading] = exceptionReadings(parts.services, fixedClock(Date.parse(time)));
      return [...(reading?.read() ?? [])].map(({ value }) => value);
    };
    expect(daysAt('2099-06-29T12:00:00Z')).toEqual([1]);
    expect(daysAt('2099-06-30T23:59:59Z')).toEqual([0]);
    expect(daysAt('2099-07-01T00:00:00Z')).toEqual([0]);
    expect(daysAt('2099-07-01T12:00:00Z')).toEqual([-1]);
  });
});
