/**
 * The providers that are built in, by the id that policies name. To add one: its folder and a line here. Each is loaded
 * when a configuration names it: what is not used is not paid for at start.
 */
import type { CryptoProvider } from './contract.js';
import type { Pkcs11Options, Pkcs11Provider } from './pkcs11/provider.js';

export const openssl = async (): Promise<CryptoProvider> =>
  (await import('./openssl/provider.js')).createOpenssl();
export const js = async (): Promise<CryptoProvider> => (await import('./js/provider.js')).createJs();
export const pkcs11 = async (options: Pkcs11Options): Promise<Pkcs11Provider> =>
  (await import('./pkcs11/provider.js')).createPkcs11(options);
