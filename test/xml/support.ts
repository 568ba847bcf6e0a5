import { XmlDocument as Libxml, ParseOption } from 'libxml2-wasm';
import { isCountersignError } from '#src/core/errors.js';
import { defaultLimits, type Limits } from '#src/core/limits.js';
import { canonicalize, ns, parseDocument } from '#src/xml/index.js';
import type { C14nMethod, IdRules, NodeId, XmlDocument } from '#src/xml/index.js';

export const limits: Limits = { ...defaultLimits, instructions: 1000, comments: 1000 };

export const ids: IdRules = {
  anywhere: [
    { namespace: ns.wsu, local: 'Id' },
    { namespace: ns.xml, local: 'id' },
  ],
  unqualified: [
    { local: 'Id', namespaces: [ns.ds, ns.xenc] },
    { local: 'ID', namespaces: [ns.saml2] },
  ],
};

/** Parses a text with limits wide enough for the suites. */
export function parse(text: string | Uint8Array, more: Partial<Limits> = {}): XmlDocument {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  return parseDocument(bytes, { limits: { ...limits, ...more }, ids });
}

/** The canonical form as text. */
export function canonical(
  document: XmlDocument,
  apex: NodeId | 'document' = 'document',
  method: Partial<C14nMethod> = {},
  exclude?: NodeId,
): string {
  const chunks: Buffer[] = [];
  const sink = { write: (bytes: Uint8Array): void => void chunks.push(Buffer.from(bytes)) };
  const options = exclude === undefined ? {} : { exclude };
  canonicalize(document, apex, { algorithm: 'exclusive', comments: true, ...method }, sink, options);
  return Buffer.concat(chunks).toString();
}

/** The document as it would be sent. */
export function rendered(document: XmlDocument): string {
  return Buffer.concat(document.render().slices).toString();
}

/** The code that `action` throws; undefined if it throws nothing. Other errors pass through. */
export function codeOf(action: () => unknown): string | undefined {
  try {
    action();
  } catch (error) {
    if (isCountersignError(error)) return error.code;
    throw error;
  }
  return undefined;
}

export const algorithms = ['inclusive-1.0', 'exclusive', 'inclusive-1.1'] as const;

/** What libxml2 makes of the same text. */
export class Oracle {
  readonly #document: Libxml;
  readonly #elements: NonNullable<ReturnType<Libxml['get']>>[];

  constructor(text: Uint8Array) {
    this.#document = Libxml.fromBuffer(text, {
      option: ParseOption.XML_PARSE_NOWARNING | ParseOption.XML_PARSE_NO_XXE,
    });
    this.#elements = this.#document.find('//*');
  }

  /** The canonical form of the document or of its nth element. */
  canonical(apex: number | 'document', method: C14nMethod): string {
    const node = apex === 'document' ? this.#document : this.#elements[apex];
    if (node === undefined) throw new Error('no such element');
    return node.canonicalizeToString({
      mode: algorithms.indexOf(method.algorithm) as 0 | 1 | 2,
      withComments: method.comments,
      ...(method.inclusivePrefixes === undefined
        ? {}
        : { inclusiveNamespacePrefixes: [...method.inclusivePrefixes] }),
    });
  }

  get count(): number {
    return this.#elements.length;
  }

  dispose(): void {
    this.#document.dispose();
  }
}
