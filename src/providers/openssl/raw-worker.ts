/** The worker thread of raw-rsa.ts: bare RSA private operations, one answer per question. */
import { constants, privateDecrypt, type KeyObject } from 'node:crypto';
import { parentPort } from 'node:worker_threads';

/** What the worker is sent. */
export interface RawQuestion {
  readonly id: number;
  readonly key: KeyObject;
  readonly block: Uint8Array;
}

/** What it answers; `block` is absent when OpenSSL refused. */
export interface RawAnswer {
  readonly id: number;
  readonly block?: Uint8Array;
}

parentPort?.on('message', ({ id, key, block }: RawQuestion) => {
  let answer: RawAnswer = { id };
  let plain: Buffer | undefined;
  try {
    plain = privateDecrypt({ key, padding: constants.RSA_NO_PADDING }, block);
    answer = { id, block: plain };
  } catch {
    // OpenSSL's reason stays here: all failures are one.
  }
  parentPort?.postMessage(answer);
  plain?.fill(0);
});
