import { CountersignError } from '../core/errors.js';
import type { XmlDocument } from './document.js';
import { ns } from './names.js';
import { NONE, type NodeId } from './tree.js';

/** The parts of a SOAP envelope, by identity. */
export interface Envelope {
  readonly version: '1.1' | '1.2';
  readonly namespace: string;
  readonly root: NodeId;
  /** The Header, or NONE. */
  readonly header: NodeId;
  readonly body: NodeId;
}

export interface EnvelopeOptions {
  /**
   * Accept one xenc:EncryptedData where the Body should be, for a chain that will decrypt it. The chain looks for the
   * envelope again afterwards, without this option.
   */
  readonly encryptedBody?: boolean;
}

const versions: readonly (readonly [string, '1.1' | '1.2'])[] = [
  [ns.soap11, '1.1'],
  [ns.soap12, '1.2'],
];

/**
 * Finds Header and Body by their absolute positions: children of the root, Header first, Body last, nothing else and
 * each once (SOAP 1.1 §4, SOAP 1.2 part 1 §5). Nothing is searched for anywhere else (research/security.md XSW-18).
 *
 * @throws NOT_SOAP SOAP_VERSION SOAP_STRUCTURE
 */
export function findEnvelope(document: XmlDocument, options: EnvelopeOptions = {}): Envelope {
  const { root } = document;
  if (document.localName(root) !== 'Envelope') {
    throw new CountersignError('NOT_SOAP', 'the root element is not an Envelope');
  }
  const namespace = document.namespace(root);
  const version = versions.find(([known]) => known === namespace)?.[1];
  if (version === undefined) {
    throw new CountersignError('SOAP_VERSION', 'the namespace of the Envelope is of no known SOAP version', {
      details: { namespace },
    });
  }
  return { version, namespace, root, ...findParts(document, namespace, options) };
}

function findParts(
  document: XmlDocument,
  namespace: string,
  options: EnvelopeOptions,
): { header: NodeId; body: NodeId } {
  const { root } = document;
  if (document.hasNonWhitespaceText(root)) throw structure('there is text in the Envelope');
  const children = document.children(root);
  const [first] = children;
  const header = first !== undefined && document.is(first, namespace, 'Header') ? first : NONE;
  const [body, surplus] = header === NONE ? children : children.slice(1);
  if (body === undefined) throw structure('there is no Body');
  const encrypted = options.encryptedBody === true && document.is(body, ns.xenc, 'EncryptedData');
  if (!document.is(body, namespace, 'Body') && !encrypted) {
    throw structure(`${document.path(body)} stands where Header or Body should be`);
  }
  if (surplus !== undefined) throw structure('there is something after the Body');
  if (header !== NONE && document.hasNonWhitespaceText(header))
    throw structure('there is text in the Header');
  return { header, body };
}

function structure(what: string): CountersignError {
  return new CountersignError('SOAP_STRUCTURE', what);
}
