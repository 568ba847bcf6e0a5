/** How to canonicalise. */
export interface C14nMethod {
  readonly algorithm: 'exclusive' | 'inclusive-1.0' | 'inclusive-1.1';
  readonly comments: boolean;
  /** PrefixList of InclusiveNamespaces (exclusive only); `#default` is the default namespace. */
  readonly inclusivePrefixes?: readonly string[];
}
