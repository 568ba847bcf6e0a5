/** Child processes that a bench measures from outside. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/**
 * Starts a script of this folder. It sends `{ port }` when it is ready, and then answers `cpu` with the CPU microseconds that
 * it has used, `watch` by looking at its event loop from then on, `delay` with what it saw, in milliseconds.
 */
export async function startProcess(script, args = [], env = {}) {
  const child = fork(join(import.meta.dirname, script), args, {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, ...env },
  });
  const [ready] = await once(child, 'message');
  return {
    port: ready.port,
    ports: ready,
    cpu: async () => (await ask(child, 'cpu')).cpu,
    watch: () => ask(child, 'watch'),
    delay: async () => (await ask(child, 'delay')).delay,
    async stop() {
      child.disconnect();
      child.kill('SIGTERM');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}

/** Asks a process that is measured; also one of the cluster behind it. */
export async function ask(child, question) {
  child.send(question);
  for (;;) {
    const [answer] = await once(child, 'message');
    if (answer?.answers === question) return answer;
  }
}

const MILLIS = 1e6;
const loop = monitorEventLoopDelay({ resolution: 5 });

/** This process's own answer to a question. */
export function measure(question) {
  const { user, system } = process.cpuUsage();
  if (question === 'cpu') return { answers: question, cpu: user + system };
  if (question === 'watch') {
    loop.reset();
    loop.enable();
    return { answers: question };
  }
  loop.disable();
  const delay = { p99: loop.percentile(99) / MILLIS, max: loop.max / MILLIS };
  return { answers: question, delay };
}

/** The child's side. @param answer for a process that stands for several */
export function serveMeasurements(ports, answer = measure) {
  process.on('message', async (question) => {
    process.send(await answer(question));
  });
  process.on('disconnect', () => process.exit(0));
  process.send(ports);
}
