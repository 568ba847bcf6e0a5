/** Crypto providers: the contract, the router, and what opens keys. */
export type * from './contract.js';
export type * from './keys.js';
export { createCrypto } from './router.js';
