import type { IncomingMessage } from 'node:http';
import { codes } from '../core/codes.js';
import type { CountersignError } from '../core/errors.js';
import {
  gatewayFault,
  type ChainResult,
  type Exchange,
  type SecuredFault,
  type SoapVersion,
} from '../pipeline/index.js';
import type { Answer } from './answer.js';
import { isBare } from './failures.js';
import { returnedFields } from './headers.js';
import { discardRest } from './receive.js';
import type { Reply } from './reply.js';

/** Seconds after which it is worth trying again: when a load has passed, and when an operator may have acted. */
const SOON = '2';
const LATER = '60';

/** The gateway's own fields of an answer. */
export interface ReplyPlan {
  readonly id: string;
  readonly draining: boolean;
  /** Value of Server-Timing. */
  readonly timings: string | undefined;
}

export interface FaultPlan extends ReplyPlan {
  readonly exchange: Exchange;
  readonly secure: (fault: Uint8Array, exchange: Exchange) => Promise<SecuredFault>;
  /** Is told why the fault goes out unsigned. */
  readonly unsigned: (failure: CountersignError) => void;
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
  return plainReply(error, plan);
}

/**
 * An error in HTTP alone, in one line that says no more than the code table: nothing of the message, nothing of the
 * policy. The connection ends with it.
 *
 * @param status instead of that of the code
 */
export function plainReply(
  error: CountersignError,
  plan: Omit<ReplyPlan, 'draining'>,
  status: number = error.kind.status,
): Reply {
  const bytes = Buffer.from(plainText(error, plan.id));
  const headers = ['Content-Type', PLAIN];
  if (error.code === 'HTTP_METHOD') headers.push('Allow', 'POST, GET');
  if (status === 503) headers.push('Retry-After', error.code === 'SERVICE_OVERLOADED' ? SOON : LATER);
  addOwn(headers, plan);
  return { status, headers, slices: [bytes], length: bytes.length, close: true };
}

export const PLAIN = 'text/plain; charset=utf-8';

/** What is wrong, for whoever reads an error answer of HTTP. */
export const plainText = (error: CountersignError, id: string): string =>
  `${codes[error.code].summary} (reference ${id})\n`;

/** The fault that the caller is shown. */
export async function faultReply(
  error: CountersignError,
  version: SoapVersion,
  plan: FaultPlan,
): Promise<Reply> {
  const fault = gatewayFault(error, version, plan.id);
  const { bytes, failure } = await plan.secure(fault.bytes, plan.exchange);
  if (failure !== undefined) plan.unsigned(failure);
  const headers = ['Content-Type', fault.contentType];
  addOwn(headers, plan);
  return { status: fault.status, headers, slices: [bytes], length: bytes.length, close: plan.draining };
}

/** The fault of a service that has no chain to sign it with. The connection ends with it. */
export function unsignedFault(
  error: CountersignError,
  version: SoapVersion,
  plan: Omit<ReplyPlan, 'draining'>,
): Reply {
  const { status, contentType, bytes } = gatewayFault(error, version, plan.id);
  const headers = ['Content-Type', contentType];
  if (status === 503) headers.push('Retry-After', LATER);
  addOwn(headers, plan);
  return { status, headers, slices: [bytes], length: bytes.length, close: true };
}

function addOwn(headers: string[], plan: Omit<ReplyPlan, 'draining'>): void {
  headers.push('X-Countersign-Id', plan.id);
  if (plan.timings !== undefined) headers.push('Server-Timing', plan.timings);
}
