/** A service as the message handler uses it. */
import {
  runChain,
  secureFault,
  type Chain,
  type ChainInput,
  type ChainResult,
  type Exchange,
  type SecuredFault,
} from '../pipeline/index.js';
import type { ServiceConfig } from '../policy/config.js';
import type { UpstreamTransport } from './upstream/contract.js';

/** One direction of a service. */
export type ChainRunner = (input: ChainInput) => Promise<ChainResult>;

export interface Service {
  readonly config: ServiceConfig;
  /** Undefined: the messages of this direction pass as they are. */
  readonly request: ChainRunner | undefined;
  readonly response: ChainRunner | undefined;
  /** Protects a fault that the gateway makes itself, as far as the response chain says. */
  readonly secureFault: (fault: Uint8Array, exchange: Exchange) => Promise<SecuredFault>;
  readonly upstream: UpstreamTarget;
}

/** Where the requests of a service go. */
export interface UpstreamTarget {
  /** Value of the Host field. */
  readonly host: string;
  /** Path and query of the service's own address. */
  readonly path: string;
  /** Made at the first use: a transport that is never needed costs nothing at start. */
  readonly transport: () => UpstreamTransport;
}

/** What a compiled service has, whoever compiled it. */
export interface CompiledChains {
  readonly config: ServiceConfig;
  readonly request: Chain | undefined;
  readonly response: Chain | undefined;
}

/** Joins a compiled service and its transport. */
export function makeService(compiled: CompiledChains, transport: () => UpstreamTransport): Service {
  const { config, request, response } = compiled;
  const url = new URL(config.upstream.url);
  return {
    config,
    request: request === undefined ? undefined : (input) => runChain(request, input),
    response: response === undefined ? undefined : (input) => runChain(response, input),
    secureFault: (fault, exchange) => secureFault(response, fault, exchange),
    upstream: { host: url.host, path: url.pathname + url.search, transport },
  };
}

/** The path and query of a request to the service; the caller's query is passed on. */
export function upstreamPath(target: UpstreamTarget, url: string): string {
  const query = url.indexOf('?');
  if (query < 0) return target.path;
  const separator = target.path.includes('?') ? '&' : '?';
  return target.path + separator + url.slice(query + 1);
}
