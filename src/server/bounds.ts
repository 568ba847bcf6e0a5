/**
 * What one process of the gateway bears of its callers. Not in the policy: no service needs other deadlines, and whoever
 * could raise the counts would have to know what a connection costs here.
 */
export interface Bounds {
  /** Milliseconds in which a TLS handshake must be over. */
  readonly handshake: number;
  /** Milliseconds from a connection, or the first byte of a request, to the end of its header fields. */
  readonly headers: number;
  /** Milliseconds in which the whole body must have come, however it drips. */
  readonly body: number;
  /** Milliseconds that a caller may take to read an answer that the operating system did not take at once. */
  readonly read: number;
  /** Milliseconds that a connection is kept without a request. */
  readonly idle: number;
  /** How often, in milliseconds, connections past their deadline are looked for. */
  readonly interval: number;
  /** Connections at a time; a further one is closed at once. */
  readonly connections: number;
  /** Exchanges at a time whose message has come; a further one is answered 503. */
  readonly exchanges: number;
  /** Bytes of their messages. */
  readonly bytes: number;
}

const MiB = 1024 * 1024;

export const defaultBounds: Bounds = Object.freeze({
  handshake: 10_000,
  headers: 10_000,
  body: 30_000,
  read: 30_000,
  // Above the idle time of common load balancers (60 s), so that they close first and lose no request.
  idle: 65_000,
  interval: 5_000,
  // A slow caller costs some 20 KB until its deadline: ten thousand of them are borne beside the others.
  connections: 16_384,
  // At a millisecond each, the last one waits about a second.
  exchanges: 1_024,
  bytes: 256 * MiB,
});
