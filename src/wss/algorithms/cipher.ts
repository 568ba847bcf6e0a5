import type { CipherDescriptor, KeyWrapDescriptor } from './descriptor.js';

const gcm = (keyBits: number): CipherDescriptor =>
  Object.freeze({
    kind: 'cipher',
    id: `aes${keyBits}-gcm`,
    uri: `http://www.w3.org/2009/xmlenc11#aes${keyBits}-gcm`,
    status: 'current',
    clause: 'XMLENC 1.1 §5.2.4',
    name: 'AES-GCM',
    keyBits,
    ivLength: 12,
    tagLength: 16,
    authenticated: true,
  });

const cbc = (keyBits: number): CipherDescriptor =>
  Object.freeze({
    kind: 'cipher',
    id: `aes${keyBits}-cbc`,
    uri: `http://www.w3.org/2001/04/xmlenc#aes${keyBits}-cbc`,
    status: 'legacy',
    clause: 'XMLENC 1.1 §5.2.2',
    name: 'AES-CBC',
    keyBits,
    ivLength: 16,
    tagLength: 0,
    authenticated: false,
  });

const keyWrap = (keyBits: number): KeyWrapDescriptor =>
  Object.freeze({
    kind: 'key-wrap',
    id: `kw-aes${keyBits}`,
    uri: `http://www.w3.org/2001/04/xmlenc#kw-aes${keyBits}`,
    status: 'current',
    clause: 'XMLENC 1.1 §5.6.2',
    name: 'AES-KW',
    keyBits,
  });

export const cipherAlgorithms: readonly (CipherDescriptor | KeyWrapDescriptor)[] = Object.freeze([
  gcm(128),
  gcm(192),
  gcm(256),
  cbc(128),
  cbc(192),
  cbc(256),
  Object.freeze({
    kind: 'cipher',
    id: '3des-cbc',
    uri: 'http://www.w3.org/2001/04/xmlenc#tripledes-cbc',
    status: 'legacy',
    clause: 'XMLENC 1.1 §5.2.1',
    name: '3DES-CBC',
    keyBits: 192,
    ivLength: 8,
    tagLength: 0,
    authenticated: false,
  } satisfies CipherDescriptor),
  keyWrap(128),
  keyWrap(192),
  keyWrap(256),
]);
