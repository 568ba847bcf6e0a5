import { p256, p384, p521 } from '@noble/curves/nist.js';

/** The curves, by their names in `KeyFacts`. */
export const curves: Readonly<Record<CurveName, typeof p256>> = Object.freeze({
  'P-256': p256,
  'P-384': p384,
  'P-521': p521,
});

export type CurveName = 'P-256' | 'P-384' | 'P-521';

/** @returns undefined for curves that the provider does not have */
export function curveName(name: string | undefined): CurveName | undefined {
  return name === 'P-256' || name === 'P-384' || name === 'P-521' ? name : undefined;
}
