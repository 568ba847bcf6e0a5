/** Signs and verifies whole messages: for tests of `wss/signature`, `wss/assert` and the attacks. */
import { noTimer, type PartTimer } from '#src/core/timer.js';
import { parseName } from '#src/pki/index.js';
import type { KeyEntry } from '#src/providers/index.js';
import { assertVerified, type Protection } from '#src/wss/assert.js';
import type { SignedFact } from '#src/wss/evidence.js';
import { findSecurityHeader, insertionPoint, openSecurityHeader } from '#src/wss/header.js';
import { parsePart } from '#src/wss/parts.js';
import type { ReferenceStyle } from '#src/wss/references/types.js';
import { type PartScope, selectPart } from '#src/wss/select.js';
import { OctetBudget } from '#src/wss/signature/octets.js';
import { signParts } from '#src/wss/signature/sign.js';
import { checkReferences, openSignature, type VerifyInput } from '#src/wss/signature/verify.js';
import { indexTokens } from '#src/wss/tokens/index-tokens.js';
import type { Toolkit } from '#src/wss/toolkit.js';
import { makeTrust, type Trust } from '#src/wss/trust.js';
import { findEnvelope, NONE, ns, type NodeId, type XmlDocument } from '#src/xml/index.js';
import { type TestKeyName, testKey } from './pki.js';
import { parseMessage, rendered, testEntry } from './toolkit.js';

export const namespaces: ReadonlyMap<string, string> = new Map([
  ['wsa', ns.wsa],
  ['wsse', ns.wsse],
  ['o', 'urn:orders'],
]);

/** A message with addressing headers and a Timestamp in our Security header. */
export const orderMessage = (body = '<o:order xmlns:o="urn:orders"><o:item>nut</o:item></o:order>'): string =>
  `<soap:Envelope xmlns:soap="${ns.soap11}" xmlns:wsa="${ns.wsa}"><soap:Header>` +
  `<wsa:To>urn:partner</wsa:To><wsa:Action>urn:order</wsa:Action>` +
  `<wsse:Security xmlns:wsse="${ns.wsse}" xmlns:wsu="${ns.wsu}"><wsu:Timestamp>` +
  `<wsu:Created>2026-11-30T12:00:00Z</wsu:Created><wsu:Expires>2026-11-30T12:05:00Z</wsu:Expires>` +
  `</wsu:Timestamp></wsse:Security></soap:Header><soap:Body>${body}</soap:Body></soap:Envelope>`;

export interface SignOptions {
  readonly key?: TestKeyName | KeyEntry;
  readonly parts?: readonly string[];
  readonly algorithm?: string;
  readonly digest?: string;
  readonly reference?: ReferenceStyle;
  readonly timer?: PartTimer;
}

const scopeOf = (doc: XmlDocument, header: NodeId, signature: () => NodeId): PartScope => ({
  doc,
  envelope: findEnvelope(doc),
  securityHeader: header,
  signature,
});

/** The message, signed. */
export async function signed(toolkit: Toolkit, message: string, options: SignOptions = {}): Promise<string> {
  const doc = parseMessage(message, toolkit.limits);
  const plain = findEnvelope(doc);
  const existing = findSecurityHeader(doc, plain, '');
  // A second Signature goes into the header of the first, as within one outbound chain.
  const { envelope, element: header } =
    existing === NONE
      ? openSecurityHeader(doc, plain, { role: '', mustUnderstand: true, existing: 'merge' })
      : { envelope: plain, element: existing };
  const earlier = doc.children(header).find((child) => doc.is(child, ns.ds, 'Signature')) ?? NONE;
  const scope = { ...scopeOf(doc, header, () => earlier), envelope };
  const parts = (options.parts ?? ['timestamp', 'body']).map((text) => parsePart(text, namespaces));
  const { key = 'client' } = options;
  await signParts(
    doc,
    { parent: header, before: insertionPoint(doc, header) },
    {
      key: typeof key === 'string' ? await testEntry(toolkit, key) : key,
      keyName: typeof key === 'string' ? key : 'given',
      elements: parts.flatMap((part) => selectPart(scope, part)),
      algorithm: toolkit.algorithms.byId(options.algorithm ?? 'rsa-sha256', 'signature'),
      digest: toolkit.algorithms.byId(options.digest ?? 'sha256', 'digest'),
      reference: options.reference ?? 'direct',
    },
    toolkit,
    options.timer ?? noTimer,
  );
  return rendered(doc);
}

export interface VerifyStep {
  readonly trust?: Trust;
  readonly parts?: readonly string[];
  readonly protection?: Protection;
  readonly optional?: boolean;
}

export interface Verified {
  readonly doc: XmlDocument;
  readonly header: NodeId;
  readonly scope: PartScope;
  /** By step, in list order; undefined where an optional Signature is absent. */
  readonly facts: readonly (SignedFact | undefined)[];
}

/** Trusts the test CA for any subject, and the certificates named. */
export function testTrust(toolkit: Toolkit, ...pinned: TestKeyName[]): Trust {
  return makeTrust(
    {
      name: 'partners',
      anchors: [testKey('ca').certificate],
      pinned: pinned.map((name) => testKey(name).certificate),
      subjects: [],
      anySubject: true,
    },
    toolkit,
  );
}

/** Trusts the test CA for these subjects. */
export const subjectTrust = (toolkit: Toolkit, ...subjects: string[]): Trust =>
  makeTrust(
    {
      name: 'named',
      anchors: [testKey('ca').certificate],
      pinned: [],
      subjects: subjects.map((subject) => parseName(subject)),
      anySubject: false,
    },
    toolkit,
  );

/** Checks every Signature of our Security header, then asserts the steps, as an inbound chain does. */
export function verified(toolkit: Toolkit, message: string, ...steps: VerifyStep[]): Verified {
  const doc = parseMessage(message, toolkit.limits);
  const envelope = findEnvelope(doc);
  const header = findSecurityHeader(doc, envelope, '');
  const required = (steps.length === 0 ? [{}] : steps).map((step: VerifyStep, index) => ({
    step: `verify-${index}`,
    trust: step.trust ?? testTrust(toolkit),
    parts: (step.parts ?? ['timestamp', 'body']).map((text) => parsePart(text, namespaces)),
    protection: step.protection ?? ('sign-then-encrypt' as const),
    optional: step.optional ?? false,
  }));
  const input: VerifyInput = {
    doc,
    tokens: indexTokens(doc, header, toolkit),
    budget: new OctetBudget(toolkit.limits),
    toolkit,
    timer: noTimer,
  };
  const signatures =
    header === NONE ? [] : doc.children(header).filter((child) => doc.is(child, ns.ds, 'Signature'));
  const taken = new Map<string, NodeId>();
  const opened = signatures.map((signature) => {
    const one = openSignature(
      input,
      signature,
      required.filter(({ step }) => !taken.has(step)),
    );
    taken.set(one.step, signature);
    return one;
  });
  const evidence = opened.map((one) => checkReferences(input, one));
  const scope: PartScope = {
    doc,
    envelope,
    securityHeader: header,
    signature: () => taken.get('verify-0') ?? NONE,
  };
  return { doc, header, scope, facts: required.map((step) => assertVerified(scope, step, evidence)) };
}
