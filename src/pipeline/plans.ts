/** Words that everything in this folder shares. Types only. */

export type Direction = 'inbound' | 'outbound';
export type ChainKind = 'request' | 'response';

/** The Security header that a chain reads and writes. */
export interface HeaderPlan {
  /** SOAP actor or role; empty: the header without one. */
  readonly role: string;
  readonly mustUnderstand: boolean;
  readonly existing: 'refuse' | 'merge';
}
