/** How the gateway talks to a service. Types only. */
import type { Lease } from '../../core/buffers.js';
import type { CountersignError } from '../../core/errors.js';

export interface UpstreamRequest {
  readonly method: 'POST' | 'GET';
  /** Path and query. */
  readonly path: string;
  /** Names and values in turn; neither Content-Length nor hop-by-hop fields. */
  readonly headers: string[];
  readonly body: Buffer;
  /** The most bytes that the answer may have. */
  readonly limit: number;
}

/** When a connection was made, in monotonic microseconds. */
export interface ConnectionTimes {
  readonly begun: number;
  readonly connected: number;
  /** After the TLS handshake; equal to `connected` without TLS. */
  readonly secured: number;
}

/** Is told what happens to a request, at most once each, in this order. Times in monotonic microseconds. */
export interface UpstreamObserver {
  /** The first byte goes to a socket. */
  written(at: number, connection: ConnectionTimes | undefined): void;
  /** Nothing reads the body any more: it is with the operating system, or its socket is destroyed. */
  flushed(at: number): void;
  /** The first byte of the answer has come. */
  started(at: number): void;
}

export interface UpstreamAnswer {
  readonly status: number;
  /** Names and values in turn, as they came. */
  readonly headers: readonly string[];
  readonly body: Lease;
}

export interface UpstreamCall {
  /**
   * Rejects with CountersignError UPSTREAM_UNREACHABLE | UPSTREAM_TIMEOUT | UPSTREAM_ABORTED | UPSTREAM_TOO_LARGE |
   * UPSTREAM_BAD_ANSWER.
   */
  readonly answer: Promise<UpstreamAnswer>;
  /** Ends the call; `answer` rejects with `reason`. Does nothing when the answer is complete. */
  abort(reason: CountersignError): void;
}

/** The connections to one origin. */
export interface UpstreamTransport {
  send(request: UpstreamRequest, observer: UpstreamObserver): UpstreamCall;
  /** Destroys the connections. */
  close(): Promise<void>;
}

/** A key for client authentication, PEM. */
export interface TlsIdentity {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
  readonly passphrase: string | undefined;
}

/** Where an origin is and how to get there. */
export interface UpstreamPlan {
  readonly url: URL;
  /** PEM certificates to trust instead of the system's; empty: the system's. */
  readonly ca: readonly (string | Buffer)[];
  readonly identity: TlsIdentity | undefined;
  /** Milliseconds to connect, TLS included. */
  readonly connectTimeout: number;
  /** Milliseconds from the first byte sent to the last one received. */
  readonly responseTimeout: number;
}
