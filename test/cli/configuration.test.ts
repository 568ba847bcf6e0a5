import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fixture } from '../support/paths.js';
import { countersign } from './support/run.js';

const folder = mkdtempSync(join(tmpdir(), 'countersign-check-'));
const gateway = join(folder, 'client/countersign.yaml');
const service = join(folder, 'client/services/orders.yaml');
afterAll(() => rmSync(folder, { recursive: true }));
beforeAll(() => {
  expect(countersign(['init', folder]).code).toBe(0);
});

/** Runs `work` with a file that is changed for its time. */
function changed<T>(file: string, from: string | RegExp, to: string, work: () => T): T {
  const text = readFileSync(file, 'utf8');
  const other = text.replace(from, to);
  expect(other).not.toBe(text);
  writeFileSync(file, other);
  try {
    return work();
  } finally {
    writeFileSync(file, text);
  }
}

describe('check', () => {
  it('accepts what init made, on both sides and with another provider', () => {
    for (const side of ['client', 'server']) {
      const { code, out, err } = countersign(['check', '--config', join(folder, side, 'countersign.yaml')]);
      expect([code, err]).toEqual([0, '']);
      expect(out).toMatch(/: ok: 1 service, \d keys?; 0 errors, 0 warnings\n$/);
    }
    expect(countersign(['check', gateway, '--provider', 'js', '--offline']).code).toBe(0);
  });

  it('says where a configuration is wrong, and exits 2', () => {
    changed(service, 'parts: [timestamp, body]', 'parts: [timestmp, body]', () => {
      const { code, err, out } = countersign(['check'], '', folder);
      expect(code).toBe(2);
      expect(out).toContain('config/countersign.yaml: does not start');
      expect(err).toContain('CONFIG_UNREADABLE');
      const ran = countersign(['check', '--config', 'client/countersign.yaml'], '', folder);
      expect(ran.code).toBe(2);
      expect(ran.err).toMatch(/^client\/services\/orders\.yaml:\d+:34: error POLICY_PARTS: /);
      expect(ran.err).toContain('did you mean timestamp?');
      expect(ran.out).toContain('starts without any service: 0 services');
    });
  });

  it('exits 3 for a key that cannot be opened, said once, with the service that needs it', () => {
    changed(join(folder, 'keys/password.txt'), /.*/, 'wrong', () => {
      const { code, err, out } = countersign(['check', '--config', gateway]);
      expect(code).toBe(3);
      expect(err).toMatch(/^\S*client\/countersign\.yaml:\d+:3: error KEY_PASSWORD_WRONG: key client/);
      expect(err.match(/error/g)).toHaveLength(1);
      expect(err).toContain('services that do not start for it: orders');
      expect(out).toMatch(/: starts without any service: .*; 1 error, 0 warnings; refused: orders\n$/);
      const one = countersign(['check', service]);
      expect([one.code, one.err]).toEqual([3, err]);
      const ran = countersign(['process', '--config', gateway, '--service', 'orders', '--chain', 'request']);
      expect([ran.code, ran.err]).toEqual([3, err]);
    });
  });

  it('reports what only compiling finds, at its place', () => {
    changed(service, '  - check-timestamp\n', '', () => {
      const { code, err } = countersign(['check', '--config', gateway]);
      expect(code).toBe(2);
      expect(err).toMatch(/orders\.yaml:\d+:5: error POLICY_\w+: /);
    });
  });

  it('exits 2 for an algorithm that the policy does not allow', () => {
    changed(service, 'parts: [timestamp, body] }', 'parts: [timestamp, body], algorithm: rsa-sha1 }', () => {
      const { code, err } = countersign(['check', '--config', gateway]);
      expect(code).toBe(2);
      expect(err).toContain('ALGORITHM_DENIED');
    });
  });

  it('says what a size is', () => {
    changed(gateway, 'services: ', 'limits: { envelope: 4MB }\nservices: ', () => {
      expect(countersign(['check', '--config', gateway]).err).toContain(
        'expected: a whole number, or a size',
      );
    });
  });

  it('does not call a service refused that was not built only because --offline opens no token', () => {
    const hsm = '    hsm: { module: /no.so, token: t, label: client, pin: { env: NO_PIN } }';
    changed(gateway, '  client:\n', `  client:\n${hsm}\n`, () => {
      const { code, out } = countersign(['check', '--config', gateway, '--provider', 'pkcs11', '--offline']);
      expect(code).toBe(0);
      expect(out).toMatch(/: ok: .*; not built, their keys are on tokens: orders\n$/);
    });
  });

  it('says of a gateway that does not start nothing about tokens', () => {
    changed(gateway, 'services: ', 'documents: {}\nservices: ', () => {
      const { code, out, err } = countersign(['check', '--config', gateway]);
      expect([code, err.includes('CONFIG_NOT_AVAILABLE')]).toEqual([2, true]);
      expect(out).toMatch(/: does not start: 0 services, 0 keys; 1 error, 0 warnings\n$/);
    });
  });

  it('checks one service file with the gateway that names it', () => {
    expect(countersign(['check', service]).code).toBe(0);
    const { code, err } = countersign(['check', join(folder, 'wsdl/orders.wsdl')]);
    expect([code, err === '']).toEqual([2, false]);
    writeFileSync(join(folder, 'stray.yaml'), 'path: /x\n');
    expect(countersign(['check', join(folder, 'stray.yaml')]).err).toContain('no gateway file names');
  });

  it('opens what the listeners and upstreams need, too', () => {
    const needy =
      'clients: [{ bearer: { env: COUNTERSIGN_NO_TOKEN } }, { bearer: { file: none.txt } }]\nservices: ';
    const order = '../messages/order.xml';
    changed(gateway, 'services: ', needy, () => {
      changed(gateway, '9090 }', '9090, trace-token: { env: COUNTERSIGN_NO_TRACE } }', () => {
        const { code, err, out } = countersign(['check', '--config', gateway]);
        expect([code, err.match(/error SECRET_UNAVAILABLE/g)?.length]).toEqual([3, 3]);
        expect(err).toMatch(/countersign\.yaml:\d+:21: error SECRET_UNAVAILABLE: .*COUNTERSIGN_NO_TOKEN/);
        expect(out).toContain('does not start');
        const served = countersign(['serve', '--config', gateway]);
        expect([served.code, served.out]).toEqual([3, '']);
        expect(served.err).toContain('SECRET_UNAVAILABLE: the environment variable COUNTERSIGN_NO_TOKEN');
      });
      // a chain over one message needs no listener
      const ran = countersign(
        ['process', '--config', gateway, '--service', 'orders', '--chain', 'request'],
        '<a/>',
      );
      expect([ran.code, ran.err]).toEqual([1, expect.stringContaining('NOT_SOAP')]);
    });
    changed(gateway, '8080 }', `8080, tls: { key: client, client-ca: [${order}] } }`, () => {
      const { code, err } = countersign(['check', '--config', gateway]);
      expect([code, err]).toEqual([
        3,
        expect.stringMatching(/:\d+:72: error KEY_FILE_MALFORMED: .*order\.xml/),
      ]);
    });
    const upstream = `upstream: { url: "https://localhost/", tls: { ca: [../${order}] } }`;
    changed(service, /upstream: \S+/, upstream, () => {
      const { code, err } = countersign(['check', '--config', gateway]);
      expect([code, err]).toEqual([
        3,
        expect.stringMatching(/orders\.yaml:\d+:\d+: error KEY_FILE_MALFORMED/),
      ]);
    });
    changed(service, /wsdl: \S+/, 'wsdl: ../../wsdl', () => {
      const { code, err } = countersign(['check', '--config', gateway]);
      expect([code, err]).toEqual([2, expect.stringContaining('CONFIG_UNREADABLE: the description')]);
      expect(err).toContain('it is a folder');
    });
  });

  it('has a form for programs', () => {
    const ran = changed(service, 'ttl: 300s', 'ttl: 300', () => countersign(['check', '--json', gateway]));
    expect(ran.code).toBe(2);
    expect(JSON.parse(ran.out)).toMatchObject([
      {
        starts: true,
        services: [],
        refused: ['orders'],
        diagnostics: [{ code: 'CONFIG_INVALID', severity: 'error', found: '300', service: 'orders' }],
      },
    ]);
  });

  it('exits 2 for a provider and for workers that are none', () => {
    expect(countersign(['check', gateway, '--provider', 'opensl']).code).toBe(2);
    expect(countersign(['check', gateway, '--workers', 'two'])).toMatchObject({ code: 2, out: '' });
  });
});

