import { z } from 'zod';
import type { StepModule } from '#src/pipeline/index.js';
import type { PolicyTables } from '#src/policy/index.js';
import * as algorithms from '#src/wss/algorithms/builtin.js';
import { makeAlgorithmTable } from '#src/wss/algorithms/table.js';

const parts = z.array(z.string());
const duration = z.string().regex(/^\d+(ms|s|m|h)$/, 'a duration such as 300s');

const step = (name: string, direction: 'inbound' | 'outbound', schema: z.ZodType): StepModule => ({
  name,
  direction,
  summary: name,
  schema,
  example: {},
  create: () => {
    throw new Error('not in this test');
  },
});

/** Steps with the options of policy.md; nothing behind them. */
const steps = [
  step('timestamp', 'outbound', z.strictObject({ ttl: duration.default('300s') })),
  step(
    'sign',
    'outbound',
    z.strictObject({ key: z.string(), parts, digest: z.enum(['sha256', 'sha1']).default('sha256') }),
  ),
  step('encrypt', 'outbound', z.strictObject({ to: z.string(), parts })),
  step('decrypt', 'inbound', z.strictObject({ key: z.string(), parts })),
  step(
    'verify',
    'inbound',
    z.strictObject({
      trust: z.string(),
      parts,
      name: z.string().optional(),
      optional: z.boolean().default(false),
    }),
  ),
  step('check-timestamp', 'inbound', z.strictObject({ skew: duration.default('60s') })),
  step('replay', 'inbound', z.strictObject({ keep: z.string().default('auto') })),
];

export const tables: PolicyTables = {
  steps: new Map(steps.map((each) => [each.name, each])),
  algorithms: makeAlgorithmTable(algorithms),
};
