import type { Part } from '../wss/parts.js';
import type { Sibling, StepBuild } from './handler.js';
import { policyError } from './policy-error.js';

/** What an inbound step's parts may be. */
export interface InboundPartRules {
  /** The `verify` steps of the chain. */
  readonly verifies: readonly Sibling<{ readonly name?: string | undefined }>[];
  /** Whether `/content` is meant for this step. */
  readonly content: boolean;
}

/** Parses the parts that an inbound step requires. */
export function inboundParts(texts: readonly string[], build: StepBuild, rules: InboundPartRules): Part[] {
  return texts.map((text, index) => {
    const at = `parts.${index}`;
    const part = build.part(text, at);
    const { target } = part;
    if (target.kind === 'id') {
      throw policyError('POLICY_PARTS', 'the sender chooses ids: “#id” is for outbound steps only', at);
    }
    if (part.content && !rules.content) {
      throw policyError('POLICY_PARTS', 'a signature covers elements: /content is for decrypt', at);
    }
    if (target.kind === 'signature') checkSignature(target.name, build, rules, at);
    return part;
  });
}

function checkSignature(
  name: string | undefined,
  build: StepBuild,
  rules: InboundPartRules,
  at: string,
): void {
  const [first] = rules.verifies;
  const target = name === undefined ? first : rules.verifies.find(({ label }) => label === name);
  if (target === undefined) {
    const message = name === undefined ? 'there is no verify step' : `no verify step is named ${name}`;
    throw policyError('POLICY_PARTS', `${message}, so no signature to require`, at);
  }
  if (target.label === build.label) {
    throw policyError(
      'POLICY_PARTS',
      'a signature cannot cover itself: name another with signature/NAME',
      at,
    );
  }
}
