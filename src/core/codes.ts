/**
 * The closed table of everything that can go wrong. A code is never reused and never changes its meaning;
 * each layer keeps its own part in `codes/`, and `countersign errors` prints the whole.
 */
import { configCodes } from './codes/config.js';
import { cryptoCodes } from './codes/crypto.js';
import type { CodeEntry } from './codes/entry.js';
import { gatewayCodes } from './codes/gateway.js';
import { wssCodes } from './codes/wss.js';
import { xmlCodes } from './codes/xml.js';

export type Code =
  | keyof typeof xmlCodes
  | keyof typeof cryptoCodes
  | keyof typeof wssCodes
  | keyof typeof configCodes
  | keyof typeof gatewayCodes;

export const codes: Readonly<Record<Code, CodeEntry>> = Object.freeze({
  ...xmlCodes,
  ...cryptoCodes,
  ...wssCodes,
  ...configCodes,
  ...gatewayCodes,
});
