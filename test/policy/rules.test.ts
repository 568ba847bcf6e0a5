import { describe, expect, it } from '@jest/globals';
import { gateway, load, service, withGateway, withService, type Loaded } from './support/files.js';

/** Findings of a gateway file, but for the missing services and what nothing uses. */
const found = (text: string): string[] =>
  withGateway(text).lines.filter((line) => !/WARN_(NO_SERVICES|UNUSED)$/.test(line));

const ok = 'CN=a,O=b';

describe('the gateway file', () => {
  it.each([
    ['an unknown key', 'listn: {}', ['1:1 CONFIG_UNKNOWN_KEY']],
    ['an unknown key below', 'listen: { prt: 1 }', ['1:11 CONFIG_UNKNOWN_KEY']],
    ['a port of text', 'listen: { port: "80" }', ['1:17 CONFIG_INVALID']],
    ['a port out of range', 'listen: { port: 65536 }', ['1:17 CONFIG_INVALID']],
    ['a provider that is not one', 'provider: opensl', ['1:11 CONFIG_INVALID']],
    ['a fallback on a token', 'fallback: pkcs11', ['1:11 CONFIG_INVALID']],
    ['an address range that is none', 'clients: [{ address: 10.0.0.0/33 }]', ['1:22 CONFIG_INVALID']],
    ['a token in the file', 'clients: [{ bearer: hush }]', ['1:21 CONFIG_INVALID']],
    ['a limit that is none', 'limits: { deph: 3 }', ['1:11 CONFIG_UNKNOWN_KEY']],
    ['a size without a unit of ours', 'limits: { envelope: 4MB }', ['1:21 CONFIG_INVALID']],
    ['a prefix that is none', 'namespaces: { "1": urn:a }', ['1:15 CONFIG_INVALID']],
    ['documents', 'documents: {}', ['1:1 CONFIG_NOT_AVAILABLE']],
    ['lmdb', 'replay: { store: lmdb }', ['1:11 CONFIG_NOT_AVAILABLE']],
    ['services as a map in a file', 'services: { a: {} }', ['1:1 CONFIG_INVALID']],
    ['admin off loopback without a token', 'admin: { host: 0.0.0.0 }', ['1:16 CONFIG_OPEN_DOOR']],
    ['two listeners at one address', 'admin: { port: 8080 }', ['1:16 POLICY_INVALID']],
    [
      'an unknown TLS key',
      'keys: { tls: { store: pem, certificate: c, key: k } }\nlisten: { tls: { key: tsl } }',
      ['2:23 CONFIG_UNKNOWN_NAME'],
    ],
    [
      'a TLS key without a private key',
      'keys: { t: { store: pem, certificate: c } }\nlisten: { tls: { key: t } }',
      ['2:23 KEY_HOME_MISSING'],
    ],
  ])('refuses %s', (_, text, lines) => {
    expect(found(text)).toEqual(lines.map((line) => `gateway.yaml:${line}`));
    expect(withGateway(text).gateway).toBeUndefined();
  });

  it.each([
    ['listen: { host: 0.0.0.0, port: 0 }'],
    ['admin: { host: 0.0.0.0, bearer: { env: T } }'],
    ['admin: { host: "::1", port: 0 }\nlisten: { port: 0 }'],
    [
      'clients: [{ bearer: { file: t.txt } }, { address: 10.0.0.0/8 }, { address: "fe80::/10" }, { address: 127.0.0.1 }]',
    ],
    [
      'keys: { t: { store: p12, file: t.p12, password: { env: P } } }\nlisten: { tls: { key: t, client-ca: [ca.pem] } }',
    ],
    ['limits: { envelope: 1GiB, depth: 7 }'],
    ['replay: { store: memory }'],
  ])('takes %s', (text) => {
    expect(found(text)).toEqual([]);
  });
});

