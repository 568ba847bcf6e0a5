/** Ids: which attributes are one, and new ones. */
import { toHex } from '../core/bytes.js';
import type { RandomSource } from '../core/contracts.js';
import { ns, type IdRules, type NodeId, type XmlDocument } from '../xml/index.js';

/**
 * The attributes by which elements may be referenced (WSS 1.1.1 §4.2). One value may stand once among all of them,
 * and one element carries one of them: whatever reads the message after us finds the same element that we verified
 * (XSW-08 to XSW-10). An attribute that merely looks like an id (`id`, `ID` on a business element, `x:Id`) is none.
 */
export const idRules: IdRules = {
  anywhere: [
    { namespace: ns.wsu, local: 'Id' },
    { namespace: ns.xml, local: 'id' },
  ],
  // XMLDSIG and XMLENC declare `Id`, SAML 2.0 `ID`, SAML 1.1 `AssertionID`, all without a namespace.
  unqualified: [
    { local: 'Id', namespaces: [ns.ds, ns.dsig11, ns.xenc, ns.xenc11, ns.wsse, ns.wsse11] },
    { local: 'ID', namespaces: [ns.saml2] },
    { local: 'AssertionID', namespaces: [ns.saml1] },
  ],
};

/** 128 random bits: unique within any document, and unknown to whoever would plant the same id beforehand. */
const ID_BYTES = 16;

/** A new id, an NCName. @param kind what the element is: `TS`, `EK`, `id`, … */
export function newId(kind: string, random: RandomSource): string {
  return `${kind}-${toHex(random.bytes(ID_BYTES))}`;
}

/** The `wsu:Id` of an element, or whatever id it has; a new `wsu:Id` where it has none. */
export function ensureId(document: XmlDocument, element: NodeId, random: RandomSource): string {
  const known = document.idOf(element);
  if (known !== undefined) return known;
  const value = newId('id', random);
  document.setAttribute(element, { namespace: ns.wsu, prefix: 'wsu', local: 'Id', value });
  return value;
}
