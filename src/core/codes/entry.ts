/** Who can put the matter right. */
export type Actor = 'sender' | 'operator' | 'upstream' | 'none';

/**
 * The fault a peer is shown (WSS 1.1.1 §12). Everything that a signature, a key or a token can do wrong is
 * `wsse:FailedCheck`, so that faults tell an attacker nothing; expiry alone stays apart.
 */
export type FaultName =
  | 'wsse:FailedCheck'
  | 'wsu:MessageExpired'
  | 'env:MustUnderstand'
  | 'env:VersionMismatch'
  | 'env:Sender'
  | 'env:Receiver';

/** What happens outside the gateway when a code of some kind comes up. */
export interface Kind {
  /** Who can act on it. */
  readonly actor: Actor;
  /** The SOAP fault for it; `none` where no message is being answered (configuration, start-up, commands). */
  readonly fault: FaultName | 'none';
  /** HTTP status where no SOAP fault can be sent; 0 where HTTP is not concerned. */
  readonly status: number;
}

/** The kinds of failure. Each code belongs to one. */
export const kinds = {
  'failed-check': { actor: 'sender', fault: 'wsse:FailedCheck', status: 500 },
  expired: { actor: 'sender', fault: 'wsu:MessageExpired', status: 500 },
  'must-understand': { actor: 'sender', fault: 'env:MustUnderstand', status: 500 },
  'version-mismatch': { actor: 'sender', fault: 'env:VersionMismatch', status: 500 },
  'bad-message': { actor: 'sender', fault: 'env:Sender', status: 400 },
  'http-403': { actor: 'sender', fault: 'env:Sender', status: 403 },
  'http-404': { actor: 'sender', fault: 'env:Sender', status: 404 },
  'http-405': { actor: 'sender', fault: 'env:Sender', status: 405 },
  'http-408': { actor: 'sender', fault: 'env:Sender', status: 408 },
  'http-413': { actor: 'sender', fault: 'env:Sender', status: 413 },
  'http-415': { actor: 'sender', fault: 'env:Sender', status: 415 },
  'http-431': { actor: 'sender', fault: 'env:Sender', status: 431 },
  'http-499': { actor: 'none', fault: 'none', status: 499 },
  unavailable: { actor: 'operator', fault: 'env:Receiver', status: 503 },
  'operator-error': { actor: 'operator', fault: 'env:Receiver', status: 500 },
  internal: { actor: 'operator', fault: 'env:Receiver', status: 500 },
  'upstream-fault': { actor: 'upstream', fault: 'env:Receiver', status: 500 },
  'upstream-bad': { actor: 'upstream', fault: 'env:Receiver', status: 502 },
  'upstream-timeout': { actor: 'upstream', fault: 'env:Receiver', status: 504 },
  'start-up': { actor: 'operator', fault: 'none', status: 0 },
  warning: { actor: 'operator', fault: 'none', status: 0 },
} as const;

export type KindName = keyof typeof kinds;

/** One row of the code table. */
export interface CodeEntry {
  readonly kind: KindName;
  /** What it means, in one line, for the operator. */
  readonly summary: string;
}
