/**
 * From the start of `countersign serve` to the first 200 of `/health/ready`, and resident memory two seconds later, against a
 * bare `node` that has started and waits. CPU of the child from /proc; wall-clock time is printed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { median, row } from './harness.mjs';
import { makeChains } from './support/chains.mjs';

const cli = resolve(import.meta.dirname, '../dist/cli/main.js');

export async function bench({ short }) {
  const chains = await makeChains('openssl', { classic: false });
  const rounds = short ? 5 : 11;
  const ours = [];
  const bare = [];
  try {
    const { config, admin } = await configure(chains.lab.folder);
    for (let round = 0; round < rounds; round++) {
      bare.push(await startBare());
      ours.push(await startGateway(config, admin));
    }
  } finally {
    await chains.close();
  }
  const of = (list, what) => median(list.map((each) => each[what]));
  return [
    row(
      'start',
      'CPU / bare node',
      of(ours, 'cpu'),
      { name: 'bare node', cpu: of(bare, 'cpu') },
      {
        wall_ms: Math.round(of(ours, 'wall')),
        idle_wakeups_per_minute: Math.round(of(ours, 'wakeups')),
      },
    ),
    row(
      'start',
      'RSS / bare node',
      of(ours, 'rss'),
      { name: 'bare node (KB)', cpu: of(bare, 'rss') },
      {
        rss_mb: Math.round(of(ours, 'rss') / 1024),
      },
    ),
  ];
}

async function configure(folder) {
  const file = join(folder, 'client/countersign.yaml');
  const [data, admin] = [await freePort(), await freePort()];
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replace('8080', String(data)).replace('9090', String(admin)),
  );
  return { config: file, admin };
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}

async function startBare() {
  const script = 'process.stdout.write("ready"); setInterval(() => {}, 1 << 30)';
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] });
  await once(child.stdout, 'data');
  return measured(child, performance.now());
}

async function startGateway(config, admin) {
  const begun = performance.now();
  const child = spawn(process.execPath, [cli, 'serve', '--config', config], {
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${admin}/health/ready`).catch(() => undefined);
    if (answer?.status === 200) break;
    if (child.exitCode !== null) throw new Error(`serve ended with ${child.exitCode}`);
    await sleep(3);
  }
  return measured(child, begun);
}

async function measured(child, begun) {
  const wall = performance.now() - begun;
  const cpu = cpuOf(child.pid);
  await sleep(2000);
  const rss = Number(/VmRSS:\s+(\d+)/.exec(status(child.pid))[1]);
  const switches = switchesOf(child.pid);
  await sleep(1000);
  const wakeups = (switchesOf(child.pid) - switches) * 60;
  child.kill('SIGKILL');
  await once(child, 'exit');
  return { cpu, rss, wall, wakeups };
}

const status = (pid) => readFileSync(`/proc/${pid}/status`, 'utf8');
const switchesOf = (pid) => Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status(pid))[1]);

/** Microseconds on a CPU, all threads. `/proc/PID/stat` counts in steps of 10 ms: a tenth of what a bare node takes. */
function cpuOf(pid) {
  let nanos = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`))
    nanos += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
  return nanos / 1000;
}
