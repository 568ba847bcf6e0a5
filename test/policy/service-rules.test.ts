import { describe, expect, it } from '@jest/globals';
import { gateway, load, service, withRequest, withService } from './support/files.js';

describe('a service file', () => {
  const head = 'path: /orders\nupstream: http://127.0.0.1:8081/orders\n';
  const lines = (text: string): string[] =>
    withService(text).lines.map((line) => line.replace('services/orders.yaml:', ''));

  it.each([
    ['no path', 'upstream: http://h/\nrequest: []\nresponse: []\n', ['1:1 CONFIG_INVALID']],
    [
      'a path with a query',
      'path: /a?b\nupstream: http://h/\nrequest: []\nresponse: []\n',
      ['1:7 CONFIG_INVALID'],
    ],
    [
      'the path of documents',
      'path: /documents/x\nupstream: http://h/\nrequest: []\nresponse: []\n',
      ['1:7 CONFIG_INVALID'],
    ],
    [
      'an upstream without a scheme',
      'path: /a\nupstream: h:80\nrequest: []\nresponse: []\n',
      ['2:11 CONFIG_INVALID'],
    ],
    [
      'an upstream with a password',
      'path: /a\nupstream: http://u:p@h/\nrequest: []\nresponse: []\n',
      ['2:11 CONFIG_INVALID'],
    ],
    [
      'an unknown transport',
      'path: /a\nupstream: { url: http://h/, transport: curl }\nrequest: []\nresponse: []\n',
      ['2:40 CONFIG_INVALID'],
    ],
    [
      'tls to plain http',
      'path: /a\nupstream: { url: http://h/, tls: { ca: [c] } }\nrequest: []\nresponse: []\n',
      ['2:29 POLICY_INVALID'],
    ],
    [
      'an unknown upstream key',
      'path: /a\nupstream: { url: https://h/, tls: { key: clint } }\nrequest: []\nresponse: []\n',
      ['2:42 CONFIG_UNKNOWN_NAME'],
    ],
    [
      'a timeout that is none',
      `${head}timeouts: { connect: 5 sec }\nrequest: []\nresponse: []\n`,
      ['3:22 CONFIG_INVALID'],
    ],
    ['no request', `${head}response: []\n`, ['1:1 POLICY_EMPTY_CHAIN']],
    ['an empty request', `${head}request:\nresponse: []\n`, ['3:1 POLICY_EMPTY_CHAIN']],
    ['a map without steps', `${head}request: { mode: enforce }\nresponse: []\n`, ['3:1 POLICY_EMPTY_CHAIN']],
    ['steps of nothing', `${head}request:\n  steps:\nresponse: []\n`, ['4:3 POLICY_EMPTY_CHAIN']],
    ['steps of text', `${head}request: { steps: none }\nresponse: []\n`, ['3:19 CONFIG_INVALID']],
    ['a chain of text', `${head}request: none\nresponse: []\n`, ['3:10 CONFIG_INVALID']],
    [
      'an unknown key of a chain',
      `${head}request: { stps: [] }\nresponse: []\n`,
      ['3:1 POLICY_EMPTY_CHAIN', '3:12 CONFIG_UNKNOWN_KEY'],
    ],
    [
      'an unknown mode',
      `${head}request: { mode: watch, steps: [] }\nresponse: []\n`,
      ['3:18 CONFIG_INVALID'],
    ],
    [
      'an unknown on-fault',
      `${head}request: []\nresponse: { on-fault: allow, steps: [] }\n`,
      ['4:23 CONFIG_INVALID'],
    ],
    [
      'on-fault of a request',
      `${head}response: []\nrequest: { on-fault: allow-unsigned, steps: [] }\n`,
      ['4:12 POLICY_INVALID'],
    ],
  ])('refuses %s', (_, text, expected) => {
    expect(lines(text)).toEqual(expected);
    expect(withService(text).services).toEqual([]);
  });

  it('takes empty chains that say so', () => {
    expect(lines(`${head}request: []\nresponse: { steps: [] }\n`)).toEqual([
      'gateway.yaml:2:3 WARN_UNUSED',
      'gateway.yaml:3:3 WARN_UNUSED',
      'gateway.yaml:5:3 WARN_UNUSED',
    ]);
    expect(withService(`${head}request: []\nresponse: []\n`).services[0]?.attachments).toBe('pass');
  });

  it('warns about attachments that a secured service passes', () => {
    expect(lines(`${service}attachments: pass\n`)).toEqual(['13:14 WARN_ATTACHMENTS']);
    expect(lines(`${service}attachments: refuse\n`)).toEqual([]);
  });

  it('warns about a chain that observes, refuses one that would also write', () => {
    const observing = service.replace('response:\n', 'response:\n  mode: observe\n');
    expect(lines(observing)).toEqual(['8:9 WARN_OBSERVE']);
    const steps = '    - replay\n    - sign: { key: client, parts: [body] }\n';
    expect(lines(observing.replace('    - replay\n', steps))).toEqual(['14:7 POLICY_INVALID']);
  });

  it('warns about verify and decrypt that ask for nothing', () => {
    const asking = service.replace('parts: [timestamp, body] }\n    - check', 'parts: [] }\n    - check');
    expect(lines(asking)).toEqual(['10:41 WARN_NO_PARTS']);
  });

  it('warns when no verify of a chain is required, and not when one is', () => {
    const verify = '    - verify: { trust: partners, parts: [timestamp, body] }\n';
    const optional = verify.replace(' }', ', optional: true }');
    const named = optional.replace(' }', ', name: second }');
    expect(lines(service.replace(verify, optional))).toEqual(['10:60 WARN_OPTIONAL']);
    expect(lines(service.replace(verify, optional + named))).toEqual([
      '10:60 WARN_OPTIONAL',
      '11:60 WARN_OPTIONAL',
    ]);
    expect(lines(service.replace(verify, verify + named))).toEqual([]);
  });
});

