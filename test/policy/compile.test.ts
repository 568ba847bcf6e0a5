import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { compose } from '#src/compose.js';
import { fixedClock } from '#src/core/clock.js';
import { isError, shortName, type CompiledConfig } from '#src/policy/index.js';
import { testKey, testNow } from '../support/pki.js';

const folder = mkdtempSync(join(tmpdir(), 'countersign-compile-'));
beforeAll(() => mkdirSync(join(folder, 'services')));
afterAll(() => rmSync(folder, { recursive: true }));

const [client, server, ca, expired, other] = (['client', 'server', 'ca', 'expired', 'other'] as const).map(
  testKey,
);

const gateway = `namespaces: { o: urn:orders }
keys:
  client: { store: pem, certificate: ${client?.certificateFile}, key: ${client?.keyFile} }
  server: { store: pem, certificate: ${server?.certificateFile} }
trust:
  servers: { anchors: [${ca?.certificateFile}], any-subject: true }
`;

const head = 'path: /orders\nupstream: http://127.0.0.1:1/\n';
const inbound = `request:
  - decrypt: { key: client, parts: [body/content] }
  - verify: { trust: servers, parts: [timestamp, body] }
  - check-timestamp
  - replay
`;

interface Compiled extends CompiledConfig {
  readonly lines: string[];
  /** Codes that the server tells for services that do not start. */
  readonly told: Readonly<Record<string, readonly string[]>>;
}

async function compiled(
  services: Readonly<Record<string, string>>,
  text = gateway,
  offline = false,
): Promise<Compiled> {
  rmSync(join(folder, 'services'), { recursive: true });
  mkdirSync(join(folder, 'services'));
  writeFileSync(join(folder, 'countersign.yaml'), text);
  for (const [name, service] of Object.entries(services)) {
    writeFileSync(join(folder, 'services', `${name}.yaml`), service);
  }
  const composed = await compose({
    config: join(folder, 'countersign.yaml'),
    clock: fixedClock(testNow),
    offline,
  });
  await composed.close();
  const lines = composed.compiled.diagnostics
    .filter(isError)
    .map(({ at, code }) => `${shortName(at.file, folder)}:${at.line}:${at.column} ${code}`);
  const refused = composed.parts?.refused ?? [];
  const told = Object.fromEntries(
    refused.map(({ name, reasons }) => [name, reasons.map(({ code }) => code)]),
  );
  return { ...composed.compiled, lines, told };
}

const request = async (steps: string): Promise<string[]> =>
  (await compiled({ orders: `${head}response: []\nrequest:\n${steps}` })).lines.map((line) =>
    line.replace('services/orders.yaml:', ''),
  );

describe('a configuration that can run', () => {
  it('has its keys, its chains, and places for the operator', async () => {
    const made = await compiled({ orders: `${head}${inbound}response: []\n` });
    expect(made.lines).toEqual([]);
    expect([...made.keys.keys()]).toEqual(['client', 'server']);
    const [orders] = made.services;
    expect(orders?.response).toBeUndefined();
    expect(orders?.request?.verifies).toEqual(['verify']);
    expect(orders?.request?.locate('verify', 'parts.1')).toBe('services/orders.yaml:5:50');
    expect(orders?.request?.locate('replay', undefined)).toBe('services/orders.yaml:7:5');
  });

  it('encrypts answers to the signer of the request', async () => {
    const response = 'response:\n  - timestamp\n  - encrypt: { to: request-signer, parts: [body/content] }\n';
    expect((await compiled({ orders: `${head}${inbound}${response}` })).lines).toEqual([]);
    expect((await compiled({ orders: `${head}request: []\n${response}` })).lines).toEqual([
      'services/orders.yaml:6:20 POLICY_INVALID',
    ]);
  });
});

describe('chains that cannot work', () => {
  it.each([
    ['two steps of a kind that can be only once', '  - timestamp\n  - timestamp\n', ['6:5 POLICY_ORDER']],
    [
      'a signature before the part that it covers is there',
      '  - sign: { key: client, parts: [timestamp, body] }\n  - timestamp\n',
      ['5:34 POLICY_ORDER'],
    ],
    ['signing with a certificate', '  - sign: { key: server, parts: [body] }\n', ['5:18 POLICY_INVALID']],
    [
      'an algorithm that is denied',
      '  - sign: { key: client, parts: [body], algorithm: rsa-sha1 }\n',
      ['5:52 ALGORITHM_DENIED'],
    ],
    [
      'an algorithm that is none',
      '  - sign: { key: client, parts: [body], algorithm: rsa }\n',
      ['5:52 CONFIG_UNKNOWN_NAME'],
    ],
    [
      'two steps of one name',
      '  - verify: { trust: servers, parts: [], name: a }\n  - verify: { trust: servers, parts: [], name: a }\n',
      ['6:48 POLICY_ORDER'],
    ],
    [
      'a signed check without a signed Timestamp',
      '  - verify: { trust: servers, parts: [body] }\n  - check-timestamp\n',
      ['6:5 POLICY_PARTS'],
    ],
  ])('refuses %s', async (_, steps, expected) => {
    const lines = await request(steps);
    expect(lines).toEqual(expected);
  });
});

it('says the nearest name of what only compiling knows', async () => {
  const steps = '[sign: { key: client, parts: [body], algorithm: rsa-sha257 }]';
  const made = await compiled({ orders: `${head}response: []\nrequest: ${steps}\n` });
  expect(made.diagnostics.map(({ nearest }) => nearest)).toContain('rsa-sha256');
});

