import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { loadConfig } from '#src/policy/index.js';
import {
  clock,
  gateway,
  load,
  service,
  withFiles,
  withGateway,
  withRequest,
  withService,
} from './support/files.js';
import { tables } from './support/tables.js';

describe('a configuration without a flaw', () => {
  it('has no findings', () => {
    const loaded = load({ 'gateway.yaml': gateway, 'services/orders.yaml': service });
    expect(loaded.lines).toEqual([]);
    expect(loaded.services.map(({ name, path }) => ({ name, path }))).toEqual([
      { name: 'orders', path: '/orders' },
    ]);
  });

  it('gets defaults, absolute paths and numbers', () => {
    withFiles({ 'gateway.yaml': gateway, 'services/orders.yaml': service }, (folder) => {
      const loaded = loadConfig(`${folder}/gateway.yaml`, { tables, clock });
      expect(loaded.gateway).toMatchObject({
        listen: { host: '127.0.0.1', port: 8080 },
        admin: { host: '127.0.0.1', port: 9090 },
        provider: 'openssl',
        algorithms: { profile: 'default', allow: [] },
        limits: { envelope: 4 * 1024 * 1024, depth: 100 },
      });
      expect(loaded.gateway?.keys.get('client')?.entries[0]?.file).toMatchObject({
        key: `${folder}/client.key`,
      });
      expect(loaded.services[0]).toMatchObject({
        timeouts: { connect: 5000, response: 30_000 },
        attachments: 'refuse',
        upstream: { url: 'http://127.0.0.1:8081/orders', transport: 'undici' },
        request: {
          header: { role: '', mustUnderstand: true, existing: 'refuse' },
          onFault: 'require',
          mode: 'enforce',
        },
      });
      expect(loaded.services[0]?.request.steps.map(({ name }) => name)).toEqual([
        'timestamp',
        'sign',
        'encrypt',
      ]);
    });
  });

  it('is the same as an object', () => {
    const loaded = loadConfig(
      {
        listen: { port: 0 },
        keys: { client: { store: 'pem', certificate: 'client.pem', key: 'client.key' } },
        services: {
          orders: {
            path: '/orders',
            upstream: 'http://127.0.0.1:1/',
            request: [{ sign: { key: 'client', parts: ['body'] } }],
            response: [],
          },
        },
      },
      { tables, clock, base: '/base' },
    );
    expect(loaded.diagnostics).toEqual([]);
    expect(loaded.gateway?.keys.get('client')?.entries[0]?.file).toMatchObject({ key: '/base/client.key' });
    expect(loaded.services[0]?.request.steps).toHaveLength(1);
  });

  it('lets a service add to algorithms, limits and namespaces of the gateway', () => {
    const loaded = load({
      'gateway.yaml': `namespaces: { a: urn:a, b: urn:b }\nlimits: { depth: 50, ids: 10 }\nalgorithms: { allow: [rsa-sha1 for verify] }\n`,
      'services/s.yaml': `path: /s\nupstream: http://h/\nrequest: []\nresponse: []\nnamespaces: { b: urn:c }\nlimits: { ids: 20, envelope: 1MiB }\nalgorithms: { profile: legacy, allow: [sha1 for verify] }\n`,
    });
    expect(loaded.services[0]).toMatchObject({
      namespaces: { a: 'urn:a', b: 'urn:c' },
      limits: { depth: 50, ids: 20, envelope: 1048576 },
      algorithms: { profile: 'legacy', allow: ['rsa-sha1 for verify', 'sha1 for verify'] },
    });
  });
});

