import type { KeyFacts, Operation, SignatureAlgorithm } from './contract.js';

/** Whether `operation` goes with a key of this kind; true where no key is concerned. */
export function fitsKind(operation: Operation, key?: KeyFacts): boolean {
  return key === undefined || kindsFor(operation).includes(key.kind);
}

function kindsFor(operation: Operation): readonly KeyFacts['kind'][] {
  switch (operation.use) {
    case 'sign':
    case 'verify':
      return [signatureKinds[operation.algorithm.name]];
    case 'encrypt':
    case 'decrypt':
      return ['secret'];
    case 'wrapKey':
    case 'unwrapKey':
      return operation.algorithm.name === 'AES-KW' ? ['secret'] : ['RSA'];
    case 'digest':
      return [];
  }
}

/** The kind of key of each signature algorithm. */
export const signatureKinds: Readonly<Record<SignatureAlgorithm['name'], KeyFacts['kind']>> = {
  'RSASSA-PKCS1-v1_5': 'RSA',
  'RSA-PSS': 'RSA',
  ECDSA: 'EC',
  Ed25519: 'Ed25519',
  HMAC: 'secret',
};
