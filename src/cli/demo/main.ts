/**
 * `npm run demo`: SOAP messages through a client-side and a server-side gateway to a plain service and back, with the
 * time of every step, and a gallery of tampered messages that must all be refused.
 */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';

import { serve, type Served } from './children.js';
import { fault, post } from './exchange.js';
import { gallery, protect } from './gallery.js';
import { makeLab, type Lab } from './lab.js';
import { timingLines, timingTable } from './timings.js';
import { tokenForDemo } from './token.js';
import { confirmationOf, startOrdersService, type OrdersService } from './upstream.js';

const warmUp = 30;
const measured = 40;

interface Demo {
  readonly lab: Lab;
  readonly provider: string;
  readonly upstream: OrdersService;
  readonly client: Served;
  readonly server: Served;
}

const print = (text = ''): void => void process.stdout.write(`${text}\n`);

async function start(provider: string): Promise<Demo> {
  const token = provider === 'pkcs11' ? await tokenForDemo() : undefined;
  const lab = await makeLab(token);
  const upstream = await startOrdersService({ port: lab.ports.upstream, wsdl: await readFile(lab.wsdl) });
  const server = serve(lab.serverConfig, provider);
  const client = serve(lab.clientConfig, provider);
  await Promise.all([ready(server, lab.ports.serverAdmin), ready(client, lab.ports.clientAdmin)]);
  return { lab, provider, upstream, client, server };
}

async function ready(gateway: Served, adminPort: number): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    if (gateway.process.exitCode !== null)
      throw new Error(`a gateway did not start:\n${gateway.lines.join('\n')}`);
    const answer = await fetch(`http://127.0.0.1:${adminPort}/health/ready`).catch(() => undefined);
    if (answer?.status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`a gateway is not ready after 10 s:\n${gateway.lines.join('\n')}`);
}

/** Sends the sample order through both gateways. @returns how many answers came back and arrived as sent */
async function exchanges(demo: Demo, count: number): Promise<number> {
  let intact = 0;
  for (let at = 0; at < count; at++) {
    const answer = await post(demo.lab.ports.client, '/orders', demo.lab.order);
    const received = demo.upstream.received.at(-1);
    const arrived = received !== undefined && sameMessage(received, demo.lab.order);
    if (answer.status === 200 && arrived && sameMessage(answer.body, confirmationOf(received))) intact++;
    else if (at === 0) {
      const said = fault(answer) ?? answer.body.toString('utf8').slice(0, 400);
      print(`first exchange: HTTP ${answer.status} ${said}`);
    }
  }
  return intact;
}

/** Equal but for the `wsu:Id` attributes, signed bytes themselves, that the sender's gateway put on signed elements. */
function sameMessage(received: Buffer, sent: Buffer): boolean {
  const bare = received
    .toString('utf8')
    .replace(/ xmlns:wsu="[^"]*"/g, '')
    .replace(/ wsu:Id="[^"]*"/g, '');
  return bare === sent.toString('utf8');
}

function printTimings(demo: Demo): void {
  const recent = (gateway: Served, chain: string): ReturnType<typeof timingLines> =>
    timingLines(gateway.lines)
      .filter((record) => record.chain === chain && record.outcome === 'ok')
      .slice(-measured);
  print(
    timingTable([
      { title: 'client: request', records: recent(demo.client, 'request') },
      { title: 'server: request', records: recent(demo.server, 'request') },
      { title: 'server: answer', records: recent(demo.server, 'response') },
      { title: 'client: answer', records: recent(demo.client, 'response') },
    ]),
  );
}

/** Sends each tampered message to the server-side gateway. @returns how many were not refused as they must be */
async function refusals(demo: Demo): Promise<number> {
  let wrong = 0;
  const good = await post(demo.lab.ports.server, '/orders', await protect(demo.lab, demo.provider));
  if (good.status !== 200) {
    wrong++;
    print(`the untampered message was refused: ${fault(good) ?? good.status.toString()}`);
  }
  for (const each of await gallery(demo.lab, demo.provider)) {
    if (each.replay === true) await post(demo.lab.ports.server, '/orders', each.message);
    const from = demo.server.lines.length;
    const before = demo.upstream.count();
    const answer = await post(demo.lab.ports.server, '/orders', each.message);
    const line = await demo.server.line(
      (text) => text.startsWith('refused ') && text.includes(answer.id ?? '?'),
      from,
    );
    const refused =
      answer.status >= 400 &&
      demo.upstream.count() === before &&
      each.codes.some((code) => line.includes(code));
    if (!refused) wrong++;
    print(`${refused ? '✓' : '✗'} ${each.name}`);
    print(`    operator  ${line}`);
    print(`    peer      ${fault(answer) ?? `HTTP ${answer.status}`}`);
  }
  return wrong;
}

function printAddresses(demo: Demo): void {
  const { ports, folder } = demo.lab;
  print(`Everything is left running in ${folder}; Ctrl-C ends it.`);
  print();
  print(
    `  client-side gateway  http://127.0.0.1:${ports.client}/orders      (a legacy client posts plain SOAP here)`,
  );
  print(
    `  server-side gateway  http://127.0.0.1:${ports.server}/orders      (takes protected messages only)`,
  );
  print(`  plain service        http://127.0.0.1:${ports.upstream}/orders`);
  print(
    `  metrics              http://127.0.0.1:${ports.clientAdmin}/metrics  http://127.0.0.1:${ports.serverAdmin}/metrics`,
  );
  print();
  print('Try:');
  print(
    `  curl -s -H 'Content-Type: text/xml' --data-binary @${folder}/messages/order.xml http://127.0.0.1:${ports.client}/orders`,
  );
  print(`  curl -s 'http://127.0.0.1:${ports.client}/orders?wsdl'`);
  print(
    `  npx countersign process --config ${folder}/client/countersign.yaml --service orders --chain request < ${folder}/messages/order.xml`,
  );
}

async function stop(demo: Demo): Promise<void> {
  await Promise.all([demo.client.stop(), demo.server.stop()]);
  await demo.upstream.close();
  await demo.lab.remove();
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { once: { type: 'boolean', default: false }, provider: { type: 'string', default: 'openssl' } },
  });
  const demo = await start(values.provider);
  print(`Countersign demo, provider ${values.provider}`);
  print();
  await exchanges(demo, warmUp);
  const intact = await exchanges(demo, measured);
  print(`${intact} of ${measured} messages went through both gateways and came back intact.`);
  print();
  print('Microseconds, median of each step:');
  print();
  printTimings(demo);
  print();
  print('Tampered messages:');
  print();
  const wrong = await refusals(demo);
  print();
  const good = intact === measured && wrong === 0;
  print(
    good
      ? 'Every message arrived intact and every tampered one was refused.'
      : 'NOT everything went as it must.',
  );
  if (values.once) {
    await stop(demo);
    return good ? 0 : 1;
  }
  print();
  printAddresses(demo);
  await new Promise<void>((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
  await stop(demo);
  return good ? 0 : 1;
}

process.exitCode = await main().catch((failure: unknown) => {
  process.stderr.write(`demo: ${failure instanceof Error ? failure.message : String(failure)}\n`);
  return 3;
});