describe('steps', () => {
  const lines = (steps: string): string[] =>
    withRequest(steps).lines.map((line) => line.replace('services/orders.yaml:', ''));

  it.each([
    ['an unknown step', '  - timestmp\n', ['5:5 CONFIG_UNKNOWN_NAME']],
    ['an unknown option', '  - sign: { key: client, part: [body] }\n', ['5:26 CONFIG_UNKNOWN_KEY']],
    ['an option of the wrong kind', '  - sign: { key: 1, parts: [body] }\n', ['5:18 CONFIG_INVALID']],
    [
      'a value that is not one',
      '  - sign: { key: client, parts: [body], digest: md5 }\n',
      ['5:49 CONFIG_INVALID'],
    ],
    ['no parts', '  - verify: { trust: partners }\n', ['5:5 POLICY_PARTS']],
    ['parts of nothing', '  - decrypt: { key: client, parts: }\n', ['5:29 POLICY_PARTS']],
    ['no options', '  - sign\n', ['5:5 CONFIG_INVALID', '5:5 POLICY_PARTS']],
    [
      'options that are not indented',
      '  - sign:\n    key: client\n    parts: [body]\n',
      ['6:5 CONFIG_INVALID'],
    ],
    [
      'two steps in one',
      '  - sign: { key: client, parts: [body] }\n    timestamp: {}\n',
      ['6:5 CONFIG_INVALID'],
    ],
    ['a number', '  - 5\n', ['5:5 CONFIG_INVALID']],
    [
      'a part that YAML made a map',
      '  - sign:\n      key: client\n      parts:\n        - a: b\n',
      ['8:11 POLICY_PARTS'],
    ],
    ['a later step', '  - saml: {}\n', ['5:5 CONFIG_NOT_AVAILABLE']],
    ['a later step by name alone', '  - username\n', ['5:5 CONFIG_NOT_AVAILABLE']],
    [
      'everything at once',
      '  - timestamp: { ttl: 5 }\n  - sign: { ky: client, parts: [body] }\n  - encript\n',
      ['5:23 CONFIG_INVALID', '6:13 CONFIG_UNKNOWN_KEY', '7:5 CONFIG_UNKNOWN_NAME'],
    ],
  ])('refuses %s', (_, steps, expected) => {
    expect(lines(steps)).toEqual(expected);
  });
});

