/** Crypto providers: the contract, the router, and what opens keys. */
export type * from './contract.js';
export type * from './keys.js';
export { parsePkcs11Uri } from './pkcs11/uri.js';
export { createCrypto } from './router.js';
export { isValid, selectForUse } from './rollover.js';
export { type KeyOpening, openKey } from './stores/open.js';
export { readCertificates } from './stores/read.js';
export { tokenOpener } from './stores/tokens.js';
export { openTlsKey, type TlsKey } from './stores/tls.js';
export type * from './stores/homes.js';
