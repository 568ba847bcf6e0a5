import type { SignatureDescriptor } from './descriptor.js';
import { hashedSignature } from './hashed.js';

const hmac = hashedSignature({ clause: 'XMLDSIG 1.1 §6.3.1', key: 'secret', name: 'HMAC' });

export const hmacAlgorithms: readonly SignatureDescriptor[] = Object.freeze([
  hmac('hmac-sha1', 'SHA-1', 'http://www.w3.org/2000/09/xmldsig#hmac-sha1', 'legacy'),
  hmac('hmac-sha256', 'SHA-256', 'http://www.w3.org/2001/04/xmldsig-more#hmac-sha256'),
  hmac('hmac-sha384', 'SHA-384', 'http://www.w3.org/2001/04/xmldsig-more#hmac-sha384'),
  hmac('hmac-sha512', 'SHA-512', 'http://www.w3.org/2001/04/xmldsig-more#hmac-sha512'),
]);
