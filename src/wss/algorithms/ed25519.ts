import type { SignatureDescriptor } from './descriptor.js';

export const ed25519Algorithms: readonly SignatureDescriptor[] = Object.freeze([
  Object.freeze({
    kind: 'signature',
    id: 'ed25519',
    uri: 'http://www.w3.org/2021/04/xmldsig-more#eddsa-ed25519',
    status: 'current',
    clause: 'RFC 9231 §2.3.12',
    key: Object.freeze({ kind: 'Ed25519' }),
    algorithm: Object.freeze({ name: 'Ed25519' }),
  } satisfies SignatureDescriptor),
]);