describe('keys', () => {
  const key = (text: string): string[] => found(`keys:\n  client: ${text}\n`);
  const hsm = '{ module: m.so, token: t, label: l, pin: { env: PIN } }';

  it.each([
    ['a name that is reserved', 'keys: { any: { store: pem, certificate: c } }', ['1:9 CONFIG_INVALID']],
    ['a name in capitals', 'keys: { Client: { store: pem, certificate: c } }', ['1:9 CONFIG_INVALID']],
    ['a name for a session', 'keys: { session-1: { store: pem, certificate: c } }', ['1:9 CONFIG_INVALID']],
    ['an empty list', 'keys: { client: [] }', ['1:17 CONFIG_INVALID']],
  ])('refuses %s', (_, text, lines) => {
    expect(found(text)).toEqual(lines.map((line) => `gateway.yaml:${line}`));
  });

  it.each([
    ['no home', '{}', ['2:3 KEY_HOME_MISSING']],
    ['a store that is none', '{ store: p1 }', ['2:20 CONFIG_INVALID']],
    ['p12 without a file', '{ store: p12 }', ['2:3 CONFIG_INVALID']],
    ['pem without a certificate', '{ store: pem, key: k }', ['2:3 CONFIG_INVALID']],
    ['a file without a store', '{ file: c.p12 }', ['2:13 CONFIG_INVALID']],
    ['a file with pem', '{ store: pem, certificate: c, file: f }', ['2:41 CONFIG_INVALID']],
    ['a certificate with p12', '{ store: p12, file: f, certificate: c }', ['2:34 CONFIG_INVALID']],
    ['a password in the file', '{ store: p12, file: f, password: hush }', ['2:44 CONFIG_INVALID']],
    ['a misspelt secret', '{ store: p12, file: f, password: { evn: P } }', ['2:44 CONFIG_INVALID']],
    ['a pin of digits', '{ hsm: { module: m, token: t, label: l, pin: 1234 } }', ['2:56 CONFIG_INVALID']],
    ['hsm without a label', '{ hsm: { module: m, token: t, pin: { env: P } } }', ['2:13 CONFIG_INVALID']],
    [
      'hsm with uri and label',
      '{ hsm: { module: m, uri: "pkcs11:token=t", label: l, pin: { env: P } } }',
      ['2:54 CONFIG_INVALID'],
    ],
    [
      'a uri that is none',
      '{ hsm: { module: m, uri: "token=t", pin: { env: P } } }',
      ['2:36 CONFIG_INVALID'],
    ],
    [
      'a uri with an attribute that is not known',
      '{ hsm: { module: m, uri: "pkcs11:tokn=t;object=o", pin: { env: P } } }',
      ['2:36 CONFIG_INVALID'],
    ],
    [
      'a uri with a PIN',
      '{ hsm: { module: m, uri: "pkcs11:token=t;object=o?pin-value=1", pin: { env: P } } }',
      ['2:36 CONFIG_INVALID'],
    ],
    ['a day that is none', '[{ store: pem, certificate: c, from: 2027-02-29 }]', ['2:48 CONFIG_INVALID']],
  ])('refuses %s', (_, text, lines) => {
    expect(key(text)).toEqual(lines.map((line) => `gateway.yaml:${line}`));
  });

  it.each([
    ['{ store: p12, file: f, password: { file: p.txt } }'],
    ['{ store: pem, certificate: c }'],
    [`{ hsm: ${hsm} }`],
    [`{ hsm: [${hsm}, ${hsm}] }`],
    [`{ store: p12, file: f, password: { env: P }, hsm: ${hsm} }`],
    ['{ hsm: { module: m, uri: "pkcs11:token=prod;object=client", pin: { env: P } } }'],
    ['[{ store: pem, certificate: a }, { store: pem, certificate: b, from: 2027-03-01T02:00:00Z }]'],
  ])('takes %s', (text) => {
    expect(key(text)).toEqual([]);
  });

  it('reads a rollover', () => {
    const { gateway: loaded } = withGateway(
      'keys: { partner: [{ store: pem, certificate: a }, { store: pem, certificate: b, from: 2027-03-01T02:00:00Z }] }',
    );
    expect(loaded?.keys.get('partner')?.entries.map(({ from }) => from)).toEqual([
      undefined,
      1_803_866_400_000,
    ]);
  });

  it('refuses a key without an hsm home that pkcs11 must sign with, and no other', () => {
    const files = { 'gateway.yaml': gateway, 'services/orders.yaml': service };
    const loaded = load(files, { provider: 'pkcs11' });
    expect(loaded.lines).toEqual(['gateway.yaml:2:3 KEY_HOME_MISSING']);
    expect(loaded.gateway).toBeUndefined();
    const both = gateway.replace('key: client.key }', `key: client.key, hsm: ${hsm} }`);
    expect(load({ ...files, 'gateway.yaml': both }, { provider: 'pkcs11' }).lines).toEqual([]);
  });
});

