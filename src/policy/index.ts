/** Policy files: read, checked, explained, compiled. */
export type * from './config.js';
export {
  compile,
  isSound,
  type CompileContext,
  type CompiledConfig,
  type CompiledService,
} from './compile.js';
export { nearestName, renderDiagnostic, type Diagnostic } from './diagnostics.js';
export {
  isError,
  loadConfig,
  shortName,
  type LoadedConfig,
  type LoadOptions,
  type RefusedService,
} from './load.js';
export type { PolicyTables } from './load-service.js';
export { readSecret } from './secrets.js';
