import type { PartScope } from '../wss/select.js';
import { NONE, type NodeId } from '../xml/index.js';
import type { Message } from './context.js';

/**
 * Where parts of a message are looked for. `signature` without a name is inbound the Signature of the chain's first
 * `verify`, outbound the one that was made last: that of the nearest earlier `sign`.
 */
export function partScope({
  document,
  envelope,
  securityHeader,
  signatures,
  firstVerify,
}: Message): PartScope {
  const byDefault = (): NodeId | undefined =>
    firstVerify === undefined ? [...signatures.values()].at(-1) : signatures.get(firstVerify);
  return {
    doc: document,
    envelope,
    securityHeader,
    signature: (name) => (name === undefined ? byDefault() : signatures.get(name)) ?? NONE,
  };
}