describe('what chains refer to', () => {
  const lines = (text: string): string[] =>
    withRequest(text).lines.map((line) => line.replace('services/orders.yaml:', ''));

  it.each([
    ['an unknown key', '  - sign: { key: clint, parts: [body] }\n', ['5:18 CONFIG_UNKNOWN_NAME']],
    ['an unknown recipient', '  - encrypt: { to: partners, parts: [body] }\n', ['5:20 CONFIG_UNKNOWN_NAME']],
    ['an unknown trust', '  - verify: { trust: partner, parts: [body] }\n', ['5:22 CONFIG_UNKNOWN_NAME']],
    ['a part that is none', '  - sign: { key: client, parts: [bdy] }\n', ['5:34 POLICY_PARTS']],
    ['a reserved part', '  - sign: { key: client, parts: [body, saml] }\n', ['5:40 POLICY_PARTS']],
    ['an unknown prefix', '  - sign: { key: client, parts: [header/wsa:To] }\n', ['5:41 POLICY_PARTS']],
    [
      'an unknown prefix in quotes',
      '  - sign: { key: client, parts: ["header/wsa:To?"] }\n',
      ['5:42 POLICY_PARTS'],
    ],
    ['a name without a prefix', '  - sign: { key: client, parts: [header/To] }\n', ['5:41 POLICY_PARTS']],
    ['two mistakes', '  - sign: { key: x, parts: [y] }\n', ['5:18 CONFIG_UNKNOWN_NAME', '5:29 POLICY_PARTS']],
    [
      'an inbound step after an outbound one',
      '  - timestamp\n  - verify: { trust: partners, parts: [body] }\n',
      ['6:5 POLICY_ORDER'],
    ],
  ])('refuses %s', (_, text, expected) => {
    expect(lines(text)).toEqual(expected);
  });

  it('says the nearest name of what is meant', () => {
    const nearest = (text: string): (string | undefined)[] =>
      withRequest(text).diagnostics.map((each) => each.nearest);
    expect(nearest('  - sign: { key: clint, parts: [bdy] }\n')).toEqual(['client', 'body']);
  });

  it.each([
    ['a declared prefix', 'namespaces: { wsa: urn:wsa }\n', 'header/wsa:To'],
    ['the long form', '', '"header/{urn:x}To"'],
    ['an optional part', '', '"signature?"'],
    ['an id', '', '"#id"'],
  ])('takes %s', (_, head, part) => {
    const text = `${head}path: /o\nupstream: http://h/\nresponse: []\nrequest: [sign: { key: client, parts: [${part}] }]\n`;
    expect(withService(text).diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  it('reports no declared prefix as undeclared in a file that is wrong elsewhere', () => {
    const steps = 'request: [sign: { key: client, parts: [header/wsa:To] }]\n';
    const text = `namespaces: { wsa: urn:wsa }\npath: orders\nupstream: http://h/\nresponse: []\n${steps}`;
    const errors = (): string[] =>
      withService(text)
        .diagnostics.filter(({ severity }) => severity === 'error')
        .map(({ code, message }) => `${code} ${message}`);
    expect(errors()).toEqual(['CONFIG_INVALID "path" is not accepted']);
  });

  it("takes the gateway's prefixes", () => {
    const loaded = load({
      'gateway.yaml': `${gateway}namespaces: { wsa: urn:wsa }\n`,
      'services/o.yaml': service.replace('[timestamp, body] }\n  - enc', '[header/wsa:To] }\n  - enc'),
    });
    expect(loaded.lines).toEqual([]);
  });

  it('takes request-signer as a recipient', () => {
    const answer = service.replace('to: partner,', 'to: request-signer,');
    expect(withService(answer).lines).toEqual(['gateway.yaml:3:3 WARN_UNUSED']);
  });
});
