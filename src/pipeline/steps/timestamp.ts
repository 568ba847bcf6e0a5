import * as z from 'zod';
import { parseDuration } from '../../core/units.js';
import { createTimestamp } from '../../wss/timestamp.js';
import type { StepModule } from '../handler.js';
import { policyError } from '../policy-error.js';
import { duration } from './options.js';

export interface TimestampOptions {
  readonly ttl: string;
  readonly precision: 'ms' | 's';
}

const schema: z.ZodType<TimestampOptions> = z.strictObject({
  ttl: duration.default('300s'),
  precision: z.enum(['ms', 's']).default('ms'),
});

/** Writes the Timestamp (WSS 1.1.1 §10). */
export const timestamp: StepModule<TimestampOptions> = {
  name: 'timestamp',
  direction: 'outbound',
  summary: 'Says when the message was created and when it expires.',
  schema,
  example: { ttl: '300s', precision: 'ms' },
  faults: true,
  create(options, build) {
    const ttl = parseDuration(options.ttl);
    if (ttl < 1000)
      throw policyError('POLICY_INVALID', 'a Timestamp of less than a second is of no use', 'ttl');
    return {
      direction: 'outbound',
      label: build.label,
      run: ({ document, securityHeader, toolkit, now }) => {
        createTimestamp(document, securityHeader, { ttl, precision: options.precision }, toolkit, now);
      },
    };
  },
};