describe('fmt', () => {
  it('finds what init made formatted', () => {
    for (const side of ['client', 'server']) {
      const ran = countersign(['fmt', '--check', '--config', join(folder, side, 'countersign.yaml')]);
      expect([ran.code, ran.err]).toEqual([0, '']);
    }
  });

  it('says what is not formatted and exits 1; formats it; exits 2 where it cannot', () => {
    changed(service, 'path: /orders', 'path:    /orders', () => {
      const ran = countersign(['fmt', '--check', service]);
      expect(ran.code).toBe(1);
      expect(ran.err).toContain('not formatted');
      expect(countersign(['fmt', service]).code).toBe(0);
      expect(countersign(['fmt', '--check', service]).code).toBe(0);
    });
    changed(service, 'path: /orders', 'path: [', () => {
      expect(countersign(['fmt', service]).code).toBe(2);
    });
    expect(countersign(['fmt', join(folder, 'none.yaml')]).code).toBe(2);
  });

  it('leaves files of another kind as they are', () => {
    const binary = join(folder, 'latin1.yaml');
    writeFileSync(binary, Buffer.from('path:  /caf\u00e9\n', 'latin1'));
    const list = join(folder, 'list.yaml');
    writeFileSync(list, '-   a\n');
    for (const file of [join(folder, 'wsdl/orders.wsdl'), join(folder, 'keys/ca.pem'), binary, list]) {
      const before = readFileSync(file);
      const { code, out, err } = countersign(['fmt', file]);
      expect([code, out, err === '']).toEqual([2, '', false]);
      expect(readFileSync(file).equals(before)).toBe(true);
    }
  });

  it('has a form for programs', () => {
    changed(service, 'path: /orders', 'path:    /orders', () => {
      const { code, out } = countersign(['fmt', '--check', '--json', gateway, service]);
      expect(code).toBe(1);
      expect(JSON.parse(out)).toMatchObject({ files: [{ state: 'as it was' }, { state: 'not formatted' }] });
    });
  });
});

