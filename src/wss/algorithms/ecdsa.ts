import type { HashName } from '../../core/contracts.js';
import type { SignatureDescriptor } from './descriptor.js';

const ecdsa = (id: string, hash: HashName): SignatureDescriptor =>
  Object.freeze({
    kind: 'signature',
    id,
    uri: `http://www.w3.org/2001/04/xmldsig-more#${id}`,
    status: 'current',
    clause: 'XMLDSIG 1.1 §6.4.3',
    key: Object.freeze({ kind: 'EC' }),
    // r and s side by side, each as long as the order of the group; never DER (XMLDSIG 1.1 §6.4.3).
    algorithm: Object.freeze({ name: 'ECDSA', hash, format: 'p1363' }),
  });

export const ecdsaAlgorithms: readonly SignatureDescriptor[] = Object.freeze([
  ecdsa('ecdsa-sha256', 'SHA-256'),
  ecdsa('ecdsa-sha384', 'SHA-384'),
  ecdsa('ecdsa-sha512', 'SHA-512'),
]);
