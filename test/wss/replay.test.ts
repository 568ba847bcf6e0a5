import { describe, expect, it } from '@jest/globals';
import { MemoryReplayStore } from '#src/stores/memory.js';
import type { SignedFact, TimestampFact } from '#src/wss/evidence.js';
import { automaticKeep, claimSignatures, type ReplayStore } from '#src/wss/replay.js';

const now = 1_800_000_000_000;
const clock = { now: () => now, micros: () => 0 };
const options = { keep: automaticKeep(300_000, 60_000), skew: 60_000, startedAt: undefined };

const signed = (replayId: string): SignedFact =>
  ({ kind: 'signed', step: 'partner', replayId }) as unknown as SignedFact;
const timestamp = (created: number): TimestampFact => ({
  kind: 'timestamp',
  element: 1,
  created,
  expires: undefined,
});
const message = (
  replayId: string,
  created = now,
): { signatures: SignedFact[]; timestamp: TimestampFact | undefined } => ({
  signatures: [signed(replayId)],
  timestamp: timestamp(created),
});

async function outcome(action: Promise<void>): Promise<string> {
  try {
    await action;
  } catch (error) {
    return (error as { code: string }).code;
  }
  return 'accepted';
}

describe('replay claim', () => {
  it('accepts a message once (WSS-01), and another message', async () => {
    const store = new MemoryReplayStore({ clock });
    expect(await outcome(claimSignatures(store, message('a'), options, now))).toBe('accepted');
    expect(await outcome(claimSignatures(store, message('a'), options, now))).toBe('REPLAYED');
    expect(await outcome(claimSignatures(store, message('b'), options, now))).toBe('accepted');
  });

  it('accepts exactly one of 100 copies at once (WSS-02)', async () => {
    const store = new MemoryReplayStore({ clock });
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, () => outcome(claimSignatures(store, message('a'), options, now))),
    );
    expect(outcomes.filter((one) => one === 'accepted')).toHaveLength(1);
    expect(outcomes.filter((one) => one === 'REPLAYED')).toHaveLength(99);
  });

  it('refuses when one of several signatures was seen before', async () => {
    const store = new MemoryReplayStore({ clock });
    await claimSignatures(store, message('a'), options, now);
    const both = { signatures: [signed('b'), signed('a')], timestamp: undefined };
    expect(await outcome(claimSignatures(store, both, options, now))).toBe('REPLAYED');
  });

  it('keeps a claim for as long as the message could be accepted', () => {
    expect(options.keep).toBe(420_000);
  });

  it('refuses what a store that started later cannot know (WSS-06), and accepts what it can', async () => {
    const store = new MemoryReplayStore({ clock });
    const young = { ...options, startedAt: now - 1000 };
    expect(await outcome(claimSignatures(store, message('a', now - 61_001), young, now))).toBe(
      'REPLAY_BEFORE_START',
    );
    expect(await outcome(claimSignatures(store, message('a', now - 61_000), young, now))).toBe('accepted');
  });

  it('passes on the refusal of a store that is down (WSS-04)', async () => {
    const down: ReplayStore = {
      claim: () => Promise.reject(Object.assign(new Error('down'), { code: 'REPLAY_STORE_FULL' })),
      has: () => Promise.reject(Object.assign(new Error('down'), { code: 'REPLAY_STORE_FULL' })),
    };
    expect(await outcome(claimSignatures(down, message('a'), options, now))).toBe('REPLAY_STORE_FULL');
  });

  it('lets a message on for the answer fresh and for no other', async () => {
    const answering = (claim: unknown): ReplayStore => ({ claim: () => claim as 'fresh', has: () => false });
    expect(await outcome(claimSignatures(answering('fresh'), message('a'), options, now))).toBe('accepted');
    for (const answer of ['seen', undefined, true, 'OK'])
      expect(await outcome(claimSignatures(answering(answer), message('a'), options, now))).toBe('REPLAYED');
  });
});
