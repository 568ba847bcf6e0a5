import { describe, expect, it } from '@jest/globals';
import { isCountersignError } from '#src/core/errors.js';
import { assertDecrypted, assertVerified, type Protection } from '#src/wss/assert.js';
import { ciphertextIsSigned } from '#src/wss/coverage.js';
import type { DecryptedFact, Evidence, SignedFact } from '#src/wss/evidence.js';
import { parsePart } from '#src/wss/parts.js';
import type { PartScope } from '#src/wss/select.js';
import { findEnvelope, NONE, type NodeId } from '#src/xml/index.js';
import { testKey } from '../support/pki.js';
import { namespaces, orderMessage } from '../support/signing.js';
import { outcome, parseMessage } from '../support/toolkit.js';

const doc = parseMessage(
  orderMessage('<o:order xmlns:o="urn:orders"><o:item/><o:item/></o:order>').replace(
    '</soap:Header>',
    '<sealed/></soap:Header>',
  ),
);
const envelope = findEnvelope(doc);
const [to, action, security, sealed] = doc.children(envelope.header) as [NodeId, NodeId, NodeId, NodeId];
// Stands for an EncryptedData that was replaced by its plaintext.
doc.remove(sealed);
const timestamp = doc.firstChild(security);
const order = doc.firstChild(envelope.body);
const [first, second] = doc.children(order) as [NodeId, NodeId];
const scope: PartScope = { doc, envelope, securityHeader: security, signature: () => NONE };

const signed = (elements: readonly NodeId[], version = 5, step = 'verify'): SignedFact => ({
  kind: 'signed',
  step,
  signature: NONE,
  elements,
  certificate: testKey('client').certificate,
  replayId: '',
  algorithms: [],
  version,
});
const opened = (
  target: NodeId,
  mode: DecryptedFact['mode'],
  more: Partial<DecryptedFact> = {},
): DecryptedFact => ({
  kind: 'decrypted',
  step: 'decrypt',
  mode,
  target,
  encryptedData: NONE,
  replaced: NONE,
  authenticated: true,
  algorithms: ['aes128-gcm'],
  version: 3,
  ...more,
});

const parsed = (parts: readonly string[]): ReturnType<typeof parsePart>[] =>
  parts.map((text) => parsePart(text, namespaces));
const verify = (
  evidence: readonly Evidence[],
  parts: readonly string[],
  options: { protection?: Protection; optional?: boolean } = {},
): Promise<string> => {
  const { protection = 'sign-then-encrypt', optional = false } = options;
  return outcome(() =>
    assertVerified(scope, { step: 'verify', parts: parsed(parts), protection, optional }, evidence),
  );
};
const decrypt = (evidence: readonly Evidence[], parts: readonly string[], cbc = false): Promise<string> =>
  outcome(() => {
    assertDecrypted(scope, { step: 'decrypt', parts: parsed(parts), unauthenticatedCbc: cbc }, evidence);
  });

