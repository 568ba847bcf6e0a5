/** The gateway's HTTP sides. */
export {
  Gateway,
  type Addresses,
  type GatewayOptions,
  type GatewayParts,
  type Middleware,
  type Processed,
} from './gateway.js';
export { openLog, type Log, type LogTarget } from './log.js';
export { Metrics, type MetricsSnapshot } from './metrics.js';
export type { RefusalReason, RefusedService } from './routes.js';
export type { CompiledChains } from './service.js';
export type { TlsIdentity } from './upstream/contract.js';
