/**
 * The whole gateway over HTTP, keep-alive: CPU of the gateway process for one request. Without steps against a bare proxy of
 * node:http and undici, through the listener and through Express; with one process and with two; scenario 3 both ways, on both
 * sides, against the bare cryptography of the same work (the client's gateway signs and encrypts the request, decrypts and
 * verifies the answer; the server's the other way round). Requests a second, latency under open-loop load and the delay of the
 * event loop are printed, never gated.
 */
import autocannon from 'autocannon';
import { document } from './documents.mjs';
import { cpuMicros, interleave, median, row } from './harness.mjs';
import { makeChains } from './support/chains.mjs';
import { configuration } from './support/configs.mjs';
import { floor } from './support/floor.mjs';
import { load } from './support/load.mjs';
import { startProcess } from './support/process.mjs';

const KB = 1024;
/**
 * Requests to warm up with (the first thousands take up to three times as long): of those that sign nothing, of those that sign,
 * of scenario 3. Then rounds, and requests in each: `many` where nothing is signed, `some` where private keys work. The short
 * form says less of 100 KB, where nothing gates.
 */
const effort = {
  full: {
    '1 KB': { warm: [4000, 1000, 5000], rounds: 9, many: 600, some: 200 },
    '100 KB': { warm: [400, 100, 200], rounds: 7, many: 150, some: 50 },
  },
  short: {
    '1 KB': { warm: [3000, 300, 1200], rounds: 5, many: 300, some: 80 },
    '100 KB': { warm: [100, 20, 40], rounds: 3, many: 60, some: 20 },
  },
};
/** Seconds that the greatest rate is looked for, and that a fixed rate is held. */
const SEEK = 2;
const HOLD = 3;

