import type { C14nDescriptor } from './descriptor.js';

const c14n = (record: Omit<C14nDescriptor, 'kind' | 'status'>): C14nDescriptor =>
  Object.freeze({ kind: 'c14n', status: 'current', ...record });

export const c14nAlgorithms: readonly C14nDescriptor[] = Object.freeze([
  c14n({
    id: 'exc-c14n',
    uri: 'http://www.w3.org/2001/10/xml-exc-c14n#',
    clause: 'Exclusive XML Canonicalization 1.0',
    algorithm: 'exclusive',
    comments: false,
  }),
  c14n({
    id: 'exc-c14n-comments',
    uri: 'http://www.w3.org/2001/10/xml-exc-c14n#WithComments',
    clause: 'Exclusive XML Canonicalization 1.0',
    algorithm: 'exclusive',
    comments: true,
  }),
  c14n({
    id: 'c14n',
    uri: 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315',
    clause: 'Canonical XML 1.0',
    algorithm: 'inclusive-1.0',
    comments: false,
  }),
  c14n({
    id: 'c14n-comments',
    uri: 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315#WithComments',
    clause: 'Canonical XML 1.0',
    algorithm: 'inclusive-1.0',
    comments: true,
  }),
  c14n({
    id: 'c14n11',
    uri: 'http://www.w3.org/2006/12/xml-c14n11',
    clause: 'Canonical XML 1.1',
    algorithm: 'inclusive-1.1',
    comments: false,
  }),
  c14n({
    id: 'c14n11-comments',
    uri: 'http://www.w3.org/2006/12/xml-c14n11#WithComments',
    clause: 'Canonical XML 1.1',
    algorithm: 'inclusive-1.1',
    comments: true,
  }),
]);
