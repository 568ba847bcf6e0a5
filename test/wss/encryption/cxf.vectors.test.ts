/** Messages that CXF really sent (vectors/soap/cxf); what each must do is in the README of the vectors. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { KeyRing } from '#src/providers/index.js';
import type { Toolkit } from '#src/wss/toolkit.js';
import { findEnvelope } from '#src/xml/index.js';
import { unseal, type Unsealed } from '../../support/encryption.js';
import { vectors } from '../../support/paths.js';
import { outcome, ringFromPkcs12, testToolkit } from '../../support/toolkit.js';

const folder = vectors('soap', 'cxf');
const suite = folder === undefined ? describe.skip : describe;

suite('encrypted messages of CXF', () => {
  let legacy: Toolkit;
  let ring: KeyRing;
  beforeAll(async () => {
    legacy = await testToolkit({ profile: 'legacy' });
    ring = await ringFromPkcs12(legacy, join(folder ?? '', 'privatestore.p12'), 'password');
  });
  const read = (name: string): Buffer => readFileSync(join(folder ?? '', `${name}.xml`));
  const open = (name: string): Promise<Unsealed> =>
    unseal(legacy, ring, read(name).toString(), { unauthenticatedCbc: true });

  it.each(['encrypted_body_content', 'encrypted_body_element'])(
    '%s: header blocks and Body',
    async (name) => {
      const { document, facts, text } = await open(name);
      const envelope = findEnvelope(document);
      expect(text).not.toContain('EncryptedData');
      expect(facts).toHaveLength(3);
      const modes = facts.map(({ mode }) => mode).sort();
      expect(modes).toEqual(
        name.endsWith('content') ? ['content', 'element', 'element'] : ['element', 'element', 'element'],
      );
      expect(facts.some(({ target }) => target === envelope.body)).toBe(true);
      expect(facts.filter(({ target }) => document.parent(target) === envelope.header)).toHaveLength(2);
      expect(facts[0]!.algorithms).toEqual(['aes128-cbc', 'rsa-1_5']);
    },
  );

  it('encrypted_missing_enc_body: no fact speaks of the Body', async () => {
    const { document, facts } = await open('encrypted_missing_enc_body');
    expect(facts).toHaveLength(2);
    const { body } = findEnvelope(document);
    expect(facts.some(({ target }) => document.contains(body, target))).toBe(false);
  });

  it('signed_x509_issuer_serial_encrypted: header blocks and the content of the Body', async () => {
    const { document, facts } = await open('signed_x509_issuer_serial_encrypted');
    const { body } = findEnvelope(document);
    expect(facts.map(({ mode }) => mode).sort()).toEqual(['content', 'element', 'element']);
    expect(facts.some(({ mode, target }) => mode === 'content' && target === body)).toBe(true);
  });

  it('one id on two EncryptedHeaders is refused', async () => {
    expect(await outcome(() => open('encrypted_body_content_signed_with_encrypted_header'))).toBe(
      'XML_ID_DUPLICATE',
    );
  });

  it('the default profile refuses them all before it uses a key', async () => {
    const strict = await testToolkit();
    for (const name of [
      'encrypted_body_content',
      'encrypted_body_element',
      'signed_x509_issuer_serial_encrypted',
    ]) {
      expect(await outcome(() => unseal(strict, ring, read(name).toString()))).toBe('ALGORITHM_DENIED');
    }
  });
});