describe('files', () => {
  it.each([
    ['a file that is not there', {}, ['gateway.yaml:0:0 CONFIG_UNREADABLE']],
    ['a key twice', { 'gateway.yaml': 'listen: {}\nlisten: {}\n' }, ['gateway.yaml:2:1 CONFIG_SYNTAX']],
    [
      'two documents',
      { 'gateway.yaml': 'listen: {}\n---\nlisten: {}\n' },
      ['gateway.yaml:2:1 CONFIG_SYNTAX'],
    ],
    ['an unknown tag', { 'gateway.yaml': 'listen: !!js/function x\n' }, ['gateway.yaml:1:9 CONFIG_SYNTAX']],
    [
      'an alias bomb',
      {
        'gateway.yaml': `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c]\n`,
      },
      ['gateway.yaml:1:1 CONFIG_SYNTAX'],
    ],
    [
      'a key that JavaScript would lose, wherever it stands',
      {
        'gateway.yaml': `${gateway}  __proto__: { certificates: [x.pem] }\nnamespaces: { "__proto__": urn:x }\n`,
      },
      ['gateway.yaml:6:3 CONFIG_UNKNOWN_KEY', 'gateway.yaml:7:15 CONFIG_UNKNOWN_KEY'],
    ],
    [
      'the same in a service',
      {
        'gateway.yaml': gateway,
        'services/orders.yaml': service.replace('- replay', '- __proto__: {}'),
      },
      ['services/orders.yaml:12:7 CONFIG_UNKNOWN_KEY'],
    ],
    [
      'a list',
      { 'gateway.yaml': '- listen\n' },
      ['gateway.yaml:1:1 CONFIG_INVALID', 'gateway.yaml:1:1 WARN_NO_SERVICES'],
    ],
  ])('refuses %s', (_, files, lines) => {
    expect(load(files).lines).toEqual(lines);
  });

  it('refuses a file that is not UTF-8, and a folder', () => {
    withFiles({ 'gateway.yaml': gateway }, (folder) => {
      writeFileSync(join(folder, 'services.yaml'), Uint8Array.of(0x70, 0xe9));
      for (const file of ['', 'services.yaml']) {
        const loaded = loadConfig(join(folder, file), { tables, clock });
        expect(loaded.diagnostics.map(({ code }) => code)).toEqual(['CONFIG_UNREADABLE']);
        expect(loaded.gateway).toBeUndefined();
      }
    });
  });

  it('takes an empty gateway file: everything has a default', () => {
    expect(withGateway('').lines).toEqual(['gateway.yaml:1:1 WARN_NO_SERVICES']);
  });

  it('warns when no file fits the pattern, refuses when the one file is not there', () => {
    expect(withGateway('services: other/*.yaml\n').lines).toEqual(['gateway.yaml:1:11 WARN_NO_SERVICES']);
    expect(withGateway('services: other/one.yaml\n').lines).toEqual(['gateway.yaml:1:11 CONFIG_UNREADABLE']);
  });
});

describe('services', () => {
  it('refuses a service with errors and no other', () => {
    const loaded = load({
      'gateway.yaml': gateway,
      'services/bad.yaml': 'path: /bad\n',
      'services/orders.yaml': service,
    });
    expect(loaded.gateway).toBeDefined();
    expect(loaded.services.map(({ name }) => name)).toEqual(['orders']);
    expect(loaded.refused).toMatchObject([{ name: 'bad', path: '/bad' }]);
    expect(loaded.diagnostics.every((each) => each.service === 'bad')).toBe(true);
  });

  it('starts nothing when the gateway file has an error, and still says what is wrong with services', () => {
    const loaded = load({
      'gateway.yaml': 'listn: {}\n',
      'services/orders.yaml': service.replace('timestamp\n', 'timestmp\n'),
    });
    expect(loaded.gateway).toBeUndefined();
    expect(loaded.lines).toEqual([
      'gateway.yaml:1:1 CONFIG_UNKNOWN_KEY',
      'services/orders.yaml:4:5 CONFIG_UNKNOWN_NAME',
    ]);
  });

  it('refuses both of two services with one path', () => {
    const loaded = load({
      'gateway.yaml': gateway,
      'services/a.yaml': service,
      'services/b.yaml': service,
      'services/c.yaml': service.replace('path: /orders', 'path: /Orders'),
    });
    expect(loaded.lines).toEqual([
      'services/a.yaml:1:7 CONFIG_DUPLICATE',
      'services/b.yaml:1:7 CONFIG_DUPLICATE',
    ]);
    expect(loaded.services.map(({ name }) => name)).toEqual(['c']);
  });

  it('refuses both of two services with one name', () => {
    const loaded = load({
      'gateway.yaml': `${gateway}services: services/*/*.yaml\n`,
      'services/x/orders.yaml': service,
      'services/y/orders.yaml': service.replace('path: /orders', 'path: /other'),
    });
    expect(loaded.lines).toEqual([
      'services/x/orders.yaml:1:1 CONFIG_DUPLICATE',
      'services/y/orders.yaml:1:1 CONFIG_DUPLICATE',
    ]);
    expect(loaded.services).toEqual([]);
  });

  it.each(['Orders', 'request-x', 'session', 'samlx', 'any', 'none', '1a'])('refuses the name %s', (name) => {
    const loaded = load({ 'gateway.yaml': gateway, [`services/${name}.yaml`]: service });
    expect(loaded.lines).toEqual([`services/${name}.yaml:1:1 CONFIG_INVALID`]);
  });
});

