import type { HashName } from '../../core/contracts.js';
import type { AlgorithmStatus, DigestDescriptor } from './descriptor.js';

const digest = (
  id: string,
  hash: HashName,
  length: number,
  where: { uri: string; clause: string; status?: AlgorithmStatus },
): DigestDescriptor =>
  Object.freeze({
    kind: 'digest',
    id,
    hash,
    length,
    uri: where.uri,
    clause: where.clause,
    status: where.status ?? 'current',
  });

export const digestAlgorithms: readonly DigestDescriptor[] = Object.freeze([
  digest('sha1', 'SHA-1', 20, {
    uri: 'http://www.w3.org/2000/09/xmldsig#sha1',
    clause: 'XMLDSIG 1.1 §6.2.1',
    status: 'legacy',
  }),
  digest('sha256', 'SHA-256', 32, {
    uri: 'http://www.w3.org/2001/04/xmlenc#sha256',
    clause: 'XMLDSIG 1.1 §6.2.2',
  }),
  digest('sha384', 'SHA-384', 48, {
    uri: 'http://www.w3.org/2001/04/xmldsig-more#sha384',
    clause: 'XMLDSIG 1.1 §6.2.3',
  }),
  digest('sha512', 'SHA-512', 64, {
    uri: 'http://www.w3.org/2001/04/xmlenc#sha512',
    clause: 'XMLDSIG 1.1 §6.2.4',
  }),
]);
