import * as z from 'zod';
import { CountersignError } from '../../core/errors.js';
import { parseDuration } from '../../core/units.js';
import { checkTimestamp as judge, readTimestamp } from '../../wss/timestamp.js';
import { ns } from '../../xml/index.js';
import type { Message } from '../context.js';
import { factsOf } from '../evidence.js';
import type { StepModule } from '../handler.js';
import { policyError } from '../policy-error.js';
import { duration } from './options.js';
import { verify } from './verify.js';

export interface CheckTimestampOptions {
  readonly 'max-age': string;
  readonly skew: string;
  readonly signed: boolean;
  readonly expires: 'require' | 'optional' | 'ignore';
  readonly optional: boolean;
}

const schema: z.ZodType<CheckTimestampOptions> = z.strictObject({
  'max-age': duration.default('300s'),
  skew: duration.default('60s'),
  signed: z.boolean().default(true),
  expires: z.enum(['require', 'optional', 'ignore']).default('require'),
  optional: z.boolean().default(false),
});

/** Reads the Timestamp and judges it before any private key is used; requires it, signed, at the end. */
export const checkTimestamp: StepModule<CheckTimestampOptions> = {
  name: 'check-timestamp',
  direction: 'inbound',
  summary: 'Refuses messages that are too old, expired or from the future.',
  schema,
  example: { 'max-age': '300s', skew: '60s', signed: true, expires: 'require', optional: false },
  create(options, build) {
    const asksFor = (part: string): boolean => /^timestamp\??$/.test(part);
    const covered = build.siblings(verify).some((step) => step.options.parts.some(asksFor));
    if (options.signed && !covered) {
      const message = 'check-timestamp: { signed: true } needs timestamp in the parts of a verify step';
      throw policyError('POLICY_PARTS', message, 'signed');
    }
    const limits = {
      maxAge: parseDuration(options['max-age']),
      skew: parseDuration(options.skew),
      expires: options.expires,
    };
    return {
      direction: 'inbound',
      label: build.label,
      owns: {
        names: [{ namespace: ns.wsu, local: 'Timestamp' }],
        take(child, message) {
          if (factsOf(message.evidence, 'timestamp').length > 0) {
            throw new CountersignError(
              'TIMESTAMP_DUPLICATE',
              'the Security header has more than one Timestamp',
            );
          }
          const fact = readTimestamp(message.document, child, options.expires);
          judge(fact, limits, message.now);
          message.evidence.push(fact);
          return undefined;
        },
      },
      settle: (message) => settle(message, options),
    };
  },
};

function settle({ evidence, document }: Message, options: CheckTimestampOptions): void {
  const [fact] = factsOf(evidence, 'timestamp');
  if (fact === undefined) {
    if (options.optional) return;
    throw new CountersignError('TIMESTAMP_MISSING', 'the Security header has no Timestamp');
  }
  if (!options.signed) return;
  // Coverage is by identity: the very element whose times were judged lies inside an element that was signed.
  const isCovered = factsOf(evidence, 'signed').some(({ elements }) =>
    elements.some((element) => document.contains(element, fact.element)),
  );
  if (!isCovered) {
    throw new CountersignError('PART_NOT_SIGNED', 'timestamp is not covered', {
      details: { at: 'signed', remedy: 'The sender must sign it, or say signed: false at' },
    });
  }
}
