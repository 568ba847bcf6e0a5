/** The algorithms that are known, by URI and by policy id. */
export interface AlgorithmTable {
  readonly size: number;
}