it('says which algorithms are allowed instead of one that is not, and how to allow it', async () => {
  const steps = '[sign: { key: client, parts: [body], algorithm: rsa-sha1 }]';
  const made = await compiled({ orders: `${head}response: []\nrequest: ${steps}\n` });
  const denied = made.diagnostics.find(({ code }) => code === 'ALGORITHM_DENIED');
  expect(denied?.expected).toMatch(/^rsa-sha256, rsa-sha384, .* or rsa-pss-sha512$/);
  expect(denied?.help).toContain('"rsa-sha1 for sign until DATE"');
});

it.each(['60', '1minute'])('says what a duration is where there is none: %s', async (ttl) => {
  const made = await compiled({ orders: `${head}response: []\nrequest: [timestamp: { ttl: ${ttl} }]\n` });
  const found = made.diagnostics.find(({ code }) => code === 'CONFIG_INVALID');
  expect([found?.expected, found?.help]).toEqual(['a duration such as 300s', undefined]);
});

it('warns of an anchor that is no CA, and not of one that is', async () => {
  const warned = async (anchor: string): Promise<number> => {
    const text = gateway.replace(String(ca?.certificateFile), anchor);
    const steps = 'request:\n  - verify: { trust: servers, parts: [body] }\n';
    const made = await compiled({ orders: `${head}${steps}response: []\n` }, text);
    return made.diagnostics.filter(({ code }) => code === 'WARN_ANCHOR').length;
  };
  expect(await warned(String(server?.certificateFile))).toBe(1);
  expect(await warned(String(ca?.certificateFile))).toBe(0);
});

describe('what cannot be opened', () => {
  const plain = 'path: /plain\nupstream: http://127.0.0.1:1/\nrequest: []\nresponse: []\n';

  it('refuses the services that need it and no other', async () => {
    const text = gateway.replace(client?.keyFile ?? '', other?.keyFile ?? '');
    const made = await compiled({ orders: `${head}${inbound}response: []\n`, plain }, text);
    expect(made.lines).toEqual(['countersign.yaml:3:3 KEY_MISMATCH']);
    expect(made.told).toEqual({ orders: ['KEY_MISMATCH'] });
    expect(made.diagnostics.find(isError)?.refuses).toEqual(['orders']);
    expect(made.config).toBeDefined();
    expect(made.services.map(({ config }) => config.name)).toEqual(['plain']);
    expect(made.refused).toMatchObject([{ name: 'orders', path: '/orders' }]);
  });

  it('names the file of a trust that is not there', async () => {
    const text = gateway.replace(ca?.certificateFile ?? '', 'none.pem');
    const made = await compiled({ orders: `${head}${inbound}response: []\n` }, text);
    expect(made.lines).toEqual(['countersign.yaml:6:14 KEY_FILE_UNREADABLE']);
    expect(made.diagnostics.find(isError)?.refuses).toEqual(['orders']);
  });

  it('refuses an expired key', async () => {
    const text = gateway.replace(server?.certificateFile ?? '', expired?.certificateFile ?? '');
    const steps = 'response: []\nrequest: [encrypt: { to: server, parts: [body] }]\n';
    const made = await compiled({ orders: `${head}${steps}` }, text);
    expect(made.lines).toEqual(['countersign.yaml:4:3 KEY_CERTIFICATE_EXPIRED']);
    expect(made.services).toEqual([]);
  });

  it('refuses a key in rollover of which no entry is in force, and takes one that is', async () => {
    const steps = 'response: []\nrequest: [encrypt: { to: server, parts: [body/content] }]\n';
    const rollover = (first: string): string =>
      gateway.replace(
        /server: \{[^}]*\}/,
        `server: [{ store: pem, certificate: ${first} }, { store: pem, certificate: ${server?.certificateFile}, from: 2099-01-01 }]`,
      );
    const old = await compiled({ orders: `${head}${steps}` }, rollover(expired?.certificateFile ?? ''));
    expect(old.lines).toEqual(['services/orders.yaml:4:26 RECIPIENT_CERTIFICATE_EXPIRED']);
    const current = await compiled({ orders: `${head}${steps}` }, rollover(client?.certificateFile ?? ''));
    expect(current.lines).toEqual([]);
  });

  it('does not start without the key of its listener', async () => {
    const text = `${gateway}  \nlisten: { tls: { key: tls } }\n`.replace(
      'keys:\n',
      'keys:\n  tls: { store: pem, certificate: none.pem, key: none.key }\n',
    );
    const made = await compiled({ plain }, text);
    expect(made.lines).toEqual(['countersign.yaml:3:3 KEY_FILE_UNREADABLE']);
    expect(made.diagnostics.find(isError)?.refuses).toBeUndefined();
    expect(made.config).toBeUndefined();
  });

  it('names files that are not there', async () => {
    const text = `path: /x\nupstream: { url: https://h/, tls: { ca: [none.pem] } }\nwsdl: none.wsdl\nrequest: []\nresponse: []\n`;
    expect((await compiled({ x: text })).lines).toEqual([
      'services/x.yaml:2:42 CONFIG_UNREADABLE',
      'services/x.yaml:3:7 CONFIG_UNREADABLE',
    ]);
  });

  it('opens no token offline, and checks the rest', async () => {
    const hsm = 'hsm: { module: none.so, token: t, label: l, pin: { env: NONE } }';
    const text = gateway.replace(/client: .*/, `client: { ${hsm} }`);
    const made = await compiled({ orders: `${head}${inbound}response: []\n` }, text, true);
    expect(made.lines).toEqual([]);
    const broken = inbound.replace('  - check-timestamp\n', '');
    expect((await compiled({ orders: `${head}${broken}response: []\n` }, text, true)).lines).toEqual([
      'services/orders.yaml:6:5 POLICY_INVALID',
    ]);
  });
});
