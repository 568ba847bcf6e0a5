/**
 * The wsse:Security header of one role: found, made, added to, removed.
 *
 * A gateway and the service behind it are one SOAP node to the outside. Of the headers for that node only the
 * Security header is the gateway's; all others, mandatory or not, are the service's to understand and are passed on as
 * they came. That holds for role `next` too: the next node is that same pair. A gateway that was given a role of its own
 * (`header: { role }`) has nobody behind it in that role: then any other mandatory header for the role is refused
 * (SOAP 1.1 §4.2.3, SOAP 1.2 part 1 §2.4).
 */
import { CountersignError } from '../core/errors.js';
import {
  escapeAttribute,
  findEnvelope,
  NONE,
  ns,
  type Envelope,
  type NodeId,
  type XmlDocument,
} from '../xml/index.js';

/** What a policy says of the header. */
export interface HeaderPolicy {
  /** SOAP actor or role; empty: the header for the ultimate receiver. */
  readonly role: string;
  readonly mustUnderstand: boolean;
  /** What happens to a client's own header for the role. */
  readonly existing: 'refuse' | 'merge';
}

/** A Security header, and the envelope as it is with it. */
export interface SecurityHeader {
  readonly envelope: Envelope;
  readonly element: NodeId;
}

const ultimateReceiver = `${ns.soap12}/role/ultimateReceiver`;
const trim = (text: string): string => text.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '');

/** SOAP 1.2 part 1 §5.2.2: an absent or empty role is the ultimate receiver. SOAP 1.1 §4.2.2 has no name for it. */
function normalRole(envelope: Envelope, role: string | undefined): string {
  const name = trim(role ?? '');
  return envelope.version === '1.2' && name === ultimateReceiver ? '' : name;
}

const roleAttribute = (envelope: Envelope): string => (envelope.version === '1.1' ? 'actor' : 'role');

const roleOf = (document: XmlDocument, envelope: Envelope, block: NodeId): string =>
  normalRole(envelope, document.attribute(block, envelope.namespace, roleAttribute(envelope)));

const blocksOf = (document: XmlDocument, envelope: Envelope): NodeId[] =>
  envelope.header === NONE ? [] : document.children(envelope.header);

/**
 * The Security header for `role`; NONE where there is none. Headers for other roles are not looked into.
 *
 * @throws CountersignError HEADER_DUPLICATE (WSS 1.1.1 §5), SECURITY_STRUCTURE
 */
export function findSecurityHeader(document: XmlDocument, envelope: Envelope, role: string): NodeId {
  const wanted = normalRole(envelope, role);
  const foreign = envelope.version === '1.1' ? ns.soap12 : ns.soap11;
  let found: NodeId = NONE;
  for (const block of blocksOf(document, envelope)) {
    if (!document.is(block, ns.wsse, 'Security')) continue;
    // An attribute of the other SOAP version could make a second reader take the header for another node's.
    if (document.hasAttributeOf(block, foreign)) {
      throw new CountersignError(
        'SECURITY_STRUCTURE',
        'a Security header has an attribute of another SOAP version',
      );
    }
    if (roleOf(document, envelope, block) !== wanted) continue;
    if (found !== NONE) {
      throw new CountersignError('HEADER_DUPLICATE', 'there are two Security headers for this role', {
        details: { role },
      });
    }
    found = block;
  }
  return found;
}

/**
 * Refuses mandatory headers for the gateway's own role; see the top of this file.
 *
 * @throws CountersignError MUST_UNDERSTAND
 */
export function checkMustUnderstand(document: XmlDocument, envelope: Envelope, role: string): void {
  const own = normalRole(envelope, role);
  if (own === '') return;
  for (const block of blocksOf(document, envelope)) {
    if (document.is(block, ns.wsse, 'Security') || roleOf(document, envelope, block) !== own) continue;
    const mandatory = trim(document.attribute(block, envelope.namespace, 'mustUnderstand') ?? '0');
    // Whatever is not a clear "no" counts as "yes".
    if (mandatory === '0' || mandatory === 'false') continue;
    const header = `{${document.namespace(block)}}${document.localName(block)}`;
    throw new CountersignError(
      'MUST_UNDERSTAND',
      `the header ${header} must be understood and is not known`,
      {
        details: { header, role },
      },
    );
  }
}