export async function bench({ short, provider = 'openssl' }) {
  const chains = await makeChains(provider, { classic: false });
  const processes = await startAll(chains.lab, short);
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

async function startAll(lab, short) {
  const echo = await startProcess('echo-service.mjs');
  const service = `http://127.0.0.1:${echo.port}/ws`;
  const gateway = (name, side, steps, { upstream = service, workers = 1 } = {}) =>
    startProcess('gateway-process.mjs', [
      configuration(lab, { name, side, chains: steps, upstream }),
      String(workers),
    ]);
  const server = await gateway('bench-server', 'server', 'scenario 3');
  // A replay store in memory is one process's own, so that scenario 3 does not start with two.
  const pairs = short
    ? {}
    : {
        none2: await gateway('bench-none-2', 'client', 'none', { workers: 2 }),
        sign2: await gateway('bench-sign-2', 'client', 'sign', { workers: 2 }),
      };
  return {
    echo,
    bare: await startProcess('bare-proxy.mjs', [String(echo.port)]),
    none: await gateway('bench-none', 'client', 'none'),
    sign: await gateway('bench-sign', 'client', 'sign'),
    ...pairs,
    server,
    client: await gateway('bench-client', 'client', 'scenario 3', {
      upstream: `http://127.0.0.1:${server.port}/orders`,
    }),
  };
}

/** What is called: the process that is measured, and its port. */
function doorsOf({ bare, none, sign, none2, sign2, client }) {
  return {
    'bare proxy': [bare, bare.port],
    'no steps': [none, none.port],
    middleware: [none, none.ports.middleware],
    sign: [sign, sign.port],
    'scenario 3': [client, client.port],
    ...(none2 === undefined
      ? {}
      : { 'no steps, 2 processes': [none2, none2.port], 'sign, 2 processes': [sign2, sign2.port] }),
  };
}

async function measure(size, message, { chains, processes, short }) {
  const doors = doorsOf(processes);
  const loads = Object.fromEntries(
    Object.entries(doors).map(([name, [, port]]) => [name, load(port, '/orders', message)]),
  );
  await check(loads, message);
  const floors = await floor(chains, message);
  const alternatives = Object.fromEntries(
    Object.entries(doors).map(([name, [process]]) => [name, requests(process, loads[name])]),
  );
  const behind = [];
  alternatives['scenario 3'] = requests(processes.client, loads['scenario 3'], async (work) => {
    const before = await processes.server.cpu();
    const done = await work();
    behind.push((await processes.server.cpu()) - before);
    return done;
  });
  alternatives['bare crypto'] = async (n) => {
    const before = cpuMicros();
    await floors.send(n);
    await floors.receive(n);
    return cpuMicros() - before;
  };
  const { warm, rounds, many, some } = effort[short ? 'short' : 'full'][size];
  const isLight = (name) => /^(?:bare proxy|no steps|middleware)/.test(name);
  const [light, signing, both] = warm;
  for (const [name, work] of Object.entries(alternatives)) {
    await work(name === 'scenario 3' ? both : isLight(name) ? light : signing);
  }
  const iterations = Object.fromEntries(
    Object.keys(alternatives).map((name) => [name, isLight(name) ? many : some]),
  );
  const { cpu, overRounds } = await interleave(alternatives, { rounds, iterations, warmup: 1 });
  cpu['scenario 3, server'] = median(behind.slice(-rounds)) / some;
  const latency = short ? {} : await latencies(doors, message);
  for (const each of Object.values(loads)) await each.close();
  return rowsOf(size, { cpu, overRounds, latency });
}

/** The CPU that a gateway spends on requests is its own, not this process's. */
function requests(process, { run }, around = (work) => work()) {
  return (n) =>
    around(async () => {
      const before = await process.cpu();
      await run(n);
      return (await process.cpu()) - before;
    });
}

async function check(loads, message) {
  const same = (bytes) =>
    bytes.toString('utf8').replace(/ xmlns:wsu="[^"]*"| wsu:Id="[^"]*"|<soap:Header\/>/g, '');
  for (const [name, each] of Object.entries(loads)) {
    const answer = await each.once();
    if (name.startsWith('sign')) {
      if (!answer.includes('SignatureValue>')) throw new Error(`${name} does not sign`);
    } else if (same(answer) !== same(message)) throw new Error(`${name} changes the message`);
  }
}

function rowsOf(size, { cpu, overRounds, latency }) {
  const proxy = { name: 'bare proxy', cpu: cpu['bare proxy'] };
  const overProxy = (name) => ({ ...proxy, ratio: overRounds((each) => each[name] / each['bare proxy']) });
  const rows = [
    ['no steps', `no steps ${size}`],
    ['middleware', `no steps ${size}, middleware`],
    ['sign', `sign ${size}`],
  ].map(([name, shown]) =>
    row('gateway', `${shown} / bare proxy`, cpu[name], overProxy(name), latency[name]),
  );
  const crypto = { name: 'bare crypto', cpu: cpu['bare crypto'] };
  const both = `scenario 3 ${size} over no steps`;
  const over = (name) => cpu[name] - cpu['no steps'];
  const ratio = overRounds((each) => (each['scenario 3'] - each['no steps']) / each['bare crypto']);
  rows.push(
    row('gateway', `${both} / bare crypto`, over('scenario 3'), { ...crypto, ratio }, latency['scenario 3']),
    row('gateway', `${both}, server side / bare crypto`, over('scenario 3, server'), crypto),
  );
  for (const name of ['no steps', 'sign']) {
    const two = `${name}, 2 processes`;
    if (cpu[two] === undefined) continue;
    const one = { name: '1 process', cpu: cpu[name] };
    rows.push(row('gateway', `${name} ${size}, 2 processes / 1 process`, cpu[two], one, latency[two]));
  }
  if (latency['bare proxy'] !== undefined) {
    rows.push(row('gateway', `bare proxy ${size}`, proxy.cpu, proxy, latency['bare proxy']));
  }
  return rows;
}

/** Requests come at a fixed rate, half of the greatest, whether the earlier ones are answered or not. */
async function latencies(doors, message) {
  const found = {};
  for (const [name, [process, port]] of Object.entries(doors)) {
    const options = {
      url: `http://127.0.0.1:${port}/orders`,
      method: 'POST',
      headers: { 'content-type': 'text/xml; charset=utf-8' },
      body: message,
      connections: 16,
    };
    const most = (await autocannon({ ...options, duration: SEEK })).requests.average;
    await process.watch();
    const held = await autocannon({
      ...options,
      connections: 64,
      duration: HOLD,
      overallRate: Math.max(16, Math.floor(most / 2)),
    });
    const delay = await process.delay();
    if (held.non2xx > 0 || held.errors > 0) {
      throw new Error(`${name}: ${held.non2xx} refused, ${held.errors} errors`);
    }
    found[name] = {
      most_rps: Math.round(most),
      rps: Math.round(held.requests.average),
      p50_ms: held.latency.p50,
      p99_ms: held.latency.p99,
      loop_p99_ms: Number(delay.p99.toFixed(2)),
      loop_max_ms: Number(delay.max.toFixed(2)),
    };
  }
  return found;
}
