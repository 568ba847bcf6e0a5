/** Every provider of the product. */
export { createOpenssl } from './openssl/provider.js';
export { createJs } from './js/provider.js';
export { createPkcs11 } from './pkcs11/provider.js';