describe('trust', () => {
  const trust = (text: string): string[] => found(`trust:\n  partners: ${text}\n`);

  it.each([
    ['nobody', '{}', ['2:3 CONFIG_INVALID']],
    ['anchors alone', '{ anchors: [ca.pem] }', ['2:15 TRUST_TOO_WIDE']],
    ['any-subject: false', '{ anchors: [ca.pem], any-subject: false }', ['2:15 TRUST_TOO_WIDE']],
    [
      'subjects and any-subject',
      `{ anchors: [ca.pem], subjects: ["${ok}"], any-subject: true }`,
      ['2:58 POLICY_INVALID'],
    ],
    ['no anchors', '{ anchors: [], subjects: [x] }', ['2:24 CONFIG_INVALID']],
    ['a subject that is none', '{ anchors: [ca.pem], subjects: ["nonsense,O=a"] }', ['2:45 CONFIG_INVALID']],
    [
      'a revocation list',
      `{ anchors: [ca.pem], crl: [a.crl], subjects: ["${ok}"] }`,
      ['2:34 CONFIG_NOT_AVAILABLE'],
    ],
  ])('refuses %s', (_, text, lines) => {
    expect(trust(text)).toEqual(lines.map((line) => `gateway.yaml:${line}`));
  });

  it('warns about a subject with one RDN', () => {
    expect(trust('{ anchors: [ca.pem], subjects: [CN=a,O=b] }')).toEqual([
      'gateway.yaml:2:45 WARN_SHORT_SUBJECT',
      'gateway.yaml:2:50 WARN_SHORT_SUBJECT',
    ]);
  });

  it.each([
    [`{ anchors: [ca.pem], subjects: ["${ok}", "CN=*,O=Acme"] }`],
    ['{ anchors: [ca.pem], any-subject: true }'],
    ['{ certificates: [zeep.pem] }'],
  ])('takes %s', (text) => {
    expect(trust(text)).toEqual([]);
  });
});

describe('algorithms', () => {
  const allow = (entry: string): string[] => found(`algorithms: { allow: ["${entry}"] }\n`);

  it.each([
    ['an unknown algorithm', 'rsa-sah1 for verify', '1:24 CONFIG_UNKNOWN_NAME'],
    ['a transform, which no policy allows', 'enveloped-signature', '1:24 CONFIG_UNKNOWN_NAME'],
    ['an unknown use', 'rsa-sha1 for verfy', '1:37 CONFIG_INVALID'],
    ['no date', 'rsa-sha1 until soon', '1:39 CONFIG_INVALID'],
    ['a day that is none', 'rsa-sha1 until 2027-06-31', '1:39 CONFIG_INVALID'],
    ['more', 'rsa-sha1 please', '1:33 CONFIG_INVALID'],
  ])('refuses %s', (_, entry, line) => {
    expect(allow(entry)).toEqual([`gateway.yaml:${line}`]);
  });

  it('says what is allowed, and the days that are left', () => {
    const messages = withGateway(
      'algorithms: { allow: [rsa-sha1 for verify until 2027-06-30, sha1, 3des-cbc until 2026-11-30, rsa-1024 until 2026-12-01] }',
    ).diagnostics.map(({ code, message }) => `${code} ${message}`);
    expect(messages.filter((each) => each.startsWith('WARN_ALGORITHM'))).toEqual([
      'WARN_ALGORITHM rsa-sha1 is allowed for verify until 2027-06-30: 212 days left',
      'WARN_ALGORITHM sha1 is allowed for every use but certificates, without an end',
      'WARN_ALGORITHM 3des-cbc is allowed for every use but certificates until 2026-11-30, which has passed: it is refused',
      'WARN_ALGORITHM rsa-1024 is allowed for every use but certificates until 2026-12-01: 1 day left',
    ]);
  });

  it('warns about the legacy profile, refuses one that is not known', () => {
    expect(found('algorithms: { profile: legacy }')).toEqual(['gateway.yaml:1:24 WARN_ALGORITHM']);
    expect(found('algorithms: { profile: legaci }')).toEqual(['gateway.yaml:1:24 CONFIG_INVALID']);
  });

  it('reads those of a service too', () => {
    const { lines, gateway: loaded } = withService(`${service}algorithms: { allow: [nonsense] }\n`);
    expect(lines).toEqual(['services/orders.yaml:13:23 CONFIG_UNKNOWN_NAME']);
    expect(loaded).toBeDefined();
  });
});

