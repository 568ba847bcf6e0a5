/** Child processes that a bench measures from outside. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/**
 * Starts a script of this folder. It sends `{ port }` when it is ready, and answers `cpu` with the CPU microseconds
 * that it has used.
 */
export async function startProcess(script, args = [], env = {}) {
  const child = fork(join(import.meta.dirname, script), args, {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, ...env },
  });
  const [ready] = await once(child, 'message');
  const ask = async (question) => {
    child.send(question);
    const [answer] = await once(child, 'message');
    return answer;
  };
  return {
    port: ready.port,
    ports: ready,
    cpu: async () => (await ask('cpu')).cpu,
    delay: async () => (await ask('delay')).delay,
    async stop() {
      child.disconnect();
      child.kill('SIGTERM');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}

/** The child's side. */
export function serveMeasurements(ports) {
  process.on('message', (question) => {
    const { user, system } = process.cpuUsage();
    if (question === 'cpu') process.send({ cpu: user + system });
  });
  process.on('disconnect', () => process.exit(0));
  process.send(ports);
}
