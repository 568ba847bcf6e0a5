/**
 * The whole gateway over HTTP, keep-alive: CPU of the gateway process for one request. Without steps against a bare proxy of
 * node:http and undici, through the listener and through Express; scenario 3 both ways against the bare cryptography of what the
 * client's gateway does (sign and encrypt the request, decrypt and verify the answer). Latency is printed, never gated.
 */
import autocannon from 'autocannon';
import { document } from './documents.mjs';
import { cpuMicros, interleave, row } from './harness.mjs';
import { makeChains } from './support/chains.mjs';
import { configuration } from './support/configs.mjs';
import { floor } from './support/floor.mjs';
import { load } from './support/load.mjs';
import { startProcess } from './support/process.mjs';

const KB = 1024;

export async function bench({ short, provider = 'openssl' }) {
  const chains = await makeChains(provider, { classic: false });
  const processes = await startAll(chains.lab);
  const rows = [];
  try {
    for (const [size, bytes] of [
      ['1 KB', KB],
      ['100 KB', 100 * KB],
    ]) {
      rows.push(...(await measure(size, document(bytes), { chains, processes, short })));
    }
  } finally {
    for (const each of Object.values(processes)) await each.stop();
    await chains.close();
  }
  return rows;
}

async function startAll(lab) {
  const echo = await startProcess('echo-service.mjs');
  const service = `http://127.0.0.1:${echo.port}/ws`;
  const gateway = (name, side, steps, upstream = service) =>
    startProcess('gateway-process.mjs', [configuration(lab, { name, side, chains: steps, upstream })]);
  const server = await gateway('bench-server', 'server', 'scenario 3');
  return {
    echo,
    bare: await startProcess('bare-proxy.mjs', [String(echo.port)]),
    none: await gateway('bench-none', 'client', 'none'),
    sign: await gateway('bench-sign', 'client', 'sign'),
    server,
    client: await gateway('bench-client', 'client', 'scenario 3', `http://127.0.0.1:${server.port}/orders`),
  };
}

async function measure(size, message, { chains, processes, short }) {
  const { bare, none, sign, client } = processes;
  const doors = {
    'bare proxy': [bare, bare.port],
    'no steps': [none, none.port],
    middleware: [none, none.ports.middleware],
    sign: [sign, sign.port],
    'scenario 3': [client, client.port],
  };
  const loads = Object.fromEntries(
    Object.entries(doors).map(([name, [, port]]) => [name, load(port, '/orders', message)]),
  );
  await check(loads, message);
  const floors = await floor(chains, message);
  const alternatives = Object.fromEntries(
    Object.entries(doors).map(([name, [process]]) => [name, requests(process, loads[name])]),
  );
  alternatives['bare crypto'] = async (n) => {
    const before = cpuMicros();
    await floors.send(n);
    await floors.receive(n);
    return cpuMicros() - before;
  };
  const many = size === '1 KB' ? 800 : 200;
  const cpu = await interleave(alternatives, { rounds: short ? 5 : 9, iterations: many, warmup: 3 });
  const latency = short ? {} : await latencies(doors, message);
  for (const each of Object.values(loads)) await each.close();
  return rowsOf(size, cpu, latency);
}

/** The CPU that a gateway spends on requests is its own, not this process's. */
function requests(process, { run }) {
  return async (n) => {
    const before = await process.cpu();
    await run(n);
    return (await process.cpu()) - before;
  };
}

async function check(loads, message) {
  const same = (bytes) =>
    bytes.toString('utf8').replace(/ xmlns:wsu="[^"]*"| wsu:Id="[^"]*"|<soap:Header\/>/g, '');
  for (const [name, each] of Object.entries(loads)) {
    const answer = await each.once();
    if (name !== 'sign' && same(answer) !== same(message)) throw new Error(`${name} changes the message`);
  }
}

function rowsOf(size, cpu, latency) {
  const proxy = { name: 'bare proxy', cpu: cpu['bare proxy'] };
  const crypto = { name: 'bare crypto', cpu: cpu['bare crypto'] };
  const line = (name, door) => row('gateway', name, cpu[door], proxy, latency[door]);
  return [
    line(`no steps ${size} / bare proxy`, 'no steps'),
    line(`no steps ${size}, middleware / bare proxy`, 'middleware'),
    line(`sign ${size} / bare proxy`, 'sign'),
    row(
      'gateway',
      `scenario 3 ${size} over no steps / bare crypto`,
      cpu['scenario 3'] - cpu['no steps'],
      crypto,
      latency['scenario 3'],
    ),
  ];
}

/** Requests come at a fixed rate, half of what one connection after the other gets through, whether answered or not. */
async function latencies(doors, message) {
  const found = {};
  for (const [name, [, port]] of Object.entries(doors)) {
    const options = {
      url: `http://127.0.0.1:${port}/orders`,
      method: 'POST',
      headers: { 'content-type': 'text/xml; charset=utf-8' },
      body: message,
      connections: 16,
    };
    const most = (await autocannon({ ...options, duration: 3 })).requests.average;
    const { latency, requests: done } = await autocannon({
      ...options,
      duration: 5,
      overallRate: Math.max(16, Math.floor(most / 2)),
    });
    found[name] = {
      rps: Math.round(done.average),
      p50_ms: latency.p50,
      p99_ms: latency.p99,
      most_rps: Math.round(most),
    };
  }
  return found;
}
