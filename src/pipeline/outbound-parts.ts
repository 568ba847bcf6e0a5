/** The parts that an outbound step treats. */
import { CountersignError } from '../core/errors.js';
import type { Part } from '../wss/parts.js';
import { selectPart } from '../wss/select.js';
import type { NodeId } from '../xml/index.js';
import type { Message } from './context.js';
import type { StepBuild, StepModule } from './handler.js';
import { partScope } from './parts.js';
import { policyError } from './policy-error.js';

/** The elements that a part of the policy names in a message. */
export interface FoundPart {
  readonly part: Part;
  readonly elements: readonly NodeId[];
}

/**
 * Parses the parts of an outbound step and checks that what they name can be there by then.
 *
 * @param makers the steps that make a Timestamp and a Signature
 */
export function outboundParts(
  texts: readonly string[],
  build: StepBuild,
  makers: { readonly timestamp: StepModule; readonly sign: readonly StepModule[] },
): Part[] {
  const isEarlier = (module: StepModule): boolean =>
    build.siblings(module).some((step) => step.position < build.position);
  return texts.map((text, index) => {
    const at = `parts.${index}`;
    const part = build.part(text, at);
    const { target } = part;
    // A client's own header may bring a Timestamp along.
    if (target.kind === 'timestamp' && build.header.existing === 'refuse' && !isEarlier(makers.timestamp)) {
      throw policyError('POLICY_ORDER', 'there is no timestamp step before this one', at);
    }
    if (target.kind === 'signature') {
      if (target.name !== undefined) {
        throw policyError(
          'POLICY_PARTS',
          'outbound, signature is that of the nearest earlier sign and takes no name',
          at,
        );
      }
      if (!makers.sign.some(isEarlier))
        throw policyError('POLICY_ORDER', 'there is no sign step before this one', at);
    }
    return part;
  });
}

/**
 * Finds the parts in a message.
 *
 * @throws CountersignError PART_MISSING
 */
export function findParts(message: Message, parts: readonly Part[], verb: string): FoundPart[] {
  const scope = partScope(message);
  const found: FoundPart[] = [];
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index] as Part;
    const elements = selectPart(scope, part);
    if (elements.length > 0) found.push({ part, elements });
    else if (!mayBeAbsent(part, message)) throw missing(part.text, index, verb);
  }
  if (found.length === 0) throw missing(parts.map(({ text }) => text).join(', '), 0, verb);
  return found;
}

/** Of a fault only Body and Timestamp must be there (design/policy.md, Parts). */
function mayBeAbsent({ optional, target }: Part, { facts }: Message): boolean {
  return optional || (facts.fault && target.kind !== 'body' && target.kind !== 'timestamp');
}

function missing(text: string, index: number, verb: string): CountersignError {
  return new CountersignError('PART_MISSING', `${text} is not in the message and cannot be ${verb}`, {
    details: { at: `parts.${index}`, remedy: 'The sender must add it, or mark it with ? at' },
  });
}
