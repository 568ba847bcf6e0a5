const KiB = 1024;
const MiB = 1024 * KiB;

/** Upper bounds of one message, all configurable. Sizes in bytes. Defaults: research of 2026-11, "strict". */
export interface Limits {
  /** The whole envelope, decoded. */
  readonly envelope: number;
  readonly depth: number;
  readonly elements: number;
  /** Children of one element. */
  readonly children: number;
  /** Attributes of one element, namespace declarations included. */
  readonly attributes: number;
  /** Namespace declarations of one element. */
  readonly declarations: number;
  /** Distinct namespace names, and distinct prefixes, of a document. */
  readonly namespaces: number;
  /** Distinct names of a document as they are written, prefixes included, of elements and attributes. */
  readonly names: number;
  /** Length of one name. */
  readonly name: number;
  /** Length of one namespace name. */
  readonly uri: number;
  /** Length of one attribute value. */
  readonly attribute: number;
  readonly ids: number;
  readonly comments: number;
  readonly instructions: number;
  readonly signatures: number;
  /** References of one Signature. */
  readonly references: number;
  /** Transforms of one Reference. */
  readonly transforms: number;
  /** Prefixes of one InclusiveNamespaces list. */
  readonly prefixes: number;
  /** Octets canonicalised for one message, as a multiple of the envelope limit. */
  readonly canonical: number;
  readonly 'encrypted-data': number;
  readonly 'encrypted-keys': number;
  /** Tokens of one Security header. */
  readonly tokens: number;
  /** The upstream's answer. */
  readonly response: number;
}

export const defaultLimits: Limits = Object.freeze({
  envelope: 4 * MiB,
  depth: 100,
  elements: 100_000,
  children: 10_000,
  attributes: 128,
  declarations: 64,
  namespaces: 1024,
  names: 10_000,
  name: 1000,
  uri: 2000,
  attribute: 64 * KiB,
  ids: 1000,
  comments: 100,
  instructions: 0,
  signatures: 4,
  references: 30,
  transforms: 5,
  prefixes: 64,
  canonical: 8,
  'encrypted-data': 32,
  'encrypted-keys': 8,
  tokens: 16,
  response: 16 * MiB,
});