/**
 * The header that outgoing security goes into: made as the first child of the Header, which is made if absent, or the
 * client's own where the policy merges.
 *
 * @throws CountersignError HEADER_EXISTS, HEADER_DUPLICATE, SECURITY_STRUCTURE
 */
export function openSecurityHeader(
  document: XmlDocument,
  envelope: Envelope,
  policy: HeaderPolicy,
): SecurityHeader {
  const existing = findSecurityHeader(document, envelope, policy.role);
  if (existing !== NONE) {
    if (policy.existing === 'refuse') {
      throw new CountersignError('HEADER_EXISTS', 'the message already has a Security header for this role', {
        details: { role: policy.role },
      });
    }
    refuseSecured(document, existing);
    return { envelope, element: existing };
  }
  if (envelope.header === NONE) {
    const soap = soapPrefix(document, envelope, envelope.root);
    const name = soap.prefix === '' ? 'Header' : `${soap.prefix}:Header`;
    document.insert(
      envelope.root,
      document.firstChild(envelope.root),
      `<${name}${soap.declaration}></${name}>`,
    );
  }
  const withHeader = envelope.header === NONE ? findEnvelope(document) : envelope;
  const xml = securityElement(document, withHeader, policy);
  const [element = NONE] = document.insert(withHeader.header, document.firstChild(withHeader.header), xml);
  return { envelope: withHeader, element };
}

/** Before which child of the Security header new elements go: in front of all others, but after the Timestamp. */
export function insertionPoint(document: XmlDocument, header: NodeId): NodeId {
  const first = document.firstChild(header);
  return first !== NONE && document.is(first, ns.wsu, 'Timestamp') ? document.nextSibling(first) : first;
}

/**
 * Removes the Security header, and the Header if that leaves nothing at all in it.
 *
 * @returns the envelope as it is then
 */
export function removeSecurityHeader(document: XmlDocument, envelope: Envelope, header: NodeId): Envelope {
  document.remove(header);
  const empty =
    document.firstChild(envelope.header) === NONE &&
    document.slices(envelope.header, 'content').every((slice) => slice.length === 0);
  if (!empty) return envelope;
  document.remove(envelope.header);
  return { ...envelope, header: NONE };
}

/** Removes the `wsu:Id` of an element that a verified signature covers, and the declaration of its prefix with it. */
export function stripId(document: XmlDocument, element: NodeId): void {
  document.removeAttribute(element, ns.wsu, 'Id');
}

/** What the client secured itself cannot be added to: our signature and its own would claim the same header. */
function refuseSecured(document: XmlDocument, header: NodeId): void {
  for (const child of document.children(header)) {
    const namespace = document.namespace(child);
    if (namespace !== ns.xenc && !document.is(child, ns.ds, 'Signature')) continue;
    throw new CountersignError(
      'HEADER_EXISTS',
      `the client's own Security header has a ${document.localName(child)}`,
      {
        details: { element: document.localName(child) },
      },
    );
  }
}

function securityElement(document: XmlDocument, envelope: Envelope, policy: HeaderPolicy): string {
  const soap = soapPrefix(document, envelope, envelope.header, true);
  const role = normalRole(envelope, policy.role);
  const attributes: string[] = [];
  if (role !== '') attributes.push(` ${soap.prefix}:${roleAttribute(envelope)}="${escapeAttribute(role)}"`);
  if (policy.mustUnderstand) {
    attributes.push(` ${soap.prefix}:mustUnderstand="${envelope.version === '1.1' ? '1' : 'true'}"`);
  }
  const declaration = attributes.length === 0 ? '' : soap.declaration;
  return `<wsse:Security xmlns:wsse="${ns.wsse}"${declaration}${attributes.join('')}></wsse:Security>`;
}

/** A prefix for the SOAP namespace at `place`, and its declaration where none is in scope. */
function soapPrefix(
  document: XmlDocument,
  envelope: Envelope,
  place: NodeId,
  forAttribute = false,
): { readonly prefix: string; readonly declaration: string } {
  const known = document.prefixFor(place, envelope.namespace);
  if (known !== undefined && !(forAttribute && known === '')) return { prefix: known, declaration: '' };
  // Attributes need a prefix. Whatever `soap` means outside, inside our own element it means this.
  return { prefix: 'soap', declaration: ` xmlns:soap="${envelope.namespace}"` };
}
