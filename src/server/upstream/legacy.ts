import { Agent, request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { CountersignError } from '../../core/errors.js';
import { Call, type CallContext } from './call.js';
import { connector } from './connector.js';
import type { ConnectionTimes, UpstreamCall, UpstreamTransport } from './contract.js';

const KEEP_ALIVE = 4_000;

/**
 * Connections over `node:http` with its lenient parser, for services that undici refuses: an unsolicited `100
 * Continue`, folded header fields, bare line feeds (research/gateways.md §3.3).
 */
export function legacyTransport(context: CallContext): UpstreamTransport {
  const times = new WeakMap<Socket, ConnectionTimes>();
  const agent = legacyAgent(context, times);
  return {
    send: (request, observer) => send(agent, times, new Call(context, request, observer)),
    close: () => {
      agent.destroy();
      return Promise.resolve();
    },
  };
}

function legacyAgent(context: CallContext, times: WeakMap<Socket, ConnectionTimes>): Agent {
  const open = connector(context.plan, context.clock);
  const agent = new Agent({ keepAlive: true, timeout: KEEP_ALIVE, maxFreeSockets: 64 });
  agent.createConnection = (_options, done) => {
    open((error, socket, stages) => {
      if (socket !== null && stages !== undefined) times.set(socket, stages);
      // The typings want a stream even with an error; Node does not look at it then.
      if (error === null && socket !== null) done?.(null, socket);
      else Reflect.apply(done ?? (() => {}), undefined, [error]);
    });
    return undefined;
  };
  return agent;
}

function send(agent: Agent, times: WeakMap<Socket, ConnectionTimes>, call: Call): UpstreamCall {
  const { body } = call.request;
  const request = begin(agent, call);
  if (request === undefined) return call;
  call.onCancel((reason) => {
    request.destroy(reason);
  });
  request.on('error', (error) => {
    call.fail(error);
  });
  request.on('information', ({ statusCode }) => {
    call.head(statusCode, []);
  });
  request.on('response', (response) => {
    receive(call, request, response);
  });
  request.once('socket', (socket) => {
    call.written(times.get(socket));
  });
  request.end(body, () => {
    call.flushed();
  });
  // 'finish' never comes for a body that its socket took down with it.
  request.once('close', () => {
    call.flushed();
  });
  return call;
}

/** @returns undefined when Node refuses the path or a field, and the call has failed */
function begin(agent: Agent, call: Call): ClientRequest | undefined {
  const { method, path, headers, body } = call.request;
  try {
    return httpRequest({
      agent,
      method,
      path,
      headers: [...headers, 'Content-Length', String(body.length)],
      insecureHTTPParser: true,
    });
  } catch (cause) {
    call.fail(new CountersignError('HTTP_FRAMING', 'the request cannot be passed on as it is', { cause }));
    return undefined;
  }
}

function receive(call: Call, request: ClientRequest, response: IncomingMessage): void {
  if (!call.head(response.statusCode ?? 0, response.rawHeaders)) {
    request.destroy();
    return;
  }
  response.on('data', (chunk: Buffer) => {
    call.data(chunk);
  });
  response.on('end', () => {
    call.end();
  });
  response.on('error', (error) => {
    call.fail(error);
  });
}
