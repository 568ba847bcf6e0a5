/** Judges algorithms and keys. */
export interface AlgorithmConstraints {
  readonly profile: string;
}
