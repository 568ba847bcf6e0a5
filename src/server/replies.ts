import type { IncomingMessage } from 'node:http';
import type { CountersignError } from '../core/errors.js';
import { gatewayFault, type ChainResult, type Exchange, type SoapVersion } from '../pipeline/index.js';
import type { Answer } from './answer.js';
import { isBare } from './failures.js';
import { returnedFields } from './headers.js';
import { discardRest } from './receive.js';
import type { Reply } from './reply.js';

/** The gateway's own fields of an answer. */
export interface ReplyPlan {
  readonly id: string;
  readonly draining: boolean;
  /** Value of Server-Timing. */
  readonly timings: string | undefined;
}

export interface FaultPlan extends ReplyPlan {
  readonly exchange: Exchange;
  readonly secure: (fault: Uint8Array, exchange: Exchange) => Promise<Uint8Array>;
}

/** The service's answer, as it leaves the chain. @param message undefined: as it came */
export function answerReply(answer: Answer, message: ChainResult | undefined, plan: ReplyPlan): Reply {
  const headers = returnedFields(answer.headers, message !== undefined || answer.decoded);
  addOwn(headers, plan);
  const bytes = answer.body.bytes;
  return {
    status: answer.status,
    headers,
    slices: message === undefined ? [bytes] : message.slices,
    length: message === undefined ? bytes.length : message.length,
    close: plan.draining,
  };
}

/** An answer of HTTP alone; undefined when the error is to be told in a fault. */
export async function bareReply(
  error: CountersignError,
  request: IncomingMessage,
  plan: ReplyPlan,
): Promise<Reply | undefined> {
  if (!isBare(error)) return undefined;
  await discardRest(request);
  const headers = error.code === 'HTTP_METHOD' ? ['Allow', 'POST, GET'] : [];
  addOwn(headers, plan);
  return { status: error.kind.status, headers, slices: [], length: 0, close: true };
}

/** The fault that the caller is shown. */
export async function faultReply(
  error: CountersignError,
  version: SoapVersion,
  plan: FaultPlan,
): Promise<Reply> {
  const fault = gatewayFault(error, version, plan.id);
  const bytes = await plan.secure(fault.bytes, plan.exchange);
  const headers = ['Content-Type', fault.contentType];
  addOwn(headers, plan);
  return { status: fault.status, headers, slices: [bytes], length: bytes.length, close: plan.draining };
}

function addOwn(headers: string[], plan: ReplyPlan): void {
  headers.push('X-Countersign-Id', plan.id);
  if (plan.timings !== undefined) headers.push('Server-Timing', plan.timings);
}
