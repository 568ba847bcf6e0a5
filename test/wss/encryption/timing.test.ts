import { describe, expect, it } from '@jest/globals';
import type { PartTimer } from '#src/core/timer.js';
import { encryptParts } from '#src/wss/encryption/encrypt.js';
import { makeTransport } from '#src/wss/encryption/transport.js';
import { openSecurityHeader } from '#src/wss/header.js';
import { findEnvelope } from '#src/xml/index.js';
import { seal, unseal } from '../../support/encryption.js';
import { parseMessage, soap, testRing, testToolkit } from '../../support/toolkit.js';

/** Notes which parts were entered, and fails when one is left running. */
function recorder(): PartTimer & {
  readonly parts: Set<string>;
  keys: string[];
  running: string | undefined;
} {
  const record = {
    parts: new Set<string>(),
    keys: [] as string[],
    running: undefined as string | undefined,
    part(name: string | undefined): void {
      record.running = name;
      if (name !== undefined) record.parts.add(name);
    },
    label({ key }: { readonly key?: string }): void {
      if (key !== undefined) record.keys.push(key);
    },
  };
  return record;
}

describe('parts of the timing record', () => {
  it('encrypt: key-wrap, cipher, write, token', async () => {
    const toolkit = await testToolkit();
    const server = await testRing(toolkit, 'server');
    const document = parseMessage(soap('<a/>'));
    const plain = findEnvelope(document);
    const policy = { role: '', mustUnderstand: true, existing: 'refuse' } as const;
    const { envelope, element: header } = openSecurityHeader(document, plain, policy);
    const timer = recorder();
    encryptParts(
      { document, envelope, header, toolkit, timer, now: toolkit.clock.now() },
      {
        to: server.entries[0]!,
        keyName: 'partner',
        targets: [{ element: envelope.body, mode: 'content' }],
        cipher: toolkit.algorithms.byId('aes128-gcm', 'cipher'),
        transport: makeTransport({ keyTransport: 'rsa-oaep' }, toolkit.algorithms),
        reference: 'thumbprint',
      },
    );
    expect([...timer.parts].sort()).toEqual(['cipher', 'key-wrap', 'token', 'write']);
    expect(timer.keys).toEqual(['partner']);
    expect(timer.running).toBeUndefined();
  });

  it('decrypt: token, wait or private-key, cipher, graft; also after a failure no part is left running', async () => {
    const toolkit = await testToolkit();
    const server = await testRing(toolkit, 'server');
    const sealed = seal(toolkit, server, soap('<a/>'));
    const timer = recorder();
    await unseal(toolkit, server, sealed, { timer });
    for (const part of ['token', 'private-key', 'cipher', 'graft']) expect(timer.parts).toContain(part);
    expect(timer.keys).toEqual(['server']);
    expect(timer.running).toBeUndefined();
    const failing = recorder();
    const broken = sealed.replace(/(EncryptedData .*<xenc:CipherValue>)..../s, '$1AAAA');
    await expect(unseal(toolkit, server, broken, { timer: failing })).rejects.toMatchObject({
      code: 'DECRYPT_FAILED',
    });
    expect(failing.running).toBeUndefined();
  });
});
