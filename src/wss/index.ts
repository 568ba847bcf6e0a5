/** WS-Security on one message: the public API of the layer. */
export { parseAllow, type AllowEntry } from './allow.js';
export type * from './algorithms/descriptor.js';
export { makeAlgorithmTable, type AlgorithmModules, type AlgorithmTable } from './algorithms/table.js';
export {
  assertDecrypted,
  assertVerified,
  type DecryptRequirement,
  type Protection,
  type VerifyRequirement,
} from './assert.js';
export {
  compileConstraints,
  shortRsa,
  type AlgorithmConstraints,
  type ConstraintOptions,
  type ConstraintRow,
  type ExceptionUse,
} from './constraints.js';
export { ciphertextIsSigned } from './coverage.js';
export { Decryption, type DecryptCandidate, type DecryptionInput } from './encryption/decrypt.js';
export {
  encryptParts,
  type EncryptionRequest,
  type EncryptionScope,
  type EncryptionTarget,
} from './encryption/encrypt.js';
export type { Transport } from './encryption/encrypted-key.js';
export { makeTransport, type TransportOptions } from './encryption/transport.js';
export type * from './evidence.js';
export {
  checkMustUnderstand,
  findSecurityHeader,
  insertionPoint,
  openSecurityHeader,
  removeSecurityHeader,
  stripId,
  type HeaderPolicy,
  type SecurityHeader,
} from './header.js';
export { ensureId, idRules, newId } from './ids.js';
export { parsePart, type Part, type PartTarget } from './parts.js';
export {
  algorithmUses,
  profileNames,
  profiles,
  type AlgorithmUse,
  type ProfileEntry,
  type ProfileName,
} from './profiles.js';
export { readKeyInfo, readSecurityTokenReference } from './references/read.js';
export { matchingEntries, resolveCertificate } from './references/resolve.js';
export type * from './references/types.js';
export { writeKeyInfo, type WrittenReference } from './references/write.js';
export { automaticKeep, claimSignatures, type ReplayOptions, type ReplayStore } from './replay.js';
export { selectPart, type PartScope } from './select.js';
export { OctetBudget } from './signature/octets.js';
export { signParts, type Placement, type SignRequest } from './signature/sign.js';
export {
  checkReferences,
  openSignature,
  type OpenedSignature,
  type VerifyCandidate,
  type VerifyInput,
} from './signature/verify.js';
export {
  checkTimestamp,
  createTimestamp,
  findTimestamp,
  parseTime,
  readTimestamp,
  writeTime,
  type TimestampPolicy,
  type TimestampRequest,
} from './timestamp.js';
export { createCertificateReader, type CertificateReader } from './tokens/certificates.js';
export { indexTokens, TokenIndex } from './tokens/index-tokens.js';
export { makeTokenTable, type TokenModule, type TokenModules, type TokenTable } from './tokens/module.js';
export type { Toolkit } from './toolkit.js';
export { makeTrust, type Trust, type TrustedSigner, type TrustOptions, type TrustTools } from './trust.js';
