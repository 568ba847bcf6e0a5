import type { IncomingMessage } from 'node:http';
import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { CountersignError } from '../core/errors.js';
import type { RequestHead } from './framing.js';
import type { TokenCheck } from './tokens.js';

/** Who may call; everybody where the policy names nobody (design/policy.md, Open doors). */
export interface ClientGuard {
  /**
   * @returns true when the caller's Authorization was used for this and so must not be forwarded
   * @throws CountersignError CLIENT_UNAUTHORISED
   */
  admit(head: RequestHead, request: IncomingMessage): boolean;
}

/** What the guard is made of. */
export interface GuardPlan {
  readonly bearers: readonly TokenCheck[];
  /** Addresses or CIDR ranges. */
  readonly addresses: readonly string[];
}

const everybody: ClientGuard = { admit: () => false };

/** @throws CountersignError CONFIG_INVALID when an address is none */
export function clientGuard(plan: GuardPlan): ClientGuard {
  if (plan.bearers.length === 0 && plan.addresses.length === 0) return everybody;
  const addresses = blockList(plan.addresses);
  return {
    admit(head, request) {
      const token = bearerToken(head.authorization);
      const known = token !== undefined && plan.bearers.some((check) => check(token));
      if (known) return true;
      if (isListed(addresses, request.socket.remoteAddress)) return false;
      throw new CountersignError(
        'CLIENT_UNAUTHORISED',
        'neither the token nor the address of the caller is listed',
        {
          details: { found: `address ${request.socket.remoteAddress ?? 'unknown'}` },
        },
      );
    },
  };
}

/** The token of `Authorization: Bearer …` (RFC 6750 §2.1). */
export function bearerToken(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined;
  return /^bearer +([\x21-\x7e]+) *$/i.exec(authorization)?.[1];
}

function blockList(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/');
    const family = isIPv4(address) ? 'ipv4' : 'ipv6';
    const most = family === 'ipv4' ? 32 : 128;
    const prefix = bits === undefined ? most : Number(bits);
    if ((family === 'ipv6' && !isIPv6(address)) || !Number.isInteger(prefix) || prefix < 0 || prefix > most) {
      throw new CountersignError('CONFIG_INVALID', `${entry} is not an IP address or CIDR range`);
    }
    list.addSubnet(address, prefix, family);
  }
  return list;
}

function isListed(list: BlockList, address: string | undefined): boolean {
  if (address === undefined) return false;
  // On a dual-stack listener IPv4 callers come as ::ffff:a.b.c.d.
  const plain = address.startsWith('::ffff:') && isIPv4(address.slice(7)) ? address.slice(7) : address;
  return list.check(plain, isIPv4(plain) ? 'ipv4' : 'ipv6');
}
