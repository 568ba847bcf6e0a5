import type { HashName } from '../../core/contracts.js';
import type { SignatureDescriptor } from './descriptor.js';

const pss = (bits: number, hash: HashName): SignatureDescriptor =>
  Object.freeze({
    kind: 'signature',
    id: `rsa-pss-sha${bits}`,
    uri: `http://www.w3.org/2007/05/xmldsig-more#sha${bits}-rsa-MGF1`,
    status: 'current',
    clause: 'RFC 9231 §2.3.10',
    key: Object.freeze({ kind: 'RSA' }),
    // Without parameters: MGF1 with the digest's own hash, salt as long as the digest, trailer 0xBC.
    algorithm: Object.freeze({ name: 'RSA-PSS', hash, mgfHash: hash, saltLength: bits / 8 }),
  });

/** RSASSA-PSS, the identifiers that need no parameters. */
export const rsaPssAlgorithms: readonly SignatureDescriptor[] = Object.freeze([
  pss(256, 'SHA-256'),
  pss(384, 'SHA-384'),
  pss(512, 'SHA-512'),
]);
