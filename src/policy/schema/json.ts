/** JSON Schema (draft 7) of the files, for editors. The rules are zod's; this only draws them. */
import * as z from 'zod';
import type { StepModules } from '../chains.js';
import { gatewaySchema } from './gateway.js';
import { chainSchema, serviceSchema } from './service.js';

/** A JSON Schema. */
export type JsonSchema = Readonly<Record<string, unknown>>;

const draw = (schema: z.ZodType): JsonSchema => {
  const drawn = z.toJSONSchema(schema, { io: 'input', target: 'draft-7', unrepresentable: 'any' });
  return Object.fromEntries(Object.entries(drawn).filter(([key]) => key !== '$schema'));
};

const draft = 'http://json-schema.org/draft-07/schema#';

/** The gateway file. */
export function gatewayJsonSchema(): JsonSchema {
  const schema = draw(gatewaySchema);
  const services = { type: 'string', minLength: 1, default: 'services/*.yaml' };
  return {
    $schema: draft,
    title: 'Countersign gateway',
    ...schema,
    properties: { ...properties(schema), services },
  };
}

/** A service file; its steps are those of `modules`. */
export function serviceJsonSchema(modules: StepModules): JsonSchema {
  const schema = draw(serviceSchema);
  const chain = { $ref: '#/definitions/chain' };
  const steps = { type: 'array', items: { $ref: '#/definitions/step' } };
  const long = draw(chainSchema);
  return {
    $schema: draft,
    title: 'Countersign service',
    ...schema,
    required: ['path', 'upstream', 'request', 'response'],
    properties: { ...properties(schema), request: chain, response: chain },
    definitions: {
      chain: {
        anyOf: [steps, { ...long, required: ['steps'], properties: { ...properties(long), steps } }],
      },
      step: { anyOf: [...modules.values()].flatMap(stepSchemas) },
    },
  };
}

/** A step: a map with one key, or its bare name where nothing must be said. */
function stepSchemas(module: { name: string; summary: string; schema: z.ZodType }): JsonSchema[] {
  const { name, summary, schema } = module;
  const options = draw(schema);
  const map: JsonSchema = {
    type: 'object',
    description: summary,
    required: [name],
    additionalProperties: false,
    properties: { [name]: bare(schema) ? { anyOf: [options, { type: 'null' }] } : options },
  };
  return bare(schema) ? [{ const: name, description: summary }, map] : [map];
}

const bare = (schema: z.ZodType): boolean => schema.safeParse({}).success;

function properties(schema: JsonSchema): JsonSchema {
  const value = schema['properties'];
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
