import * as z from 'zod';
import { CountersignError } from '../../core/errors.js';
import type { Part } from '../../wss/parts.js';
import { selectPart } from '../../wss/select.js';
import { NONE } from '../../xml/index.js';
import type { Message } from '../context.js';
import type { ElementName, StepModule } from '../handler.js';
import { partScope } from '../parts.js';
import { policyError } from '../policy-error.js';
import { parts } from './options.js';

export interface RequireOptions {
  readonly present: readonly string[];
  readonly body?: string | undefined;
}

const schema: z.ZodType<RequireOptions> = z.strictObject({
  present: parts.default([]),
  body: z.string().min(1, 'a name such as o:order').optional(),
});

/** Content checks, on the message as it was verified and decrypted. */
export const require: StepModule<RequireOptions> = {
  name: 'require',
  direction: 'inbound',
  summary: 'Requires parts to be present and the Body to begin with a named element.',
  schema,
  example: { present: ['header/{http://www.w3.org/2005/08/addressing}Action'], body: '{urn:orders}order' },
  repeatable: true,
  create(options, build) {
    if (options.present.length === 0 && options.body === undefined) {
      throw policyError('POLICY_INVALID', 'require asks for nothing', '');
    }
    const present = options.present.map((text, index) =>
      presentPart(build.part(text, `present.${index}`), index),
    );
    const first = options.body === undefined ? undefined : build.name(options.body, 'body');
    return {
      direction: 'inbound',
      label: build.label,
      finish: (message) => {
        checkPresent(message, present);
        if (first !== undefined) checkBody(message, first, options.body ?? '');
      },
    };
  },
};

function presentPart(part: Part, index: number): Part {
  const { kind } = part.target;
  if ((kind === 'header' || kind === 'body-path') && !part.content && !part.optional) return part;
  const message = `present takes header/… and body/… without /content and ?, not “${part.text}”`;
  throw policyError('POLICY_PARTS', message, `present.${index}`);
}

function checkPresent(message: Message, present: readonly Part[]): void {
  for (const [index, part] of present.entries()) {
    if (selectPart(partScope(message), part).length > 0) continue;
    throw new CountersignError('PART_MISSING', `${part.text} is not in the message`, {
      details: { at: `present.${index}`, remedy: 'The sender must add it, or remove it from' },
    });
  }
}

function checkBody({ document, envelope, facts }: Message, wanted: ElementName, text: string): void {
  if (facts.fault) return;
  const first = document.firstChild(envelope.body);
  if (first !== NONE && document.is(first, wanted.namespace, wanted.local)) return;
  throw new CountersignError('BODY_UNEXPECTED', `the Body does not begin with ${text}`, {
    details: { at: 'body', found: `Found: ${facts.operation ?? 'nothing'}` },
  });
}