describe('expand', () => {
  it('writes every default, as a policy that means the same', () => {
    const { code, out } = countersign(['expand', '--config', gateway, '--service', 'orders']);
    expect(code).toBe(0);
    expect(out).toContain('timestamp: { ttl: 300s, precision: ms }');
    changed(service, /^[^]*$/, out, () => {
      expect(countersign(['check', '--config', gateway]).code).toBe(0);
      expect(countersign(['expand', '--config', gateway, '--service', 'orders']).out).toBe(out);
      expect(countersign(['fmt', '--check', service]).code).toBe(0);
    });
  });

  it('expands the gateway to a file that means the same', () => {
    const whole = countersign(['expand', '--config', gateway]).out;
    const own = whole.split('---\n')[0] ?? '';
    changed(gateway, /^[^]*$/, own, () => {
      expect(countersign(['expand', '--config', gateway]).out).toBe(whole);
    });
  });

  it('shows what follows from keys and from other options', () => {
    const shownFor = (): string => countersign(['expand', '--config', gateway, '--service', 'orders']).out;
    expect(shownFor()).toMatch(
      /key: client\n +parts: \[timestamp, body\]\n +algorithm: rsa-sha256\n +digest: sha256\n/,
    );
    const ec = `  client: { store: pem, certificate: ${fixture('keys/ec.pem')} }`;
    changed(gateway, / {2}client:\n( {4}.*\n)+/, `${ec}\n`, () => {
      expect(shownFor()).toContain('algorithm: ecdsa-sha256\n');
    });
    changed(service, '[body/content] }', '[body/content], key-transport: rsa-oaep-mgf1p }', () => {
      expect(shownFor()).toMatch(/key-transport: rsa-oaep-mgf1p\n +digest: sha1\n +reference: thumbprint\n/);
    });
    changed(join(folder, 'keys/password.txt'), /.*/, 'wrong', () => {
      const { code, out, err } = countersign(['expand', '--config', gateway]);
      expect([code, out.includes('algorithm: rsa-sha256')]).toEqual([0, false]);
      expect(err).toMatch(
        /^note: sign with the key client: its algorithm is what fits the key, .*KEY_PASSWORD_WRONG/,
      );
    });
  });

  it('exits 2 for a service that is not there and for errors', () => {
    const none = countersign(['expand', '--config', gateway, '--service', 'ordrs']);
    expect(none.code).toBe(2);
    expect(none.err).toContain('there is no service ordrs; there is: orders; did you mean orders?');
    expect(countersign(['expand', '--config', join(folder, 'none.yaml')]).code).toBe(2);
  });
});

describe('algorithms', () => {
  it('lists a profile, and what a configuration allows', () => {
    const listed = countersign(['algorithms', 'list', '--profile', 'legacy']).out;
    expect(listed).toMatch(/^rsa-1_5 +encrypt, decrypt +counted +profile legacy$/m);
    expect(countersign(['algorithms']).out).not.toContain('rsa-1_5');
    const allow = 'algorithms: { allow: ["rsa-sha1 for verify until 2099-12-31"] }\n';
    changed(service, /$/, allow, () => {
      const rows = countersign(['algorithms', 'list', '--config', gateway, '--service', 'orders']).out;
      expect(rows).toMatch(/^rsa-sha1 +verify +counted +allow: rsa-sha1 for verify until 2099-12-31$/m);
    });
  });

  it('explains by id and by URI', () => {
    const { code, out } = countersign([
      'algorithms',
      'explain',
      'http://www.w3.org/2000/09/xmldsig#sha1',
      'rsa-1024',
    ]);
    expect(code).toBe(0);
    expect(out).toMatch(/^ {2}encrypt +allowed +profile default \(each use is counted\)$/m);
    expect(out).toContain('RSA keys of 1024 to 2047 bits');
    expect(countersign(['algorithms', 'explain', 'rsa-sah1']).err).toContain('did you mean rsa-sha1?');
  });

  it('exits 2 for a profile or a service that is none, and a service of no configuration', () => {
    expect(countersign(['algorithms', 'list', '--profile', 'old']).code).toBe(2);
    expect(countersign(['algorithms', 'list', '--service', 'orders']).err).toContain(
      '--service needs --config',
    );
    const { code, err } = countersign(['algorithms', 'list', '--config', gateway, '--service', 'order']);
    expect([code, err]).toEqual([2, expect.stringContaining('did you mean orders?')]);
  });
});

describe('schema', () => {
  it('prints both', () => {
    for (const file of ['gateway', 'service']) {
      expect(JSON.parse(countersign(['schema', file]).out)).toMatchObject({
        $schema: 'http://json-schema.org/draft-07/schema#',
      });
    }
    expect(countersign(['schema', 'other']).code).toBe(2);
  });
});
