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

/** The modules for elements of one name, by value type. */
interface Named {
  readonly namespace: string;
  readonly local: string;
  readonly modules: ReadonlyMap<string, TokenModule>;
}

/** @throws Error when two modules claim the same name and value type: a fault of the build */
export function makeTokenTable(modules: TokenModules): TokenTable {
  const names = namesOf(Object.values(modules));
  const named = (doc: XmlDocument, element: NodeId): Named | undefined => {
    for (const one of names) if (doc.is(element, one.namespace, one.local)) return one;
    return undefined;
  };
  return Object.freeze({
    isToken: (doc: XmlDocument, element: NodeId) => named(doc, element) !== undefined,
    find: (doc: XmlDocument, element: NodeId) =>
      named(doc, element)?.modules.get(doc.attribute(element, '', 'ValueType') ?? ''),
  });
}

function namesOf(all: readonly TokenModule[]): Named[] {
  const names: Named[] = [];
  for (const { namespace, local } of all) {
    if (names.some((known) => known.namespace === namespace && known.local === local)) continue;
    const same = all.filter((one) => one.namespace === namespace && one.local === local);
    const modules = makeTable(`value type of ${local}`, same, (one) => one.valueType ?? '');
    names.push({ namespace, local, modules });
  }
  return names;
}
