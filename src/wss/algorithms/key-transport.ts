import type { HashName } from '../../core/contracts.js';
import type { KeyTransportDescriptor, MgfDescriptor } from './descriptor.js';

const rsaKey = Object.freeze({ kind: 'RSA' } as const);

const mgf = (id: string, hash: HashName): MgfDescriptor =>
  Object.freeze({
    kind: 'mgf',
    id: `mgf1-${id}`,
    uri: `http://www.w3.org/2009/xmlenc11#mgf1${id}`,
    status: id === 'sha1' ? 'legacy' : 'current',
    clause: 'XMLENC 1.1 §5.5.2',
    hash,
  });

const transport = (record: Omit<KeyTransportDescriptor, 'kind' | 'key'>): KeyTransportDescriptor =>
  Object.freeze({ kind: 'key-transport', key: rsaKey, ...record });

export const keyTransportAlgorithms: readonly (KeyTransportDescriptor | MgfDescriptor)[] = Object.freeze([
  transport({
    id: 'rsa-oaep',
    uri: 'http://www.w3.org/2009/xmlenc11#rsa-oaep',
    status: 'current',
    clause: 'XMLENC 1.1 §5.5.2',
    name: 'RSA-OAEP',
    mgf: 'stated',
    defaultDigest: 'sha256',
  }),
  transport({
    id: 'rsa-oaep-mgf1p',
    uri: 'http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p',
    status: 'current',
    clause: 'XMLENC 1.1 §5.5.2',
    name: 'RSA-OAEP',
    mgf: 'sha1',
    defaultDigest: 'sha1',
  }),
  transport({
    id: 'rsa-1_5',
    uri: 'http://www.w3.org/2001/04/xmlenc#rsa-1_5',
    status: 'legacy',
    clause: 'XMLENC 1.1 §5.5.1',
    name: 'RSAES-PKCS1-v1_5',
    mgf: 'none',
    defaultDigest: undefined,
  }),
  mgf('sha1', 'SHA-1'),
  mgf('sha256', 'SHA-256'),
  mgf('sha384', 'SHA-384'),
  mgf('sha512', 'SHA-512'),
]);
