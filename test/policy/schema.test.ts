import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import ajv from 'ajv';
import { parse } from 'yaml';
import { policyTables } from '#src/compose.js';
import { systemClock } from '#src/core/clock.js';
import { isError, loadConfig, type Diagnostic } from '#src/policy/index.js';
import { checkShape } from '#src/policy/issues.js';
import { gatewaySchema } from '#src/policy/schema/gateway.js';
import { gatewayJsonSchema, serviceJsonSchema } from '#src/policy/schema/json.js';
import { root } from '../support/paths.js';

const tables = policyTables();
const validator = new ajv({ jsonPointers: true });
const gatewayValid = validator.compile(gatewayJsonSchema());
const serviceValid = validator.compile(serviceJsonSchema(tables.steps));

/** What the loader says of a service, in codes. */
function serviceErrors(service: object): string[] {
  const config = {
    keys: { k: { store: 'pem', certificate: 'c', key: 'k' } },
    trust: { t: { certificates: ['c'] } },
    services: { s: service },
  };
  const wanted = ({ service: name }: Diagnostic): boolean => name === 's';
  const { diagnostics } = loadConfig(config, { tables, clock: systemClock });
  return diagnostics.filter((each) => isError(each) && wanted(each)).map(({ code }) => code);
}

describe('the schema for editors', () => {
  it.each([
    ['', true],
    ['listen: { port: 0 }', true],
    ['listen: { prt: 0 }', false],
    ['listen: { port: "0" }', false],
    ['provider: pkcs11', true],
    ['provider: other', false],
    ['keys: { a: { store: p12, file: f, password: { env: P } } }', true],
    ['keys: { a: [{ store: pem, certificate: f }] }', true],
    ['keys: { any: { store: pem, certificate: f } }', false],
    ['keys: { a: { store: p12, file: f, password: hush } }', false],
    ['trust: { t: { anchors: [a], any-subject: true } }', true],
    ['trust: { t: { anchors: a } }', false],
    ['limits: { envelope: 4MiB, depth: 3 }', true],
    ['limits: { envelope: 4MB }', false],
    ['clients: [{ bearer: { env: T } }]', true],
    ['clients: [{ token: { env: T } }]', false],
    ['algorithms: { profile: legacy, allow: [sha1] }', true],
    ['algorithms: { profile: old }', false],
    ['replay: { store: disk }', false],
    ['unknown: 1', false],
  ])('agrees with the rules on the gateway file: %s', (text, good) => {
    const value: unknown = parse(text) ?? {};
    expect(gatewayValid(value)).toBe(good);
    expect('value' in checkShape(gatewaySchema, value)).toBe(good);
  });

  const head = 'path: /s\nupstream: http://h/\nresponse: []\n';

  it.each([
    [`${head}request: []`, true],
    [`${head}request: { steps: [] }`, true],
    [`${head}request: [timestamp]`, true],
    [`${head}request: [timestamp: { ttl: 60s }]`, true],
    [`${head}request: [timestamp: ]`, true],
    [`${head}request: [sign: { key: k, parts: [body] }]`, true],
    [
      `${head}request: { header: { existing: merge }, mode: enforce, steps: [verify: { trust: t, parts: [body] }] }`,
      true,
    ],
    [`${head}request: [sign]`, false],
    [`${head}request: [sign: { key: k }]`, false],
    [`${head}request: [sing: { key: k, parts: [body] }]`, false],
    [`${head}request: [timestamp: { ttl: 60 }]`, false],
    [`${head}request: [timestamp: { tll: 60s }]`, false],
    [`${head}request: { header: { role: 1 }, steps: [] }`, false],
    [`${head}request: {}`, false],
    [head, false],
    ['path: s\nupstream: http://h/\nrequest: []\nresponse: []', false],
    [`${head}request: []\ntimeouts: { connect: 5 }`, false],
    [`${head}request: []\nupstreams: []`, false],
  ])('agrees with the rules on a service file: %s', (text, good) => {
    const value: unknown = parse(text);
    if (typeof value !== 'object' || value === null) throw new Error('not a map');
    expect(serviceValid(value)).toBe(good);
    expect(serviceErrors(value).length === 0).toBe(good);
  });

  it('takes the example of every step', () => {
    for (const { name, example, schema } of tables.steps.values()) {
      expect(serviceValid({ ...parse(head), request: [{ [name]: example }] })).toBe(true);
      expect(schema.safeParse(example).success).toBe(true);
    }
  });
});

describe('the example in config/', () => {
  it('loads without a finding', () => {
    const loaded = loadConfig(resolve(root, 'config/countersign.yaml'), { tables, clock: systemClock });
    expect(loaded.diagnostics).toEqual([]);
    expect(loaded.services.map(({ name }) => name)).toEqual(['orders']);
  });
});
