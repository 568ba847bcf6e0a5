/** Encrypts and decrypts whole messages: for tests of `wss/encryption`. */
import { noTimer } from '#src/core/timer.js';
import type { KeyRing } from '#src/providers/index.js';
import { Decryption, type DecryptionInput } from '#src/wss/encryption/decrypt.js';
import { encryptParts, type EncryptionTarget } from '#src/wss/encryption/encrypt.js';
import { makeTransport, type TransportOptions } from '#src/wss/encryption/transport.js';
import type { DecryptedFact } from '#src/wss/evidence.js';
import { findSecurityHeader, openSecurityHeader } from '#src/wss/header.js';
import type { ReferenceStyle } from '#src/wss/references/types.js';
import { TokenIndex } from '#src/wss/tokens/index-tokens.js';
import type { Toolkit } from '#src/wss/toolkit.js';
import { type Envelope, findEnvelope, NONE, ns, type XmlDocument } from '#src/xml/index.js';
import { parseMessage, rendered } from './toolkit.js';

export interface SealOptions extends Partial<TransportOptions> {
  readonly algorithm?: string;
  readonly reference?: ReferenceStyle;
  /** What to encrypt; the Body's content if not given. */
  readonly targets?: (document: XmlDocument, envelope: Envelope) => EncryptionTarget[];
}

/** The message, encrypted for the first key of `to`. */
export function seal(toolkit: Toolkit, to: KeyRing, message: string, options: SealOptions = {}): string {
  const document = parseMessage(message, toolkit.limits);
  const plain = findEnvelope(document);
  const { envelope, element: header } = openSecurityHeader(document, plain, {
    role: '',
    mustUnderstand: true,
    existing: 'merge',
  });
  const targets =
    options.targets ?? ((_, { body }): EncryptionTarget[] => [{ element: body, mode: 'content' }]);
  encryptParts(
    { document, envelope, header, toolkit, timer: noTimer, now: toolkit.clock.now() },
    {
      to: to.entries[0]!,
      keyName: to.name,
      targets: targets(document, envelope),
      cipher: toolkit.algorithms.byId(options.algorithm ?? 'aes128-gcm', 'cipher'),
      transport: makeTransport(
        { ...options, keyTransport: options.keyTransport ?? 'rsa-oaep' },
        toolkit.algorithms,
      ),
      reference: options.reference ?? 'thumbprint',
    },
  );
  return rendered(document);
}

export interface Unsealed {
  readonly document: XmlDocument;
  readonly text: string;
  readonly facts: DecryptedFact[];
}

/** Takes the children of the Security header in order, as the walk of an inbound chain does. */
export async function unseal(
  toolkit: Toolkit,
  keys: KeyRing | readonly KeyRing[],
  message: string,
  options: Partial<DecryptionInput> & { readonly unauthenticatedCbc?: boolean } = {},
): Promise<Unsealed> {
  const document = parseMessage(message, toolkit.limits);
  const envelope = findEnvelope(document, { encryptedBody: true });
  const header = findSecurityHeader(document, envelope, '');
  const rings = 'name' in keys ? [keys] : keys;
  const decryption = new Decryption({
    document,
    envelope,
    tokens: new TokenIndex(document, header, toolkit),
    candidates: rings.map((ring) => ({
      step: `decrypt-${ring.name}`,
      keys: ring,
      unauthenticatedCbc: options.unauthenticatedCbc ?? false,
    })),
    covered: () => false,
    toolkit,
    timer: noTimer,
    now: toolkit.clock.now(),
    ...options,
  });
  const facts: DecryptedFact[] = [];
  for (let child = document.firstChild(header); child !== NONE; child = document.nextSibling(child)) {
    if (document.is(child, ns.xenc, 'EncryptedKey')) facts.push(...(await decryption.encryptedKey(child)));
    if (document.is(child, ns.xenc, 'ReferenceList')) facts.push(...(await decryption.referenceList(child)));
    if (document.is(child, ns.xenc, 'EncryptedData')) facts.push(...(await decryption.encryptedData(child)));
  }
  return { document, text: rendered(document), facts };
}

/** Everything that a peer or a log could tell one failure from another by. */
export async function face(action: () => Promise<unknown>): Promise<string> {
  try {
    await action();
  } catch (error) {
    const { code, message, details, cause, kind } = error as Record<string, unknown>;
    return JSON.stringify({ code, message, details, cause: cause ?? null, kind });
  }
  return 'accepted';
}
