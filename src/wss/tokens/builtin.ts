/** The token kinds that come with Countersign. Re-exports and nothing else. */
export { x509PkiPathToken } from './x509-pkipath.js';
export { x509v3Token } from './x509.js';
