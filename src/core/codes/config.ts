/** Configuration and policy files. */
export const configCodes = {
  CONFIG_UNREADABLE: { kind: 'start-up', summary: 'A configuration file is missing or cannot be read.' },
  CONFIG_SYNTAX: { kind: 'start-up', summary: 'A configuration file is not valid YAML.' },
  CONFIG_INVALID: {
    kind: 'start-up',
    summary: 'A configuration file does not say what the schema asks for.',
  },
  POLICY_INVALID: { kind: 'start-up', summary: 'A policy is well-formed but cannot work as written.' },
  USAGE: { kind: 'start-up', summary: 'The command was called with wrong arguments.' },
} as const;
