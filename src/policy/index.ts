/** Policy files: read, checked, explained, compiled. */
export type * from './config.js';
export { compile, type CompileContext, type CompiledConfig, type CompiledService } from './compile.js';
export { declareKey } from './compile-keys.js';
export { isReasonFor, nearestName, renderDiagnostic, type Diagnostic } from './diagnostics.js';
export {
  configurationFiles,
  isError,
  isServiceFile,
  loadConfig,
  shortName,
  type LoadedConfig,
  type LoadOptions,
  type RefusedService,
} from './load.js';
export type { PolicyTables } from './load-service.js';
export { verifyLabels } from './rules/service.js';
export { readSecret } from './secrets.js';
export { readSource } from './source.js';