describe('what is printed', () => {
  it('says where, what was expected and found, and the nearest name', () => {
    const { text } = withRequest('  - sing: { key: client, parts: [body] }\n');
    expect(text).toMatchInlineSnapshot(`
     "services/orders.yaml:5:5: error CONFIG_UNKNOWN_NAME: there is no step "sing"
      5 |   - sing: { key: client, parts: [body] }
        |     ^^^^
        expected: timestamp, sign, encrypt, decrypt, verify, check-timestamp or replay
        did you mean sign?"
    `);
  });

  it('explains an unquoted brace', () => {
    const { text } = withRequest('  - sign: { key: client, parts: [header/{urn:x}To, body] }\n');
    expect(text).toMatchInlineSnapshot(`
     "services/orders.yaml:5:41: error CONFIG_SYNTAX: Missing , or : between flow sequence items
      5 |   - sign: { key: client, parts: [header/{urn:x}To, body] }
        |                                         ^
        help: YAML takes an unquoted { for itself; put the part in quotes: "header/{uri}name""
    `);
  });

  it('explains an unquoted #', () => {
    expect(withRequest('  - sign: { key: client, parts: [body, #id] }\n').text).toMatchInlineSnapshot(`
     "services/orders.yaml:5:40: error CONFIG_SYNTAX: Flow sequence in block collection must be sufficiently indented and end with a ]
      5 |   - sign: { key: client, parts: [body, #id] }
        |                                        ^
        help: YAML takes an unquoted # for itself; put the part in quotes: "#id""
    `);
    expect(withRequest('  - sign:\n      key: client\n      parts:\n        - #id\n').text)
      .toMatchInlineSnapshot(`
     "services/orders.yaml:8:11: error POLICY_PARTS: "parts" is not accepted
      8 |         - #id
        |           ^
        expected: text
        found:    nothing (an empty value)
        help: YAML takes an unquoted # for itself; put the part in quotes: "#id""
    `);
  });

  it('says a misspelt key once, and every mistake of a file', () => {
    const { text } = withService(
      'paht: /orders\nupstream: ftp://host\ntimeouts: { connect: 5 }\nrequest: []\nresponse: {}\n',
    );
    expect(text).toMatchInlineSnapshot(`
     "services/orders.yaml:1:1: error CONFIG_UNKNOWN_KEY: unknown key "paht"
      1 | paht: /orders
        | ^^^^
        expected: path, upstream, timeouts, wsdl, attachments, namespaces, algorithms, limits, request or response
        did you mean path?
     services/orders.yaml:2:11: error CONFIG_INVALID: "upstream" is not accepted
      2 | upstream: ftp://host
        |           ^^^^^^^^^^
        expected: an http: or https: address, without a user, password or fragment
        found:    "ftp://host"
     services/orders.yaml:3:22: error CONFIG_INVALID: "connect" is not accepted
      3 | timeouts: { connect: 5 }
        |                      ^
        expected: a duration such as 300ms, 30s, 5m or 24h
        found:    5
     services/orders.yaml:5:1: error POLICY_EMPTY_CHAIN: the response chain has no steps
      5 | response: {}
        | ^^^^^^^^
        expected: steps: a list of steps, or [] where messages pass unprotected and unchecked
        found:    nothing"
    `);
  });
});
