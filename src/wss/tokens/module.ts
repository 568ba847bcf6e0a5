/** What a kind of security token is. */
import { makeTable } from '../../core/table.js';
import type { Certificate } from '../../pki/types.js';
import type { NodeId, XmlDocument } from '../../xml/index.js';
import type { CertificateReader } from './certificates.js';

/** What a token holds. */
export interface TokenContent {
  /** The certificate that the token is about. */
  readonly certificate: Certificate;
  /** The others that it holds. */
  readonly intermediates: readonly Certificate[];
}

/** One element name with one value type; the table hands elements to modules by both. */
export interface TokenModule {
  /** For messages and counters. */
  readonly name: string;
  readonly namespace: string;
  readonly local: string;
  /** Value of the ValueType attribute; undefined where the element has none. */
  readonly valueType: string | undefined;
  /** @throws CountersignError TOKEN_MALFORMED, XML_BASE64, XML_NOT_TEXT */
  read(doc: XmlDocument, element: NodeId, certificates: CertificateReader): TokenContent;
}

/** The kinds of token that are known. */
export interface TokenTable {
  /** Whether elements of this name are tokens at all. */
  isToken(doc: XmlDocument, element: NodeId): boolean;
  /** The module for an element, or undefined where its value type is not known. */
  find(doc: XmlDocument, element: NodeId): TokenModule | undefined;
}

/** A module of `tokens/builtin.ts`: every export is a token module. */
export type TokenModules = Readonly<Record<string, TokenModule>>;

/** @throws Error when two modules claim the same name and value type: a fault of the build */
export function makeTokenTable(modules: TokenModules): TokenTable {
  const all = Object.values(modules);
  // Several modules share a name: an element is asked once for each name.
  const names = [...new Map(all.map((one) => [`${one.namespace} ${one.local}`, one])).values()];
  const table = makeTable('token', all, (one) => `${one.namespace} ${one.local} ${one.valueType ?? ''}`);
  return Object.freeze({
    isToken: (doc: XmlDocument, element: NodeId) =>
      names.some((one) => doc.is(element, one.namespace, one.local)),
    find: (doc: XmlDocument, element: NodeId) => {
      const valueType = doc.attribute(element, '', 'ValueType') ?? '';
      return table.get(`${doc.namespace(element)} ${doc.localName(element)} ${valueType}`);
    },
  });
}
