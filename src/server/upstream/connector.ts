import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import type { Clock } from '../../core/clock.js';
import { CountersignError } from '../../core/errors.js';
import type { ConnectionTimes, UpstreamPlan } from './contract.js';

export type Connected = (error: Error | null, socket: Socket | null, times?: ConnectionTimes) => void;

/** Opens connections to one origin, with deadlines, and says how long each stage took. */
export type Connector = (done: Connected) => void;

/** @throws Error when a certificate or key of the plan cannot be used */
export function connector(plan: UpstreamPlan, clock: Clock): Connector {
  const secure = plan.url.protocol === 'https:';
  const host = plan.url.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = Number(plan.url.port) || (secure ? 443 : 80);
  const tls = secure ? tlsOptions(plan, host) : undefined;
  return (done) => {
    const begun = clock.micros();
    let connected = begun;
    const tcp = connectTcp({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 });
    const socket = tls === undefined ? tcp : connectTls({ ...tls, socket: tcp });
    const timer = setTimeout(() => {
      socket.destroy(timeout(host, port, plan.connectTimeout));
    }, plan.connectTimeout);
    const failed = (error: Error): void => {
      clearTimeout(timer);
      tcp.destroy();
      done(error, null);
    };
    tcp.once('connect', () => {
      connected = clock.micros();
    });
    socket.once('error', failed);
    socket.once(secure ? 'secureConnect' : 'connect', () => {
      clearTimeout(timer);
      socket.off('error', failed);
      const secured = clock.micros();
      done(null, socket, { begun, connected: secure ? connected : secured, secured });
    });
  };
}

function tlsOptions(plan: UpstreamPlan, host: string): ConnectionOptions {
  return {
    // RFC 6066 §3: an IP address is no server name.
    ...(isIP(host) === 0 ? { servername: host } : { host }),
    minVersion: 'TLSv1.2',
    ALPNProtocols: ['http/1.1'],
    ...(plan.ca.length === 0 ? {} : { ca: [...plan.ca] }),
    ...(plan.identity === undefined
      ? {}
      : { cert: plan.identity.cert, key: plan.identity.key, passphrase: plan.identity.passphrase }),
  };
}

const timeout = (host: string, port: number, millis: number): CountersignError =>
  new CountersignError('UPSTREAM_UNREACHABLE', `no connection to ${host}:${port} within ${millis} ms`);
