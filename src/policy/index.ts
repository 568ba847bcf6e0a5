/** Policy files: read, checked, explained, compiled. */
export type * from './config.js';
export { nearestName, renderDiagnostic, type Diagnostic } from './diagnostics.js';
export { readSecret } from './secrets.js';
