import type { Evidence } from '../wss/evidence.js';

type FactOf<K extends Evidence['kind']> = Extract<Evidence, { readonly kind: K }>;

/** The facts of one kind, oldest first. */
export function factsOf<K extends Evidence['kind']>(evidence: readonly Evidence[], kind: K): FactOf<K>[] {
  return evidence.filter((fact): fact is FactOf<K> => fact.kind === kind);
}