describe('the gateway of design/policy.md', () => {
  const example = `listen:   { host: 127.0.0.1, port: 8080 }
clients:  [{ bearer: { env: T } }, { address: 10.0.0.0/8 }]
admin:    { host: 127.0.0.1, port: 9090, trace-token: { env: TRACE } }
provider: openssl
fallback: openssl
keys:
  client:  { store: p12, file: keys/client.p12, password: { env: CLIENT_P12_PASSWORD },
             hsm: { module: /usr/lib/softhsm/libsofthsm2.so, token: prod, label: client, pin: { file: pin.txt } } }
  vault:   { hsm: [{ module: /m.so, token: a, label: sign, pin: { env: A } }, { module: /m.so, token: b, label: sign, pin: { env: B } }] }
  tls:     { store: pem, certificate: tls.pem, key: tls.key, password: { env: Q } }
  partner: [{ store: pem, certificate: old.pem }, { store: pem, certificate: new.pem, from: 2027-03-01T02:00:00Z }]
trust:
  partners: { anchors: [certs/partner-ca.pem], crl: [certs/partner.crl], subjects: ["CN=partner,O=Acme"] }
  zeep:     { certificates: [certs/zeep.pem] }
namespaces: { wsa: http://www.w3.org/2005/08/addressing, o: urn:orders }
algorithms: { profile: default, allow: ["rsa-sha1 for verify until 2027-06-30"] }
limits:   { envelope: 4MiB, depth: 100 }
replay:   { store: memory }
services: services/*.yaml
`;
  const loaded = (text: string): Loaded => load({ 'gateway.yaml': text, 'services/orders.yaml': service });

  it('is refused for its revocation list alone, which this version does not read', () => {
    const { text, gateway: started } = loaded(example);
    expect(started).toBeUndefined();
    expect(text.match(/ error /g)).toHaveLength(1);
    expect(text).toContain('gateway.yaml:13:48: error CONFIG_NOT_AVAILABLE: certificate revocation lists');
    expect(text).toContain('help: take crl out, knowing that revoked certificates are then accepted');
  });

  it('is accepted without it, with everything that it says', () => {
    const { gateway: started, text } = loaded(example.replace('crl: [certs/partner.crl], ', ''));
    expect(text).not.toContain(' error ');
    expect(started).toMatchObject({
      clients: [{ bearer: { env: 'T' } }, { address: '10.0.0.0/8' }],
      admin: { traceToken: { env: 'TRACE' } },
      limits: { envelope: 4 * 1024 * 1024, depth: 100 },
    });
    expect(started?.keys.get('vault')?.entries[0]?.hsm).toHaveLength(2);
    expect(started?.keys.get('partner')?.entries[1]?.from).toBe(Date.UTC(2027, 2, 1, 2));
  });
});

describe('open doors', () => {
  const files = (listen: string, more = ''): Record<string, string> => ({
    'gateway.yaml': `listen: ${listen}\n${more}${gateway}`,
    'services/orders.yaml': service,
  });

  it('refuses a listener off loopback that signs or decrypts for everybody', () => {
    const loaded = load(files('{ host: 0.0.0.0 }'));
    expect(loaded.lines).toEqual(['gateway.yaml:1:17 CONFIG_OPEN_DOOR']);
    expect(loaded.gateway).toBeUndefined();
  });

  it.each([
    ['clients', '{ host: 0.0.0.0 }', 'clients: [{ address: 10.0.0.0/8 }]\n', []],
    ['open: true', '{ host: 0.0.0.0 }', 'open: true\n', ['gateway.yaml:1:17 WARN_OPEN']],
    ['open: true of listen', '{ host: 0.0.0.0, open: true }', '', ['gateway.yaml:1:17 WARN_OPEN']],
    ['loopback', '{ host: 127.0.0.2 }', '', []],
  ])('takes %s', (_, listen, more, lines) => {
    expect(load(files(listen, more)).lines).toEqual(lines);
  });

  it('takes client-ca, and a listener whose services only verify', () => {
    const tls = files('{ host: "::", tls: { key: client, client-ca: [ca.pem] } }');
    expect(load(tls).lines).toEqual([]);
    const verifying = {
      'gateway.yaml': `listen: { host: 0.0.0.0 }\ntrust: { partners: { certificates: [c.pem] } }\n`,
      'services/orders.yaml': `path: /o\nupstream: http://h/\nresponse: []\nrequest: [verify: { trust: partners, parts: [body] }]\n`,
    };
    expect(load(verifying).lines).toEqual([]);
  });

  it('refuses workers that cannot share their replay store', () => {
    const good = { 'gateway.yaml': gateway, 'services/orders.yaml': service };
    expect(load(good, { workers: 2 }).lines).toEqual(['gateway.yaml:1:1 CONFIG_WORKERS']);
    expect(load(good, { workers: 1 }).lines).toEqual([]);
    const without = { ...good, 'services/orders.yaml': service.replace('    - replay\n', '') };
    expect(load(without, { workers: 2 }).lines).toEqual([]);
  });

  it('warns about keys and trusts that nothing uses', () => {
    const loaded = load({
      'gateway.yaml': gateway,
      'services/orders.yaml':
        'path: /o\nupstream: http://h/\nresponse: []\nrequest: [sign: { key: client, parts: [body] }]\n',
    });
    expect(loaded.lines).toEqual(['gateway.yaml:3:3 WARN_UNUSED', 'gateway.yaml:5:3 WARN_UNUSED']);
  });
});
