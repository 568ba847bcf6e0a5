/** wsse11:EncryptedHeader, the shell of an encrypted header block (WSS 1.1.1 §9.3). */
import type { RandomSource } from '../../core/contracts.js';
import { escapeAttribute, NONE, ns, type Envelope, type NodeId, type XmlDocument } from '../../xml/index.js';
import { newId } from '../ids.js';
import { structureError } from '../structure.js';

/** The attributes by which SOAP nodes judge a block without looking inside; they are repeated on the shell. */
const soapAttributes: ReadonlySet<string> = new Set(['mustUnderstand', 'actor', 'role', 'relay']);

/** ASCII, whatever stands in the value. */
const ascii = (value: string): string =>
  escapeAttribute(value).replace(/[^\p{ASCII}]/gu, (character) => `&#${character.codePointAt(0) ?? 0};`);

/** Start and end of the shell for the header block `block`. */
export function encryptedHeaderFrame(
  document: XmlDocument,
  block: NodeId,
  random: RandomSource,
): { readonly start: string; readonly end: string } {
  const copied = document
    .attributes(block)
    .filter(
      ({ namespace, local }) =>
        (namespace === ns.soap11 || namespace === ns.soap12) && soapAttributes.has(local),
    );
  const [first] = copied;
  const declaration = first === undefined ? '' : ` xmlns:soap="${first.namespace}"`;
  const attributes = copied
    .filter(({ namespace }) => namespace === first?.namespace)
    .map(({ local, value }) => ` soap:${local}="${ascii(value)}"`);
  return {
    start:
      `<wsse11:EncryptedHeader xmlns:wsse11="${ns.wsse11}" xmlns:wsu="${ns.wsu}"${declaration}` +
      ` wsu:Id="${newId('EH', random)}"${attributes.join('')}>`,
    end: '</wsse11:EncryptedHeader>',
  };
}

/**
 * What decrypting an EncryptedData replaces: its EncryptedHeader where it stands in one, else itself.
 *
 * @throws CountersignError SECURITY_STRUCTURE when the shell has other content, or stands elsewhere (ENC-15)
 */
export function replacedBy(
  document: XmlDocument,
  envelope: Envelope,
  data: NodeId,
  isElement: boolean,
): NodeId {
  const shell = document.parent(data);
  if (shell === NONE || !document.is(shell, ns.wsse11, 'EncryptedHeader')) return data;
  const alone = document.children(shell).length === 1 && !document.hasNonWhitespaceText(shell);
  if (!alone || !isElement)
    throw structureError(document, shell, 'does not hold exactly one encrypted element');
  if (document.parent(shell) !== envelope.header)
    throw structureError(document, shell, 'is no SOAP header block');
  return shell;
}
