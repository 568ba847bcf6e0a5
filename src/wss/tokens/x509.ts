import { binaryToken, binaryTokenOctets, binaryTokenText, x509Profile } from './binary.js';
import type { TokenModule } from './module.js';

/** One X.509 certificate (X.509 Token Profile 1.1.1 §3.1.1). */
export const x509v3Token: TokenModule = Object.freeze({
  name: 'X509v3',
  ...binaryToken,
  valueType: `${x509Profile}X509v3`,
  read: (doc, element, certificates) => {
    const text = binaryTokenText(doc, element);
    const certificate = certificates.recall(text) ?? certificates.read(binaryTokenOctets(doc, element), text);
    return { certificate, intermediates: [] };
  },
} satisfies TokenModule);
