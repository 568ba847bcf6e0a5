/** The XML core: one parse over the bytes, a tree of byte offsets, edits, canonical forms, slices. */
export { Base64Writer } from './base64-writer.js';
export { canonicalize, type C14nOptions } from './c14n/canonicalize.js';
export type { C14nMethod } from './c14n/method.js';
export { isIdToken, isNcName } from './chars.js';
export { parseDocument, XmlDocument, type ParseOptions, type Rendered } from './document.js';
export type { IdRules } from './ids.js';
export type { Attribute } from './modify.js';
export { ns } from './names.js';
export { findEnvelope, type Envelope, type EnvelopeOptions } from './soap.js';
export { NONE, type NodeId } from './tree.js';
export { escapeAttribute, escapeText } from './write.js';
