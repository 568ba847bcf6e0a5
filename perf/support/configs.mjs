/** Gateway configurations for the benches over HTTP, on free ports, from the sample policies of `countersign init`. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const noSteps = (upstream) => `path: /orders\nupstream: ${upstream}\nrequest: []\nresponse: []\n`;
const signOnly = (upstream) =>
  `path: /orders\nupstream: ${upstream}\nrequest:\n  - timestamp\n  - sign: { key: client, parts: [timestamp, body] }\nresponse: []\n`;

/**
 * Writes one configuration beside the lab's own.
 *
 * @param side whose gateway file is taken: client or server
 * @param chains `none`, `sign` or `scenario 3`
 * @returns the gateway file
 */
export function configuration(lab, { name, side, chains, upstream }) {
  const folder = join(lab.folder, name);
  mkdirSync(join(folder, 'services'), { recursive: true });
  const gateway = readFileSync(join(lab.folder, side, 'countersign.yaml'), 'utf8');
  writeFileSync(join(folder, 'countersign.yaml'), gateway.replace(/port: \d+/g, 'port: 0'));
  const own = readFileSync(join(lab.folder, side, 'services/orders.yaml'), 'utf8');
  const texts = {
    none: noSteps(upstream),
    sign: signOnly(upstream),
    'scenario 3': own.replace(/^upstream: \S+/m, `upstream: ${upstream}`),
  };
  writeFileSync(join(folder, 'services/orders.yaml'), texts[chains]);
  return join(folder, 'countersign.yaml');
}
