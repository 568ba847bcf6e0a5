import type { KeyFacts, KeyHandle, KeyUse } from './contract.js';

/** What may be known of a key; the providers' own handles add, privately, what is behind it, and are then frozen. */
export abstract class ProviderKey implements KeyHandle {
  readonly provider: string;
  readonly kind: KeyHandle['kind'];
  readonly bits: number;
  readonly curve?: string;
  readonly visibility: KeyHandle['visibility'];
  readonly uses: readonly KeyUse[];

  constructor(
    provider: string,
    { kind, bits, curve }: KeyFacts,
    visibility: KeyHandle['visibility'],
    uses: readonly KeyUse[],
  ) {
    this.provider = provider;
    this.kind = kind;
    this.bits = bits;
    if (curve !== undefined) this.curve = curve;
    this.visibility = visibility;
    this.uses = Object.isFrozen(uses) ? uses : Object.freeze([...uses]);
  }
}
