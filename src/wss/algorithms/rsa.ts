import type { SignatureDescriptor } from './descriptor.js';
import { hashedSignature } from './hashed.js';

const more = 'http://www.w3.org/2001/04/xmldsig-more#';

const rsa = hashedSignature({ clause: 'XMLDSIG 1.1 §6.4.2', key: 'RSA', name: 'RSASSA-PKCS1-v1_5' });

/** RSA with the padding of PKCS#1 v1.5. */
export const rsaAlgorithms: readonly SignatureDescriptor[] = Object.freeze([
  rsa('rsa-sha1', 'SHA-1', 'http://www.w3.org/2000/09/xmldsig#rsa-sha1', 'legacy'),
  rsa('rsa-sha256', 'SHA-256', `${more}rsa-sha256`),
  rsa('rsa-sha384', 'SHA-384', `${more}rsa-sha384`),
  rsa('rsa-sha512', 'SHA-512', `${more}rsa-sha512`),
]);
