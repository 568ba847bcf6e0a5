/** The gateway file (design/policy.md, The gateway). */
import * as z from 'zod';
import { defaultLimits } from '../../core/limits.js';
import * as common from './common.js';
import type { AlgorithmsShape, GatewayShape, HsmShape, KeyShape, LimitsShape, TrustShape } from './shapes.js';

const hsmHome: z.ZodType<HsmShape> = z.strictObject({
  module: common.path.describe('The PKCS#11 library.'),
  token: z.string().min(1).optional().describe('Label of the token.'),
  label: z.string().min(1).optional().describe('Label of the key pair and its certificate.'),
  uri: z
    .string()
    .regex(/^pkcs11:/, 'a PKCS#11 URI such as pkcs11:token=prod;object=client')
    .optional()
    .describe('RFC 7512, instead of token and label.'),
  pin: common.secret,
});

const key: z.ZodType<KeyShape> = z
  .strictObject({
    store: z.enum(['p12', 'pem']).optional().describe('The file home: PKCS#12 or PEM.'),
    file: common.path.optional().describe('store p12: the PKCS#12 file.'),
    alias: z
      .string()
      .min(1)
      .optional()
      .describe('store p12: friendly name of the entry, where there are several.'),
    certificate: common.path.optional().describe('store pem: the certificate, followed by its issuers.'),
    key: common.path.optional().describe("store pem: the private key; absent for a partner's certificate."),
    password: common.secret.optional(),
    hsm: z
      .union([hsmHome, z.array(hsmHome).min(1, 'at least one HSM home')])
      .optional()
      .describe('The key on a token; several entries hold the same key and share the load.'),
    from: common.instant.optional().describe('Rollover: the entry is used from then on.'),
  })
  .describe('A key: a file home, an hsm home, or both.');

const trust: z.ZodType<TrustShape> = z.strictObject({
  anchors: z
    .array(common.path)
    .min(1, 'at least one file')
    .optional()
    .describe('PEM files of CA certificates.'),
  certificates: z
    .array(common.path)
    .min(1, 'at least one file')
    .optional()
    .describe('PEM files of pinned certificates.'),
  crl: z.array(common.path).optional(),
  subjects: z
    .array(z.string().min(1))
    .min(1, 'at least one subject, or any-subject: true')
    .optional()
    .describe('RFC 4514 subjects, compared RDN by RDN; * stands for a whole value.'),
  'any-subject': z.boolean().default(false).describe('Every certificate of the anchors is accepted.'),
});

/** Entries of `allow` are read by the rules: they need the table of algorithms. */
export const algorithms: z.ZodType<AlgorithmsShape> = z.strictObject({
  profile: z.enum(['default', 'legacy']).optional().describe('default, unless said otherwise.'),
  allow: z
    .array(z.string())
    .default([])
    .describe('Exceptions: ID [for sign|verify|encrypt|decrypt|certificate] [until DATE].'),
});

const limitNames = Object.keys(defaultLimits);

/** The schema for `limits`: its names are those of `core/limits.ts`. */
export const limits: z.ZodType<LimitsShape> = z.strictObject(
  Object.fromEntries(limitNames.map((each) => [each, common.size.optional()])),
);

const listen = z.strictObject({
  host: common.host.default('127.0.0.1'),
  port: common.port.default(8080),
  tls: z
    .strictObject({
      key: common.name.describe('A key of keys: https.'),
      'client-ca': z
        .array(common.path)
        .min(1, 'at least one file')
        .optional()
        .describe('Mutual TLS: CA files.'),
    })
    .optional(),
  open: z
    .boolean()
    .default(false)
    .describe('Off loopback, without client-ca and clients: everybody may call.'),
});

const admin = z.strictObject({
  host: common.host.default('127.0.0.1'),
  port: common.port.default(9090),
  bearer: common.secret.optional().describe('Required off loopback.'),
  'trace-token': common.secret.optional().describe('Who sends it in X-Countersign-Trace gets Server-Timing.'),
});

/** The gateway file. */
export const gatewaySchema: z.ZodType<GatewayShape> = z
  .strictObject({
    listen: listen.prefault({}).describe('Where messages come in.'),
    clients: z
      .array(common.client)
      .default([])
      .describe('Who may call; with client-ca the certificate is enough.'),
    open: z.boolean().default(false).describe('The same as open of listen.'),
    admin: admin.prefault({}).describe('Health, metrics, console.'),
    provider: z.enum(['js', 'openssl', 'pkcs11']).default('openssl').describe('Who does the cryptography.'),
    fallback: z
      .enum(['js', 'openssl'])
      .default('openssl')
      .describe('Under pkcs11: public and symmetric work.'),
    keys: z
      .record(common.name, z.union([key, z.array(key).min(1, 'at least one entry')]))
      .default({})
      .describe('Keys by name; a list is a key in rollover.'),
    trust: z.record(common.name, trust).default({}).describe('Whose signatures are accepted, by name.'),
    namespaces: common.namespaces.default({}).describe('Prefixes for parts and element names.'),
    algorithms: algorithms.prefault({}).describe('Profile and exceptions for every service.'),
    limits: limits.prefault({}).describe('Upper bounds of one message.'),
    replay: z
      .strictObject({ store: z.enum(['memory', 'lmdb', 'redis']).default('memory') })
      .prefault({})
      .describe('Where replayed messages are told.'),
    services: z
      .union([z.string().min(1), z.record(z.string(), z.unknown())], 'a pattern such as services/*.yaml')
      .default('services/*.yaml')
      .describe('One file for each service.'),
    documents: z.unknown().optional().describe('Document profiles; not available in this version.'),
  })
  .describe('Countersign: the gateway');
