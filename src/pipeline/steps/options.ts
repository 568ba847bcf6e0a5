/** Pieces of the step modules' option schemas. Messages say what was expected. */
import * as z from 'zod';
import { namePattern, nameRule, nameText } from '../../core/names.js';
import { durationPattern } from '../../core/units.js';

/** Names of keys, trusts and steps (design/policy.md). */
export const name: z.ZodType<string> = z.string(nameRule).regex(namePattern, nameRule);

/** A duration; it stays text, so that `expand` shows it as it is written. */
const durationRule = 'a duration such as 300s';
export const duration: z.ZodType<string> = z.string(durationRule).regex(durationPattern, durationRule);

/** Parts that may be none: what `decrypt` and `verify` require. */
export const parts: z.ZodType<readonly string[]> = z.array(z.string().min(1, 'a part such as body')).max(64);

/** Parts that outbound steps treat: at least one. */
export const someParts: z.ZodType<readonly string[]> = z
  .array(z.string().min(1, 'a part such as body'))
  .min(1, 'at least one part')
  .max(64);

/** How a key is named in the message. */
export const reference: z.ZodType<'direct' | 'issuer-serial' | 'ski' | 'thumbprint' | 'x509-data'> = z.enum([
  'direct',
  'issuer-serial',
  'ski',
  'thumbprint',
  'x509-data',
]);

/** A key, or whoever signed the request. */
export const recipient: z.ZodType<string> = z
  .string()
  .regex(
    new RegExp(`^(request-signer(\\/[a-z][a-z0-9#-]*)?|${nameText})$`),
    'a key, request-signer, or request-signer/NAME',
  );
