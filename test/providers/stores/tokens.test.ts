import { describe, expect, it } from '@jest/globals';
import { tokenOpener } from '#src/providers/index.js';
import type { HsmHomeInput } from '#src/providers/index.js';

const handle = {
  kind: 'RSA',
  bits: 2048,
  visibility: 'private',
  provider: 'pkcs11',
  uses: ['sign'],
} as const;

describe('tokenOpener', () => {
  const home: HsmHomeInput = {
    module: 'm.so',
    token: 'prod',
    label: 'client',
    uri: undefined,
    pin: () => '1234',
  };
  const open = async (...homes: HsmHomeInput[]): Promise<readonly object[]> => {
    let asked: readonly object[] = [];
    const opener = tokenOpener({
      openKey: (given) => {
        asked = given;
        return Promise.resolve({ handle, spki: Uint8Array.of(1), certificates: [] });
      },
    });
    expect(await opener.openKey(homes)).toMatchObject({ privateKey: handle });
    return asked;
  };

  it('reads PINs and URIs', async () => {
    const plain = { module: 'm.so', token: 'prod', label: 'client', pin: '1234' };
    expect(await open(home)).toEqual([plain]);
    const uri = { ...home, token: undefined, label: undefined, uri: 'pkcs11:token=prod;object=client' };
    expect(await open(home, uri)).toEqual([plain, plain]);
  });

  it('refuses a home that names no key', async () => {
    await expect(open({ ...home, label: undefined })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    await expect(open({ ...home, token: undefined, uri: 'pkcs11:object=x' })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
    });
  });
});
