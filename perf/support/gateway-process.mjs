/** A gateway on its own listener and, beside it, as middleware of an Express app. Log on, as in production. */
import { createServer } from 'node:http';
import express from 'express';
import { compose } from '../../dist/compose.js';
import { Gateway } from '../../dist/server/index.js';
import { serveMeasurements } from './process.mjs';

const [config] = process.argv.slice(2);
const { parts, compiled } = await compose({ config, longRunning: false });
if (parts === undefined) throw new Error(JSON.stringify(compiled.diagnostics));
const gateway = new Gateway(parts);
const { data } = await gateway.listen();
const app = express();
app.disable('x-powered-by');
app.disable('etag');
app.use(gateway.middleware());
const server = createServer(app);
server.listen(0, '127.0.0.1', () => {
  serveMeasurements({ port: data.port, middleware: server.address().port });
});
