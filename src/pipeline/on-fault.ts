/** Faults of the upstream that the policy lets pass without a signature (design/policy.md, Faults). */
import { CountersignError } from '../core/errors.js';
import { findEnvelope, NONE, ns, type NodeId, type XmlDocument } from '../xml/index.js';
import type { Chain } from './chain.js';
import { count, type Message, type SoapVersion } from './context.js';
import { faultOf, faultText, type FaultText } from './message-facts.js';

/**
 * Lets an unsigned fault pass, reduced to what the policy says, where it says so. Only a fault without a Security
 * header for our role: one that has it must hold in full.
 *
 * @returns whether it passes, so that nothing else is asked of the message
 */
export function passUnsignedFault(message: Message, { kind, onFault }: Chain): boolean {
  const allowed = onFault === 'allow-unsigned' || onFault === 'allow-unsigned-with-detail';
  if (kind !== 'response' || !allowed || !message.facts.fault || message.securityHeader !== NONE)
    return false;
  reduce(message, onFault === 'allow-unsigned-with-detail');
  // Its elements are new ones.
  message.envelope = findEnvelope(message.document);
  message.onlyRoot = true;
  count(message.facts, `fault-${onFault}`);
  return true;
}

/** What of an unsigned fault may pass, and what each of these may hold; every name once. */
const shapes: Readonly<Record<SoapVersion, readonly FaultField[]>> = {
  '1.1': [
    { namespace: '', local: 'faultcode', holds: [] },
    { namespace: '', local: 'faultstring', holds: [] },
    { namespace: '', local: 'detail', holds: 'anything' },
  ],
  '1.2': [
    { namespace: ns.soap12, local: 'Code', holds: ['Value', 'Subcode'] },
    { namespace: ns.soap12, local: 'Reason', holds: ['Text'] },
    { namespace: ns.soap12, local: 'Detail', holds: 'anything' },
  ],
};

interface FaultField {
  readonly namespace: string;
  readonly local: string;
  /** SOAP elements that may be inside; none: text only. */
  readonly holds: readonly string[] | 'anything';
}

/**
 * Takes away what was not signed and is not code, reason or allowed detail: headers, other elements, attributes,
 * comments. Elements that stay, stay as they came.
 */
function reduce({ document, envelope }: Message, keepDetail: boolean): void {
  const fault = faultOf(document, envelope);
  const fields = shapes[envelope.version].filter(({ holds }) => keepDetail || holds !== 'anything');
  for (const place of [envelope.body, fault]) {
    // Text cannot be told from what the caller would read as the service's own words.
    if (document.hasNonWhitespaceText(place)) throw notAFault(document, place, 'holds text');
  }
  const kept = new Set<FaultField>();
  for (const child of document.children(fault)) {
    const field = fields.find(({ namespace, local }) => document.is(child, namespace, local));
    if (field === undefined) {
      document.remove(child);
      continue;
    }
    if (kept.has(field)) throw notAFault(document, child, 'is there twice');
    kept.add(field);
    if (field.holds === 'anything') continue;
    checkInside(document, child, field.holds);
    tidy(document, child);
  }
  if (envelope.header !== NONE) document.remove(envelope.header);
  for (const place of [fault, envelope.body, envelope.root]) keepElements(document, place);
}

/** Down to the leaves: what is no element, no text of a leaf and not its language is nobody's code or reason. */
function tidy(document: XmlDocument, element: NodeId): void {
  const children = document.children(element);
  if (children.length === 0) {
    dropAttributes(document, element);
    // Text with a comment in it is read differently by different readers (research/security.md XSW-13).
    if (!isText(document, element)) throw notAFault(document, element, 'holds more than text');
    return;
  }
  for (const child of children) tidy(document, child);
  keepElements(document, element);
}

/** Comments, attributes and white space go; elements stay as they are. */
function keepElements(document: XmlDocument, element: NodeId): void {
  dropAttributes(document, element);
  const slices = document.children(element).flatMap((child) => document.slices(child, 'element'));
  document.replaceContent(element, Buffer.concat(slices));
}

function dropAttributes(document: XmlDocument, element: NodeId): void {
  for (const { namespace, local } of document.attributes(element)) {
    if (namespace === ns.xml && local === 'lang') continue;
    document.removeAttribute(element, namespace, local);
  }
}

function isText(document: XmlDocument, element: NodeId): boolean {
  try {
    document.text(element);
    return true;
  } catch {
    return false;
  }
}

/** SOAP 1.1 §4.4, SOAP 1.2 part 1 §5.4: text in the leaves, and nothing but what is named around it. */
function checkInside(document: XmlDocument, element: NodeId, names: readonly string[]): void {
  const children = document.children(element);
  if (children.length > 0 && document.hasNonWhitespaceText(element)) {
    throw notAFault(document, element, 'holds text between its elements');
  }
  for (const child of children) {
    const name = names.find((local) => document.is(child, ns.soap12, local));
    if (name === undefined) throw notAFault(document, child, 'is no part of a fault');
    checkInside(document, child, name === 'Subcode' ? names : []);
  }
}

const notAFault = (document: XmlDocument, element: NodeId, problem: string): CountersignError =>
  new CountersignError('SOAP_STRUCTURE', `${document.path(element)} ${problem}`);

/** Refusals that mean: the fault came without the protection that the policy asks for. */
const uncovered: ReadonlySet<string> = new Set([
  'HEADER_MISSING',
  'TIMESTAMP_MISSING',
  'SIGNATURE_MISSING',
  'PART_MISSING',
  'PART_NOT_SIGNED',
  'PART_NOT_ENCRYPTED',
]);

/** The error for a fault that was refused: the operator is told what the fault said, the peer is not. */
export function refusedFault(error: CountersignError, message: Message): CountersignError {
  const said = faultText(message.document, message.envelope, faultOf(message.document, message.envelope));
  const details = { ...error.details, ...said };
  if (!uncovered.has(error.code)) {
    return new CountersignError(error.code, `${error.message}. ${quote(said)}`, { cause: error, details });
  }
  const text = `the upstream answered with a fault that the policy does not cover (${error.code}: ${error.message})`;
  return new CountersignError('UPSTREAM_FAULT_UNPROTECTED', `${text}. ${quote(said)}`, {
    cause: error,
    details,
  });
}

const quote = ({ faultCode, faultText: text }: FaultText): string => `The fault says ${faultCode}: “${text}”`;
