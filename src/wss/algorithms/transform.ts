import type { TransformDescriptor } from './descriptor.js';

export const transformAlgorithms: readonly TransformDescriptor[] = Object.freeze([
  Object.freeze({
    kind: 'transform',
    id: 'enveloped-signature',
    uri: 'http://www.w3.org/2000/09/xmldsig#enveloped-signature',
    status: 'current',
    clause: 'XMLDSIG 1.1 §6.6.4',
    name: 'enveloped-signature',
  } satisfies TransformDescriptor),
  Object.freeze({
    kind: 'transform',
    id: 'str-transform',
    uri: 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-soap-message-security-1.0#STR-Transform',
    status: 'current',
    clause: 'WSS 1.1.1 §8.3',
    name: 'str-transform',
  } satisfies TransformDescriptor),
]);
