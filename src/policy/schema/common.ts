/** The small values that configuration files are made of. A schema's message says what is expected. */
import * as z from 'zod';
import { civilToEpoch } from '../../core/calendar.js';
import { namePattern, nameRule } from '../../core/names.js';
import { durationPattern, sizePattern } from '../../core/units.js';
import type { ClientShape, SecretShape } from './shapes.js';

export const isName = (text: string): boolean => namePattern.test(text);

export const name: z.ZodType<string> = z.string(nameRule).regex(namePattern, nameRule);

const pathRule = 'the name of a file, relative to this one';
export const path: z.ZodType<string> = z.string(pathRule).min(1, pathRule);

const durationRule = 'a duration such as 300ms, 30s, 5m or 24h';
export const duration: z.ZodType<string> = z.string(durationRule).regex(durationPattern, durationRule);

const sizeRule = 'a whole number, or a size such as 512KiB, 4MiB or 1GiB';
export const size: z.ZodType<number | string> = z.union(
  [z.int(sizeRule).min(0, sizeRule), z.string(sizeRule).regex(sizePattern, sizeRule)],
  sizeRule,
);

export const secret: z.ZodType<SecretShape> = z
  .union(
    [z.strictObject({ env: z.string().min(1) }), z.strictObject({ file: z.string().min(1) })],
    'a place: { env: NAME } or { file: NAME }; a secret never stands in a configuration file',
  )
  .describe('Where the secret is: an environment variable or a file.');

const instantRule = 'an ISO date, or a time in UTC such as 2027-03-01T02:00:00Z';
/** An ISO date or time in UTC. */
export const instant: z.ZodType<string> = z
  .string(instantRule)
  .refine((text) => parseInstant(text) !== undefined, instantRule);

const hostRule = 'a host name or an IP address';
export const host: z.ZodType<string> = z.string(hostRule).regex(/^[A-Za-z0-9._:-]+$/, hostRule);

export const port: z.ZodType<number> = z
  .int('a port number, 0 to 65535')
  .min(0, 'a port number, 0 to 65535')
  .max(65535, 'a port number, 0 to 65535');

export const client: z.ZodType<ClientShape> = z.union(
  [
    z.strictObject({ bearer: secret }),
    z.strictObject({
      address: z.string().refine(isAddressRange, 'an IP address or a range such as 10.0.0.0/8'),
    }),
  ],
  '{ bearer: { env: NAME } } or { address: 10.0.0.0/8 }',
);

/** Prefixes and the namespace names they stand for. */
export const namespaces: z.ZodType<Record<string, string>> = z.record(
  z.string().regex(/^(?![xX][mM][lL])[A-Za-z_][\w.-]*$/, 'a namespace prefix'),
  z.string().min(1, 'a namespace name'),
);

const instantPattern = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d))?(?:Z|\+00:00))?$/;

/** Milliseconds since the epoch of an ISO date (its beginning, UTC) or time; undefined when it is neither. */
export function parseInstant(text: string): number | undefined {
  const match = instantPattern.exec(text);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1)
    .map((digits: string | undefined) => Number(digits ?? 0));
  return civilToEpoch({ year, month, day, hour, minute, second });
}

function isAddressRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  if (rest.length > 0) return false;
  const width = isIpv4(address) ? 32 : isIpv6(address) ? 128 : 0;
  if (width === 0) return false;
  return bits === undefined || (/^(0|[1-9]\d{0,2})$/.test(bits) && Number(bits) <= width);
}

const isIpv4 = (text: string): boolean =>
  /^(25[0-5]|2[0-4]\d|1?\d?\d)(\.(25[0-5]|2[0-4]\d|1?\d?\d)){3}$/.test(text);

function isIpv6(text: string): boolean {
  try {
    return text.includes(':') && new URL(`http://[${text}]/`).hostname.length > 2;
  } catch {
    return false;
  }
}

/** Host names and addresses that only this machine can reach. */
export function isLoopback(name: string): boolean {
  return name === 'localhost' || name === '::1' || /^127(\.\d{1,3}){3}$/.test(name);
}
