/** Chains of steps over SOAP messages. */
export type { Chain, ChainInput, ChainResult, OnFault } from './chain.js';
export {
  compileChain,
  type ChainEnvironment,
  type ChainPlan,
  type CompiledChain,
  type StepPlan,
} from './compile.js';
export { newExchange, type Exchange, type MessageFacts, type SoapVersion } from './context.js';
export { gatewayFault, type GatewayFault } from './fault.js';
export type {
  ChainKind,
  Direction,
  HeaderPlan,
  InboundStep,
  OutboundStep,
  ReplayPlan,
  Step,
  StepBuild,
  StepModule,
} from './handler.js';
export { operatorLine, refusalFields, type Refusal, type RefusalFields } from './operator-line.js';
export { timingRecord, type Outcome, type RecordInput, type TimingRecord } from './record.js';
export { runChain, secureFault, type SecuredFault } from './run.js';
export { fittingSignature } from './steps/algorithms.js';
