/** Configuration and policy files. */
export const configCodes = {
  CONFIG_UNREADABLE: { kind: 'start-up', summary: 'A configuration file is missing or cannot be read.' },
  CONFIG_SYNTAX: { kind: 'start-up', summary: 'A configuration file is not valid YAML.' },
  CONFIG_UNKNOWN_KEY: {
    kind: 'start-up',
    summary: 'A configuration file has a key that is not known at this place.',
  },
  CONFIG_INVALID: {
    kind: 'start-up',
    summary: 'A configuration file does not say what the schema asks for.',
  },
  CONFIG_UNKNOWN_NAME: {
    kind: 'start-up',
    summary: 'A configuration file names a key, trust, step, part or algorithm that does not exist.',
  },
  CONFIG_NOT_AVAILABLE: {
    kind: 'start-up',
    summary: 'A configuration file asks for something that this version does not do yet.',
  },
  CONFIG_DUPLICATE: { kind: 'start-up', summary: 'Two services have the same name or the same path.' },
  CONFIG_OPEN_DOOR: {
    kind: 'start-up',
    summary: 'A listener off loopback lets everybody in and the policy does not say that it may.',
  },
  CONFIG_WORKERS: {
    kind: 'start-up',
    summary: 'More than one worker cannot share a replay store that lives in memory.',
  },
  SECRET_UNAVAILABLE: {
    kind: 'start-up',
    summary: 'A password, PIN or token is not where the configuration says.',
  },
  POLICY_INVALID: { kind: 'start-up', summary: 'A policy is well-formed but cannot work as written.' },
  POLICY_ORDER: { kind: 'start-up', summary: 'The steps of a chain cannot work in this order.' },
  POLICY_PARTS: {
    kind: 'start-up',
    summary: 'A step does not say which parts it is about, or names a part that it cannot treat.',
  },
  POLICY_EMPTY_CHAIN: { kind: 'start-up', summary: 'An empty chain is not written as [].' },
  TRUST_TOO_WIDE: {
    kind: 'start-up',
    summary: 'Anchors without subjects accept every certificate of their CA, and the policy does not say so.',
  },
  WARN_NO_PARTS: { kind: 'warning', summary: 'A decrypt or verify step asks for no part: parts is [].' },
  WARN_OPTIONAL: {
    kind: 'warning',
    summary: 'Every verify step of a chain is optional: a message without any signature passes.',
  },
  WARN_SHORT_SUBJECT: {
    kind: 'warning',
    summary: 'A subject has one RDN only; subjects are compared complete.',
  },
  WARN_ANCHOR: {
    kind: 'warning',
    summary: 'An anchor is no CA certificate: it vouches for no certificate but itself.',
  },
  WARN_OPEN: { kind: 'warning', summary: 'A listener is open to everybody, as the policy says.' },
  WARN_ALGORITHM: { kind: 'warning', summary: 'The policy allows an algorithm that is not safe any more.' },
  WARN_OBSERVE: { kind: 'warning', summary: 'A chain only observes: what it would refuse is passed on.' },
  WARN_ATTACHMENTS: {
    kind: 'warning',
    summary: 'Attachments are passed on; they are neither signed nor encrypted.',
  },
  WARN_UNUSED: { kind: 'warning', summary: 'A key or trust is configured and nothing uses it.' },
  WARN_NO_SERVICES: { kind: 'warning', summary: 'No file fits the pattern of services.' },
  LISTEN_FAILED: { kind: 'start-up', summary: 'A listener cannot be opened at its host and port.' },
  USAGE: { kind: 'start-up', summary: 'The command was called with wrong arguments.' },
} as const;
