import { equalConstantTime } from '../core/bytes.js';
import type { DigestFunction } from '../core/contracts.js';

/** Whether a token is the one that the configuration names. */
export type TokenCheck = (token: string) => boolean;

/**
 * Compares in constant time whatever the lengths: both sides are hashed, then every octet is looked at.
 *
 * @param digest the hash that the toolkit offers
 */
export function tokenCheck(secret: string, digest: DigestFunction): TokenCheck {
  const encoder = new TextEncoder();
  const expected = digest('SHA-256', encoder.encode(secret));
  return (token) => equalConstantTime(digest('SHA-256', encoder.encode(token)), expected);
}