describe('assertVerified', () => {
  it('proves nothing from nothing', async () => {
    expect(await verify([], [])).toBe('SIGNATURE_MISSING');
    expect(await verify([], ['body'], { optional: true })).toBe('accepted');
    expect(await verify([signed([envelope.body], 5, 'another')], ['body'])).toBe('SIGNATURE_MISSING');
    expect(await verify([signed([])], ['body'])).toBe('PART_NOT_SIGNED');
    expect(await verify([signed([])], [])).toBe('accepted');
  });

  it('asks for every part under the one Signature', async () => {
    expect(await verify([signed([envelope.body, timestamp])], ['body', 'timestamp'])).toBe('accepted');
    expect(await verify([signed([envelope.body])], ['body', 'timestamp'])).toBe('PART_NOT_SIGNED');
    const two = [signed([envelope.body]), signed([timestamp], 5, 'another')];
    expect(await verify(two, ['body', 'timestamp'])).toBe('PART_NOT_SIGNED');
    expect(await verify([signed([envelope.body]), signed([timestamp])], ['body'])).toBe(
      'SIGNATURE_UNEXPECTED',
    );
  });

  it('takes an element around the part, never one inside it', async () => {
    expect(await verify([signed([envelope.root])], ['body', 'timestamp', 'header/wsa:To'])).toBe('accepted');
    expect(await verify([signed([order])], ['body'])).toBe('PART_NOT_SIGNED');
    expect(await verify([signed([order])], ['body/o:order', 'body/o:order/o:item'])).toBe('accepted');
  });

  it('asks for all of several matches', async () => {
    expect(await verify([signed([first, second])], ['body/o:order/o:item'])).toBe('accepted');
    expect(await verify([signed([first])], ['body/o:order/o:item'])).toBe('PART_NOT_SIGNED');
  });

  it('lets a part be absent only with a question mark, and covers it when it is there', async () => {
    expect(await verify([signed([])], ['header/wsa:ReplyTo'])).toBe('PART_MISSING');
    expect(await verify([signed([])], ['header/wsa:ReplyTo?'])).toBe('accepted');
    expect(await verify([signed([])], ['header/wsa:To?'])).toBe('PART_NOT_SIGNED');
    expect(await verify([signed([to])], ['header/wsa:To?'])).toBe('accepted');
    expect(await verify([signed([to])], ['signature'])).toBe('PART_MISSING');
  });

  it('tells the operator what was found', () => {
    let caught: unknown;
    try {
      const requirement = { step: 'verify', parts: parsed(['body', 'header/wsa:To']), optional: false };
      assertVerified(scope, { ...requirement, protection: 'any' }, [
        signed([envelope.body, timestamp, action]),
      ]);
    } catch (error) {
      caught = error;
    }
    expect(isCountersignError(caught) && { message: caught.message, ...caught.details }).toMatchObject({
      message: 'header/wsa:To is not covered',
      found: 'Covered: body, timestamp, header/wsa:Action',
      remedy: 'The sender must sign it, or remove it from',
      at: 'parts.1',
      required: ['body', 'header/wsa:To'],
    });
  });

  it.each<[Protection, number, string]>([
    ['sign-then-encrypt', 3, 'accepted'],
    ['sign-then-encrypt', 2, 'PROTECTION_ORDER'],
    ['encrypt-then-sign', 2, 'accepted'],
    ['encrypt-then-sign', 3, 'PROTECTION_ORDER'],
    ['any', 2, 'accepted'],
    ['any', 3, 'accepted'],
  ])('%s, signed at version %d of 3: %s', async (protection, version, code) => {
    const evidence = [opened(envelope.body, 'content'), signed([envelope.body, timestamp], version)];
    expect(await verify(evidence, ['body'], { protection })).toBe(code);
    // What was not encrypted has no order.
    expect(await verify(evidence, ['timestamp'], { protection })).toBe('accepted');
  });

  it('sees an order inside the part and around it', async () => {
    expect(await verify([opened(first, 'element'), signed([envelope.body], 2)], ['body'])).toBe(
      'PROTECTION_ORDER',
    );
    expect(await verify([opened(envelope.body, 'content'), signed([order], 2)], ['body/o:order'])).toBe(
      'PROTECTION_ORDER',
    );
  });

  it('takes a Signature over the ciphertext for what came out of it, unless it was made afterwards', async () => {
    const anyOrder = { protection: 'any' } as const;
    const whole = opened(order, 'element', { encryptedData: sealed });
    expect(await verify([whole, signed([sealed], 2)], ['body/o:order'], anyOrder)).toBe('accepted');
    expect(await verify([whole, signed([sealed], 2)], ['body/o:order/o:item'], anyOrder)).toBe('accepted');
    expect(await verify([whole, signed([sealed], 2)], ['body'], anyOrder)).toBe('PART_NOT_SIGNED');
    expect(await verify([whole, signed([sealed], 3)], ['body/o:order'], anyOrder)).toBe('PART_NOT_SIGNED');
    const header = opened(to, 'element', { replaced: sealed });
    expect(await verify([header, signed([sealed], 2)], ['header/wsa:To'], anyOrder)).toBe('accepted');
    const content = opened(envelope.body, 'content', { encryptedData: sealed });
    expect(await verify([content, signed([sealed], 2)], ['body/o:order'], anyOrder)).toBe('accepted');
    expect(await verify([content, signed([sealed], 2)], ['body'], anyOrder)).toBe('PART_NOT_SIGNED');
  });
});

