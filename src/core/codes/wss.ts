/** WS-Security processing of one message. */
export const wssCodes = {
  NOT_SOAP: { kind: 'bad-message', summary: 'The message is not a SOAP envelope.' },
  SOAP_VERSION: { kind: 'version-mismatch', summary: 'The envelope is of an unknown SOAP version.' },
  SOAP_STRUCTURE: {
    kind: 'bad-message',
    summary: 'The envelope is not built as SOAP says (Header, Body, nothing else).',
  },
  MUST_UNDERSTAND: {
    kind: 'must-understand',
    summary: 'A header that must be understood is addressed to the gateway and is not known to it.',
  },
  HEADER_MISSING: { kind: 'failed-check', summary: 'There is no Security header for this role.' },
  HEADER_DUPLICATE: {
    kind: 'failed-check',
    summary: 'There is more than one Security header for this role.',
  },
  HEADER_EXISTS: { kind: 'bad-message', summary: 'The message already has a Security header for this role.' },
  HEADER_CHILD_UNEXPECTED: {
    kind: 'failed-check',
    summary: 'The Security header has a child that no step of the policy takes.',
  },
  SECURITY_STRUCTURE: {
    kind: 'failed-check',
    summary: 'A security element is not built as its schema says.',
  },
  SECURITY_LIMIT: {
    kind: 'failed-check',
    summary: 'There are more signatures, references, keys or encrypted parts than the limits allow.',
  },
  TIMESTAMP_MISSING: { kind: 'failed-check', summary: 'There is no Timestamp.' },
  TIMESTAMP_DUPLICATE: { kind: 'failed-check', summary: 'There is more than one Timestamp.' },
  TIMESTAMP_FORMAT: {
    kind: 'failed-check',
    summary: 'A time is not written as UTC in the form that the profile asks for.',
  },
  TIMESTAMP_ORDER: { kind: 'failed-check', summary: 'The Timestamp expires before it was created.' },
  TIMESTAMP_FUTURE: { kind: 'failed-check', summary: 'The Timestamp lies in the future.' },
  TIMESTAMP_EXPIRED: { kind: 'expired', summary: 'The message has expired or is too old.' },
  TIMESTAMP_EXPIRES_MISSING: { kind: 'failed-check', summary: 'The Timestamp does not say when it expires.' },
  SIGNATURE_MISSING: { kind: 'failed-check', summary: 'There is no Signature that the policy asks for.' },
  SIGNATURE_UNEXPECTED: { kind: 'failed-check', summary: 'There is a Signature that no verify step takes.' },
  SIGNATURE_INVALID: {
    kind: 'failed-check',
    summary: 'The SignatureValue does not fit the SignedInfo and the key.',
  },
  DIGEST_MISMATCH: { kind: 'failed-check', summary: 'A signed part has been changed: its digest differs.' },
  REFERENCE_UNRESOLVED: { kind: 'failed-check', summary: 'A reference names no element of the message.' },
  REFERENCE_FORBIDDEN: { kind: 'failed-check', summary: 'A reference is of a form that is not allowed.' },
  TRANSFORM_DENIED: { kind: 'failed-check', summary: 'A transform or canonicalisation is not allowed.' },
  TOKEN_MALFORMED: { kind: 'failed-check', summary: 'A security token cannot be read.' },
  TOKEN_UNSUPPORTED: { kind: 'failed-check', summary: 'A security token is of a kind that is not enabled.' },
  TOKEN_UNAVAILABLE: {
    kind: 'failed-check',
    summary: 'A reference names a security token that cannot be found.',
  },
  TOKEN_AMBIGUOUS: { kind: 'failed-check', summary: 'A reference names more than one security token.' },
  PART_NOT_SIGNED: { kind: 'failed-check', summary: 'A part that must be signed is not covered.' },
  PART_NOT_ENCRYPTED: { kind: 'failed-check', summary: 'A part that must be encrypted is not.' },
  PART_MISSING: { kind: 'failed-check', summary: 'A part that the policy names is not in the message.' },
  PROTECTION_ORDER: {
    kind: 'failed-check',
    summary: 'Signature and encryption were applied in an order that the policy does not accept.',
  },
  ENCRYPTION_UNAUTHENTICATED: {
    kind: 'failed-check',
    summary: 'CBC ciphertext is not covered by a verified signature.',
  },
  REPLAYED: { kind: 'failed-check', summary: 'The message has been received before.' },
  REPLAY_BEFORE_START: {
    kind: 'failed-check',
    summary: 'The message was created before the gateway started, so that a replay could not be told.',
  },
  REPLAY_STORE_FULL: { kind: 'unavailable', summary: 'The replay store is full or cannot be reached.' },
  BODY_UNEXPECTED: {
    kind: 'failed-check',
    summary: 'The first child of the Body is not the one that the policy names.',
  },
  REQUEST_SIGNER_MISSING: {
    kind: 'operator-error',
    summary: 'There is no certificate of a request signer to encrypt to.',
  },
} as const;
