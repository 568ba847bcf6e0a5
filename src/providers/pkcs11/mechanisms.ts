/** Our algorithm records as PKCS#11 mechanisms. */
import type { HashName, SignatureAlgorithm, WrapAlgorithm } from '../contract.js';
import type { Library, Mechanism, OaepParameter, PssParameter } from './library.js';

/** CKZ_DATA_SPECIFIED, the only source of a label there is. */
const DATA_SPECIFIED = 1;

interface HashConstants {
  readonly hash: number;
  readonly mgf: number;
}

/** @returns undefined for hash functions that PKCS#11 2.40 has no MGF1 for */
function hashConstants(library: Library, name: HashName): HashConstants | undefined {
  switch (name) {
    case 'SHA-1':
      return { hash: library.CKM_SHA_1, mgf: library.CKG_MGF1_SHA1 };
    case 'SHA-224':
      return { hash: library.CKM_SHA224, mgf: library.CKG_MGF1_SHA224 };
    case 'SHA-256':
      return { hash: library.CKM_SHA256, mgf: library.CKG_MGF1_SHA256 };
    case 'SHA-384':
      return { hash: library.CKM_SHA384, mgf: library.CKG_MGF1_SHA384 };
    case 'SHA-512':
      return { hash: library.CKM_SHA512, mgf: library.CKG_MGF1_SHA512 };
    default:
      return undefined;
  }
}

export function pssMechanism(
  library: Library,
  algorithm: Extract<SignatureAlgorithm, { name: 'RSA-PSS' }>,
): Mechanism | undefined {
  const hash = hashConstants(library, algorithm.hash);
  const mgf = hashConstants(library, algorithm.mgfHash);
  if (hash === undefined || mgf === undefined) return undefined;
  const parameter: PssParameter = {
    type: library.CK_PARAMS_RSA_PSS,
    hashAlg: hash.hash,
    mgf: mgf.mgf,
    saltLen: algorithm.saltLength,
  };
  return { mechanism: library.CKM_RSA_PKCS_PSS, parameter };
}

/** For the empty label. */
export function oaepMechanism(
  library: Library,
  algorithm: Extract<WrapAlgorithm, { name: 'RSA-OAEP' }>,
): Mechanism | undefined {
  const hash = hashConstants(library, algorithm.hash);
  const mgf = hashConstants(library, algorithm.mgfHash);
  if (hash === undefined || mgf === undefined) return undefined;
  const parameter: OaepParameter = {
    type: library.CK_PARAMS_RSA_OAEP,
    hashAlg: hash.hash,
    mgf: mgf.mgf,
    source: DATA_SPECIFIED,
  };
  return { mechanism: library.CKM_RSA_PKCS_OAEP, parameter };
}
