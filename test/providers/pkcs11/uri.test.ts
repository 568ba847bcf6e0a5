import { describe, expect, it } from '@jest/globals';
import { parsePkcs11Uri } from '#src/providers/pkcs11/uri.js';

describe('parsePkcs11Uri (RFC 7512)', () => {
  it.each([
    ['pkcs11:token=prod;object=client', { token: 'prod', object: 'client' }],
    ['pkcs11:object=my%20key;token=a%3Bb;type=private', { object: 'my key', token: 'a;b' }],
    ['pkcs11:token=t?module-path=/usr/lib/x.so', { token: 't', module: '/usr/lib/x.so' }],
    ['pkcs11:', {}],
  ])('reads %s', (text, expected) => expect(parsePkcs11Uri(text)).toEqual(expected));

  it.each([
    'pkcs12:token=a',
    'pkcs11:token',
    'pkcs11:token=a;token=b',
    'pkcs11:token=a;;object=b',
    'pkcs11:serial=1',
    'pkcs11:type=public',
    'pkcs11:token=%zz',
    'pkcs11:token=a?pin-value=1234',
    'pkcs11:token=a?pin-source=/x',
    'pkcs11:token=a#f',
  ])('refuses %s', (text) =>
    expect(() => parsePkcs11Uri(text)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' })),
  );
});
