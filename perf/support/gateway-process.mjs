/**
 * A gateway on its own listener and, beside it, as middleware of an Express app. Log on, as in production.
 * `gateway-process.mjs CONFIG [WORKERS]`: several workers behind one port are measured as one.
 */
import cluster from 'node:cluster';
import { once } from 'node:events';
import { createServer } from 'node:http';
import express from 'express';
import { compose } from '../../dist/compose.js';
import { Gateway } from '../../dist/server/index.js';
import { ask, measure, serveMeasurements } from './process.mjs';

const [config, count = '1'] = process.argv.slice(2);

/** Opens both doors. @returns their ports */
async function openDoors(workers) {
  const { parts, compiled } = await compose({ config, workers, longRunning: false });
  if (parts === undefined || parts.refused.length > 0) throw new Error(JSON.stringify(compiled.diagnostics));
  // Load that ends breaks off what is under way: that is no news.
  const gateway = new Gateway(parts, { stderr() {} });
  const data = await gateway.listenData();
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.use(gateway.middleware());
  const server = createServer(app);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: data.port, middleware: server.address().port };
}

/** The primary accepts connections and hands them out: its work counts too. */
async function answerForAll(workers, question) {
  const answers = [measure(question), ...(await Promise.all(workers.map((worker) => ask(worker, question))))];
  const most = (name) => Math.max(...answers.map(({ delay }) => delay?.[name] ?? 0));
  return {
    answers: question,
    cpu: answers.reduce((sum, { cpu = 0 }) => sum + cpu, 0),
    delay: { p99: most('p99'), max: most('max') },
  };
}

if (count === '1') serveMeasurements(await openDoors(1));
else if (cluster.isPrimary) {
  const workers = Array.from({ length: Number(count) }, () => cluster.fork());
  const [[ports]] = await Promise.all(workers.map((worker) => once(worker, 'message')));
  serveMeasurements(ports, (question) => answerForAll(workers, question));
} else serveMeasurements(await openDoors(Number(count)));
