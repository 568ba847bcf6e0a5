import { EMPTY } from '../../core/bytes.js';
import type { KeyFacts, KeyHandle, KeyUse } from '../contract.js';
import { foreignKey } from '../failures.js';
import type { PssParameters } from '../padding/pss.js';
import { ProviderKey } from '../provider-key.js';
import type { CurveName } from './curves.js';
import type { RsaEngine, RsaPublic } from './rsa.js';

export const NAME = 'js';

/** What is behind a handle. */
export type Material =
  | {
      readonly type: 'rsa-public';
      readonly rsa: RsaPublic;
      /** Set for keys that are for RSASSA-PSS alone: with any parameters, or with these and no shorter salt. */
      readonly pss: PssParameters | 'any' | undefined;
    }
  | { readonly type: 'rsa-private'; readonly engine: RsaEngine; readonly rejection: Uint8Array }
  | { readonly type: 'ec-public' | 'ec-private'; readonly curve: CurveName; readonly bytes: Uint8Array }
  | { readonly type: 'ed25519-public' | 'ed25519-private'; readonly bytes: Uint8Array }
  | { readonly type: 'secret'; readonly bytes: Uint8Array };

/** An opaque key. */
export class JsKey extends ProviderKey {
  readonly #material: Material;

  constructor(
    facts: KeyFacts,
    visibility: KeyHandle['visibility'],
    uses: readonly KeyUse[],
    material: Material,
  ) {
    super(NAME, facts, visibility, uses);
    this.#material = material;
    Object.freeze(this);
  }

  /** @throws CountersignError PROVIDER_FAILED for a handle that is not ours or of another visibility */
  static material(handle: KeyHandle, visibility: KeyHandle['visibility']): Material {
    if (!(handle instanceof JsKey) || handle.visibility !== visibility) throw foreignKey(NAME, handle);
    return handle.#material;
  }

  /** The bytes of a secret key. */
  static secret(handle: KeyHandle): Uint8Array {
    const material = JsKey.material(handle, 'secret');
    return material.type === 'secret' ? material.bytes : EMPTY;
  }
}
