/**
 * `npm run interop`: real peers, both ways, as one table. `--core` runs the short list that CI runs; other arguments name peers.
 * A peer that cannot be installed is a failure, said with what to install.
 */
import { mkdirSync } from 'node:fs';

import { installPackages } from '../test/support/debian.mjs';
import { makeLab, work } from './lab.mjs';

/** What the peers run on, and what shows that each is there. */
const packages = [
  { name: 'xmlsec1', command: 'xmlsec1' },
  { name: 'maven', command: 'mvn' },
  { name: 'default-jdk-headless', command: 'javac' },
  { name: 'openssl', command: 'openssl' },
  { name: 'python3-venv', command: 'python3' },
];

const peers = ['wss4j', 'xmlsec1', 'xml-crypto', 'zeep', 'cxf'];

async function runPeer(peer, lab, core) {
  const module = await import(`./cases/${peer}.mjs`);
  const found = await module.cases(lab, work);
  if (found.missing !== undefined) return [{ peer, name: found.missing, direction: '', failure: 'not run' }];
  const rows = [];
  for (const each of found.cases) {
    if (core && each.core !== true) continue;
    const failure = await each.run().catch((error) => `${error.stack ?? error}`);
    rows.push({ peer, name: each.name, direction: each.direction, failure });
    console.log(
      `${failure === undefined ? '✓' : '✗'} ${peer.padEnd(10)} ${each.direction.padEnd(26)} ${each.name}`,
    );
    if (failure !== undefined) console.log(`    ${String(failure).split('\n').slice(0, 6).join('\n    ')}`);
  }
  await found.close?.();
  return rows;
}

async function main() {
  const args = process.argv.slice(2);
  const core = args.includes('--core');
  const wanted = args.filter((each) => !each.startsWith('--'));
  for (const each of installPackages(packages)) console.log(`the Debian package ${each.name} is missing`);
  mkdirSync(work, { recursive: true });
  const lab = makeLab();
  const rows = [];
  for (const peer of wanted.length > 0 ? wanted : peers) rows.push(...(await runPeer(peer, lab, core)));
  const failed = rows.filter((row) => row.failure !== undefined);
  for (const row of failed.filter((each) => each.failure === 'not run'))
    console.log(`✗ ${row.peer}: ${row.name}`);
  console.log(`${rows.length - failed.length} passed, ${failed.length} failed`);
  return failed.length === 0 ? 0 : 1;
}

process.exitCode = await main();
