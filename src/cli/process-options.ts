/** The options of `process`, as they are written. */
export interface ProcessOptions {
  readonly config: string;
  readonly service: string;
  readonly chain: string;
  readonly provider?: string;
  readonly clock?: string;
  readonly request?: string;
  readonly peer?: string;
  readonly json?: true;
  readonly timings?: true;
  readonly repeat?: string;
}