describe('assertDecrypted', () => {
  it('proves nothing from nothing', async () => {
    expect(await decrypt([], [])).toBe('accepted');
    expect(await decrypt([], ['body/content'])).toBe('PART_NOT_ENCRYPTED');
    expect(await decrypt([opened(envelope.body, 'content', { step: 'other' })], ['body/content'])).toBe(
      'PART_NOT_ENCRYPTED',
    );
  });

  it('tells content from element', async () => {
    const content = [opened(envelope.body, 'content')];
    expect(await decrypt(content, ['body/content', 'body/o:order', 'body/o:order/content'])).toBe('accepted');
    expect(await decrypt(content, ['body'])).toBe('PART_NOT_ENCRYPTED');
    const element = [opened(envelope.body, 'element')];
    expect(await decrypt(element, ['body', 'body/content'])).toBe('accepted');
  });

  it('counts nothing as encrypted beside which something stood in the clear', async () => {
    const some = [opened(envelope.body, 'part-of-content')];
    for (const part of ['body', 'body/content', 'body/o:order']) {
      expect(await decrypt(some, [part])).toBe('PART_NOT_ENCRYPTED');
    }
  });

  it('takes content that was encrypted child by child', async () => {
    const both = [opened(first, 'element'), opened(second, 'element')];
    expect(await decrypt(both, ['body/o:order/content'])).toBe('accepted');
    expect(await decrypt(both.slice(1), ['body/o:order/content'])).toBe('PART_NOT_ENCRYPTED');
    expect(await decrypt(both, ['body/o:order/o:item/content'])).toBe('accepted');
    // Empty, and its emptiness was not encrypted.
    expect(await decrypt([], ['body/o:order/o:item/content'])).toBe('PART_NOT_ENCRYPTED');
  });

  it('asks for all of several matches, and not for what is optional and absent', async () => {
    expect(await decrypt([opened(first, 'element')], ['body/o:order/o:item'])).toBe('PART_NOT_ENCRYPTED');
    const both = [opened(first, 'element'), opened(second, 'element')];
    expect(await decrypt(both, ['body/o:order/o:item', 'header/wsa:ReplyTo?'])).toBe('accepted');
    expect(await decrypt(both, ['header/wsa:ReplyTo'])).toBe('PART_MISSING');
  });

  it('asks for a Signature over CBC ciphertext, unless told otherwise', async () => {
    const cbc = opened(envelope.body, 'content', { authenticated: false, encryptedData: sealed });
    expect(await decrypt([cbc], ['body/content'])).toBe('ENCRYPTION_UNAUTHENTICATED');
    expect(await decrypt([cbc], ['body/content'], true)).toBe('accepted');
    expect(await decrypt([cbc, signed([envelope.body], 2)], ['body/content'])).toBe('accepted');
    expect(await decrypt([cbc, signed([sealed], 2)], ['body/content'])).toBe('accepted');
    // Over the plaintext it comes too late.
    expect(await decrypt([cbc, signed([envelope.body], 3)], ['body/content'])).toBe(
      'ENCRYPTION_UNAUTHENTICATED',
    );
    expect(await decrypt([cbc, signed([order], 2)], ['body/content'])).toBe('ENCRYPTION_UNAUTHENTICATED');
    const element = opened(order, 'element', { authenticated: false, encryptedData: sealed });
    expect(await decrypt([element, signed([envelope.body], 2)], ['body/o:order'])).toBe('accepted');
  });

  it('knows before decryption whether a ciphertext is signed', () => {
    expect(ciphertextIsSigned(doc, [signed([envelope.body])], order)).toBe(true);
    expect(ciphertextIsSigned(doc, [signed([first])], order)).toBe(false);
    expect(ciphertextIsSigned(doc, [], order)).toBe(false);
  });
});
