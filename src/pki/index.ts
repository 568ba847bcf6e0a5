/** Certificates: reading, names, path building and validation. No crypto here: `digest` and `verify` are arguments. */
export { parseCertificate } from './certificate.js';
export { equalNames } from './names.js';
export {
  issuerSerialMatches,
  matchesSubject,
  matchesWrittenName,
  type NamePattern,
  parseName,
} from './patterns.js';
export { validatePath } from './path.js';
export { keyIdentifier, matchesKeyIdentifier, thumbprint } from './identifiers.js';
export type { Certificate, DistinguishedName, PathOptions } from './types.js';
