/** Providers, keys, certificates, algorithm constraints. */
export const cryptoCodes = {
  DECRYPT_FAILED: {
    kind: 'failed-check',
    summary: 'A key could not be unwrapped or data could not be decrypted.',
  },
  PROVIDER_FAILED: { kind: 'unavailable', summary: 'The crypto provider failed.' },
  PROVIDER_UNAVAILABLE: {
    kind: 'unavailable',
    summary: 'The crypto provider, its module or its token is not available.',
  },
  OPERATION_UNSUPPORTED: {
    kind: 'operator-error',
    summary: 'The provider does not offer this operation for this key.',
  },
  ALGORITHM_DENIED: {
    kind: 'failed-check',
    summary: 'The policy does not allow this algorithm for this use.',
  },
  ALGORITHM_EXPIRED: {
    kind: 'failed-check',
    summary: 'The policy allowed this algorithm until a date that has passed.',
  },
  ALGORITHM_UNKNOWN: { kind: 'failed-check', summary: 'The algorithm is not known.' },
  KEY_TOO_WEAK: {
    kind: 'failed-check',
    summary: 'The key is shorter than the policy allows, or of a kind it does not allow.',
  },
  CERTIFICATE_MALFORMED: { kind: 'failed-check', summary: 'A certificate cannot be read.' },
  CERTIFICATE_EXPIRED: { kind: 'failed-check', summary: 'A certificate has expired.' },
  CERTIFICATE_NOT_YET_VALID: { kind: 'failed-check', summary: 'A certificate is not valid yet.' },
  CERTIFICATE_UNTRUSTED: {
    kind: 'failed-check',
    summary: 'No path leads from the certificate to a configured anchor.',
  },
  CERTIFICATE_SUBJECT: {
    kind: 'failed-check',
    summary: 'The certificate is trusted, but its subject is not one that the policy names.',
  },
  CERTIFICATE_USAGE: { kind: 'failed-check', summary: 'The certificate may not be used for this purpose.' },
  KEY_FILE_UNREADABLE: {
    kind: 'start-up',
    summary: 'A key or certificate file is missing or cannot be read.',
  },
  KEY_FILE_MALFORMED: { kind: 'start-up', summary: 'A key or certificate file is not what it should be.' },
  KEY_PASSWORD_WRONG: { kind: 'start-up', summary: 'The password does not open the key file.' },
  KEY_PASSWORD_MISSING: {
    kind: 'start-up',
    summary: 'The key file needs a password, or the named source of it is empty.',
  },
  KEY_ALIAS_MISSING: { kind: 'start-up', summary: 'The key store has no entry of that name.' },
  KEY_MISMATCH: { kind: 'start-up', summary: 'The private key does not fit the certificate.' },
  KEY_HOME_MISSING: { kind: 'start-up', summary: 'The key has no home that the provider can use.' },
  KEY_CERTIFICATE_EXPIRED: { kind: 'start-up', summary: 'The certificate of a key has expired.' },
  KEY_CERTIFICATE_NOT_YET_VALID: { kind: 'start-up', summary: 'The certificate of a key is not valid yet.' },
  KEY_CERTIFICATE_MISSING: {
    kind: 'start-up',
    summary: 'There is no certificate next to a key on its token, and none in a file.',
  },
  SIGNER_CERTIFICATE_EXPIRED: {
    kind: 'operator-error',
    summary: 'The certificate of the key to sign with has expired.',
  },
  RECIPIENT_CERTIFICATE_EXPIRED: {
    kind: 'operator-error',
    summary: 'The certificate of the recipient has expired.',
  },
} as const;
