/** MIME messages: finds the parts of multipart/related. */
export { readRelated, type RelatedMessage, type RelatedPart } from './related.js';
