import { describe, expect, it } from '@jest/globals';
import { isCountersignError } from '#src/core/errors.js';
import * as builtin from '#src/wss/algorithms/builtin.js';
import { makeAlgorithmTable } from '#src/wss/algorithms/table.js';
import { compileConstraints, type AlgorithmConstraints, type ExceptionUse } from '#src/wss/constraints.js';
import { algorithmUses, type ProfileName } from '#src/wss/profiles.js';

const table = makeAlgorithmTable(builtin);
const now = Date.UTC(2026, 10, 30);
const compile = (
  allow: readonly string[] = [],
  profile: ProfileName = 'default',
  onException: (use: ExceptionUse) => void = () => {},
): AlgorithmConstraints => compileConstraints({ profile, allow, table, onException });

function code(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return isCountersignError(error) ? error.code : String(error);
  }
  return 'accepted';
}

const rsa = (bits: number): { kind: 'RSA'; bits: number } => ({ kind: 'RSA', bits });

describe('algorithm table', () => {
  it('names every id of the policy page', () => {
    expect(table.ids('signature')).toEqual([
      'ecdsa-sha256',
      'ecdsa-sha384',
      'ecdsa-sha512',
      'ed25519',
      'hmac-sha1',
      'hmac-sha256',
      'hmac-sha384',
      'hmac-sha512',
      'rsa-sha1',
      'rsa-sha256',
      'rsa-sha384',
      'rsa-sha512',
      'rsa-pss-sha256',
      'rsa-pss-sha384',
      'rsa-pss-sha512',
    ]);
    expect(table.ids('digest')).toEqual(['sha1', 'sha256', 'sha384', 'sha512']);
    expect(table.ids('key-transport')).toEqual(['rsa-oaep', 'rsa-oaep-mgf1p', 'rsa-1_5']);
    expect(table.ids('mgf')).toEqual(['mgf1-sha1', 'mgf1-sha256', 'mgf1-sha384', 'mgf1-sha512']);
  });

  it('finds by URI and kind, octet by octet', () => {
    const uri = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
    expect(table.byUri(uri, 'signature').id).toBe('rsa-sha256');
    expect(code(() => table.byUri(`${uri} `, 'signature'))).toBe('ALGORITHM_UNKNOWN');
    expect(code(() => table.byUri(uri.toUpperCase(), 'signature'))).toBe('ALGORITHM_UNKNOWN');
    expect(code(() => table.byUri(uri, 'digest'))).toBe('ALGORITHM_UNKNOWN');
    expect(code(() => table.byUri('', 'signature'))).toBe('ALGORITHM_UNKNOWN');
  });

  it('maps the algorithms of certificates', () => {
    expect(table.signatureId({ name: 'ECDSA', hash: 'SHA-256', format: 'der' })).toBe('ecdsa-sha256');
    expect(table.signatureId({ name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-224' })).toBeUndefined();
    expect(
      table.signatureId({ name: 'RSA-PSS', hash: 'SHA-256', mgfHash: 'SHA-1', saltLength: 32 }),
    ).toBeUndefined();
  });
});

describe('the default profile', () => {
  const constraints = compile();
  it.each(['rsa-sha256', 'rsa-sha384', 'rsa-sha512', 'rsa-pss-sha256', 'ecdsa-sha512', 'sha256', 'exc-c14n'])(
    'verifies %s',
    (id) => {
      expect(code(() => constraints.check(id, 'verify', undefined, now))).toBe('accepted');
    },
  );

  it.each([
    'rsa-sha1',
    'sha1',
    'hmac-sha1',
    'ed25519',
    'c14n',
    'c14n11',
    'enveloped-signature',
    'none',
    'rsa-1024',
  ])('denies %s for verify', (id) => {
    expect(code(() => constraints.check(id, 'verify', undefined, now))).toBe('ALGORITHM_DENIED');
  });

  it.each(['aes128-cbc', '3des-cbc', 'rsa-1_5'])('denies %s for decrypt', (id) => {
    expect(code(() => constraints.check(id, 'decrypt', undefined, now))).toBe('ALGORITHM_DENIED');
  });

  it('takes SHA-1 inside OAEP and counts it', () => {
    const seen: ExceptionUse[] = [];
    const counted = compile([], 'default', (use) => seen.push(use));
    counted.check('sha1', 'decrypt', undefined, now);
    counted.check('mgf1-sha1', 'decrypt', undefined, now);
    counted.check('rsa-oaep', 'decrypt', rsa(2048), now);
    expect(seen).toEqual([
      { id: 'sha1', use: 'decrypt', source: 'profile' },
      { id: 'mgf1-sha1', use: 'decrypt', source: 'profile' },
    ]);
  });

  it('takes RSA-2048 without counting it', () => {
    const seen: ExceptionUse[] = [];
    const counted = compile([], 'default', (use) => seen.push(use));
    counted.check(table.byId('rsa-sha256', 'signature'), 'verify', rsa(2048), now);
    expect(seen).toEqual([]);
  });

  it.each([
    [{ kind: 'RSA', bits: 2047 } as const, 'KEY_TOO_WEAK'],
    [{ kind: 'RSA', bits: 1024 } as const, 'KEY_TOO_WEAK'],
    [{ kind: 'RSA', bits: 8192 } as const, 'accepted'],
    [{ kind: 'RSA', bits: 8193 } as const, 'KEY_TOO_WEAK'],
    [{ kind: 'EC', bits: 256, curve: 'P-256' } as const, 'accepted'],
    [{ kind: 'EC', bits: 192, curve: 'P-192' } as const, 'KEY_TOO_WEAK'],
    [{ kind: 'EC', bits: 256 } as const, 'KEY_TOO_WEAK'],
    [{ kind: 'secret', bits: 255 } as const, 'KEY_TOO_WEAK'],
    [{ kind: 'secret', bits: 256 } as const, 'accepted'],
  ])('judges the key %j: %s', (key, outcome) => {
    expect(code(() => constraints.checkKey(key, 'verify', now))).toBe(outcome);
  });

  it('binds keys to the kind of algorithm (SIG-03)', () => {
    const hmac = table.byId('hmac-sha256', 'signature');
    expect(code(() => constraints.check(hmac, 'verify', rsa(2048), now))).toBe('KEY_TOO_WEAK');
    expect(code(() => constraints.check(hmac, 'verify', { kind: 'secret', bits: 256 }, now))).toBe(
      'accepted',
    );
  });
});

describe('the legacy profile', () => {
  const legacy = compile([], 'legacy');
  it.each(['rsa-sha1', 'sha1'])('verifies %s', (id) => {
    expect(code(() => legacy.check(id, 'verify', rsa(1024), now))).toBe('accepted');
  });
  it.each(['aes128-cbc', 'aes256-cbc', '3des-cbc', 'rsa-1_5'])('decrypts %s', (id) => {
    expect(code(() => legacy.check(id, 'decrypt', undefined, now))).toBe('accepted');
  });
  it('still refuses RSA below 1024 bits, and SHA-1 in certificates', () => {
    expect(code(() => legacy.checkKey(rsa(1023), 'verify', now))).toBe('KEY_TOO_WEAK');
    expect(code(() => legacy.check('rsa-sha1', 'certificate', undefined, now))).toBe('ALGORITHM_DENIED');
  });
});

describe('allow', () => {
  it('allows an id for all uses, certificates excepted', () => {
    const constraints = compile(['rsa-sha1']);
    const uses = algorithmUses.filter((use) => constraints.permits('rsa-sha1', use, now));
    expect(uses).toEqual(['sign', 'verify', 'encrypt', 'decrypt']);
    expect(code(() => constraints.check('sha1', 'verify', undefined, now))).toBe('ALGORITHM_DENIED');
  });

  it('allows for one use, until the end of a day in UTC', () => {
    const constraints = compile(['rsa-sha1 for verify until 2027-06-30']);
    const end = Date.UTC(2027, 6, 1);
    expect(code(() => constraints.check('rsa-sha1', 'sign', undefined, now))).toBe('ALGORITHM_DENIED');
    expect(code(() => constraints.check('rsa-sha1', 'verify', undefined, end - 1))).toBe('accepted');
    expect(code(() => constraints.check('rsa-sha1', 'verify', undefined, end))).toBe('ALGORITHM_EXPIRED');
    expect(constraints.rows.find((row) => row.source === 'allow')?.until).toBe(end);
  });

  it('counts each use', () => {
    const seen: ExceptionUse[] = [];
    const constraints = compile(['rsa-1024 for verify'], 'default', (use) => seen.push(use));
    constraints.check('rsa-sha256', 'verify', rsa(1024), now);
    constraints.check('rsa-sha256', 'verify', rsa(2048), now);
    expect(seen).toEqual([{ id: 'rsa-1024', use: 'verify', source: 'allow' }]);
  });

  it('never narrows what the profile allows', () => {
    const constraints = compile(['rsa-sha256 until 2020-01-01']);
    expect(constraints.permits('rsa-sha256', 'verify', now)).toBe(true);
  });

  it.each([
    ['rsa-sha2', 0],
    ['enveloped-signature', 0],
    ['str-transform for verify', 0],
    ['', 0],
    ['rsa-sha1 for', 12],
    ['rsa-sha1 for reading', 13],
    ['rsa-sha1 until', 14],
    ['rsa-sha1 until 2027-02-30', 15],
    ['rsa-sha1 until 30.6.2027', 15],
    ['rsa-sha1 until 2027-06-30 for verify', 26],
    ['rsa-sha1 verify', 9],
  ])('refuses %j at column %d', (entry, position) => {
    let caught: unknown;
    try {
      compile(['sha1', entry]);
    } catch (error) {
      caught = error;
    }
    expect(isCountersignError(caught) && { code: caught.code, at: caught.details['at'] }).toEqual({
      code: 'POLICY_INVALID',
      at: 1,
    });
    expect(isCountersignError(caught) && caught.details['position']).toBe(position);
  });
});
