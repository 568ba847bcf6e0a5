/**
 * Replay refusal. The claim is made after everything else was verified, just before forwarding: an attacker without
 * a valid signature cannot fill the store, and a message that was refused can be sent again once it is corrected.
 */
import { CountersignError } from '../core/errors.js';
import type { SignedFact, TimestampFact } from './evidence.js';

/** Remembers what was accepted. One atomic operation; full or unreachable means refuse. */
export interface ReplayStore {
  /**
   * Remembers `id` until `until`, unless it is remembered already. Of any number of simultaneous claims of one id
   * exactly one is `fresh`. An entry is never dropped before its time.
   *
   * @param until milliseconds since the epoch
   * @throws CountersignError REPLAY_STORE_FULL
   */
  claim(id: string, until: number): 'fresh' | 'seen' | Promise<'fresh' | 'seen'>;
  /** Whether `id` is remembered; claims nothing, and decides nothing: it only saves work that a claim would refuse. */
  has(id: string): boolean | Promise<boolean>;
}

export interface ReplayOptions {
  /** How long a claim is kept, in milliseconds; never shorter than the time in which the message would be accepted. */
  readonly keep: number;
  /** Clock skew that `check-timestamp` tolerates, in milliseconds. */
  readonly skew: number;
  /**
   * Wall-clock time at which a store that forgets was opened, in milliseconds since the epoch; undefined where the
   * store remembers earlier runs, or where the process handles one message and ends.
   */
  readonly startedAt: number | undefined;
}

/** How long `keep: auto` keeps a claim: a message dated `skew` ahead lives that much longer, on each side. */
export function automaticKeep(maxAge: number, skew: number): number {
  return maxAge + 2 * skew;
}

/**
 * Claims every signature of a message.
 *
 * @param signatures what the verify steps established; the claim is of the canonical SignedInfo with its signer
 * @param timestamp the signed Timestamp, where there is one
 * @param now milliseconds since the epoch
 * @throws CountersignError REPLAYED, REPLAY_BEFORE_START, REPLAY_STORE_FULL
 */
export async function claimSignatures(
  store: ReplayStore,
  message: { readonly signatures: readonly SignedFact[]; readonly timestamp: TimestampFact | undefined },
  options: ReplayOptions,
  now: number,
): Promise<void> {
  refuseBeforeStart(message.timestamp, options);
  for (const signature of message.signatures) {
    const outcome = await store.claim(signature.replayId, now + options.keep);
    // Fail closed: whatever a store may answer besides, only `fresh` lets the message on.
    if (outcome !== 'fresh') throw replayed(signature.replayId);
  }
}

/**
 * Refuses a signature that was claimed before: asked as soon as the signature is known to be authentic, so that a
 * replayed message costs no private-key work. The claim itself comes last.
 *
 * @throws CountersignError REPLAYED
 */
export function refuseSeen(store: ReplayStore, replayId: string): Promise<void> | undefined {
  const refuse = (isSeen: boolean): void => {
    if (isSeen) throw replayed(replayId);
  };
  const answer = store.has(replayId);
  if (typeof answer !== 'boolean') return answer.then(refuse);
  refuse(answer);
  return undefined;
}

const replayed = (replayId: string): CountersignError =>
  new CountersignError('REPLAYED', 'the message has been received before', { details: { replayId } });

/** A store that forgot everything at the start cannot tell whether a message from before it is a replay. */
function refuseBeforeStart(timestamp: TimestampFact | undefined, options: ReplayOptions): void {
  const { startedAt, skew } = options;
  if (startedAt === undefined || timestamp === undefined || timestamp.created >= startedAt - skew) return;
  throw new CountersignError('REPLAY_BEFORE_START', 'the message was created before the gateway started', {
    details: { created: timestamp.created, started: startedAt },
  });
}
