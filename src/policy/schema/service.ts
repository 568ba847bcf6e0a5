/** A service file (design/policy.md, A service). Its chains are read by `chains.ts`. */
import * as z from 'zod';
import * as common from './common.js';
import { algorithms, limits } from './gateway.js';
import type { ChainShape, ServiceShape, UpstreamShape } from './shapes.js';

const urlRule = 'an http: or https: address, without a user, password or fragment';
const url = z.string(urlRule).refine(isUpstream, urlRule);

const upstream: z.ZodType<UpstreamShape> = z.strictObject({
  url,
  tls: z
    .strictObject({
      ca: z
        .array(common.path)
        .min(1, 'at least one file')
        .optional()
        .describe('PEM files of CA certificates.'),
      key: common.name.optional().describe('A key of keys: mutual TLS.'),
    })
    .optional(),
  transport: z.enum(['undici', 'legacy']).default('undici').describe('legacy: node:http, for odd servers.'),
});

const timeouts = z.strictObject({
  connect: common.duration.default('5s'),
  response: common.duration.default('30s'),
});

/** The long form of a chain. */
export const chainSchema: z.ZodType<ChainShape> = z.strictObject({
  header: z
    .strictObject({
      role: z.string().default('').describe('SOAP actor or role of the Security header; empty: none.'),
      'must-understand': z.boolean().default(true),
      existing: z
        .enum(['refuse', 'merge'])
        .default('refuse')
        .describe("What becomes of a client's own header."),
    })
    .prefault({}),
  'on-fault': z
    .enum(['require', 'allow-unencrypted', 'allow-unsigned', 'allow-unsigned-with-detail'])
    .default('require')
    .describe('What a fault may lack.'),
  mode: z
    .enum(['enforce', 'observe'])
    .default('enforce')
    .describe('observe: what would be refused is recorded and passed on.'),
  steps: z.unknown().optional(),
});

/** A service file. */
export const serviceSchema: z.ZodType<ServiceShape> = z
  .strictObject({
    path: z
      .string()
      .regex(/^\/[^\s?#]*$/, 'a path that begins with /, without ? and #')
      .refine((text) => !isReservedPath(text), 'a path outside /documents/, which belongs to the gateway')
      .describe('Exact and case-sensitive; the query string is passed on.'),
    upstream: z.union([url, upstream]).describe('Where the messages go.'),
    timeouts: timeouts.prefault({}),
    wsdl: common.path.optional().describe("A description to serve instead of the upstream's."),
    attachments: z
      .enum(['refuse', 'pass'])
      .optional()
      .describe('refuse where a chain has steps, else pass, unless said otherwise.'),
    namespaces: common.namespaces.default({}).describe("Added to the gateway's."),
    algorithms: algorithms
      .prefault({})
      .describe("Added to the gateway's; the profile replaces the gateway's."),
    limits: limits.prefault({}).describe("Replace the gateway's one by one."),
    request: z.unknown().optional().describe('What happens to requests.'),
    response: z.unknown().optional().describe('What happens to answers.'),
  })
  .describe('Countersign: a service');

function isReservedPath(text: string): boolean {
  return text === '/documents' || text.startsWith('/documents/');
}

function isUpstream(text: string): boolean {
  try {
    const parsed = new URL(text);
    return (
      /^https?:$/.test(parsed.protocol) &&
      parsed.username === '' &&
      parsed.password === '' &&
      parsed.hash === ''
    );
  } catch {
    return false;
  }
}
