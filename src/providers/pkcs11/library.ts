/**
 * PKCS#11 modules. C_Initialize is once per module and process (PKCS #11 v3.0 §5.4), whoever asks: hence the one
 * piece of process-wide state of the product.
 */
import type * as Pkcs11Js from 'pkcs11js';
import { CountersignError } from '../../core/errors.js';

/** The pkcs11js package: constants and the class. */
export type Library = typeof Pkcs11Js;
export type Handle = Pkcs11Js.Handle;
export type Mechanism = Pkcs11Js.Mechanism;
export type PssParameter = Pkcs11Js.RsaPSS;
export type OaepParameter = Pkcs11Js.RsaOAEP;

/** One loaded module. */
export interface Module {
  readonly library: Library;
  readonly api: Pkcs11Js.PKCS11;
  readonly path: string;
  /** Finalises the module when nobody uses it any more. */
  release(): void;
}

interface Loaded {
  readonly library: Library;
  readonly api: Pkcs11Js.PKCS11;
  users: number;
}

const modules = new Map<string, Loaded>();

const ALREADY_INITIALIZED = 0x191;

/** The PKCS#11 return value in an error of pkcs11js; undefined for other errors. */
export function returnValue(error: unknown): number | undefined {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'number'
    ? error.code
    : undefined;
}

/** An error that says what is not there. */
export function unavailable(
  message: string,
  cause?: unknown,
  details: Readonly<Record<string, string>> = {},
): CountersignError {
  return new CountersignError('PROVIDER_UNAVAILABLE', message, {
    cause,
    details: { provider: 'pkcs11', ...details },
  });
}

/** @throws CountersignError PROVIDER_UNAVAILABLE when the optional package is not installed */
export async function loadLibrary(): Promise<Library> {
  try {
    const loaded = await import('pkcs11js');
    // A CommonJS package: everything is on `default`.
    return 'default' in loaded ? loaded.default : loaded;
  } catch (cause) {
    throw unavailable(
      'provider pkcs11 needs the package pkcs11js: npm install pkcs11js (it compiles; a C++ compiler and Python must be there)',
      cause,
    );
  }
}

/** Loads and initialises the module at `path`, or takes it as it is. @throws CountersignError PROVIDER_UNAVAILABLE */
export async function openModule(path: string): Promise<Module> {
  const library = await loadLibrary();
  let loaded = modules.get(path);
  if (loaded === undefined) {
    loaded = { library, api: initialise(library, path), users: 0 };
    modules.set(path, loaded);
  }
  const own = loaded;
  own.users++;
  let released = false;
  return {
    library: own.library,
    api: own.api,
    path,
    release() {
      if (released) return;
      released = true;
      own.users--;
      if (own.users > 0) return;
      modules.delete(path);
      own.api.C_Finalize();
      own.api.close();
    },
  };
}

function initialise(library: Library, path: string): Pkcs11Js.PKCS11 {
  const api = new library.PKCS11();
  try {
    api.load(path);
  } catch (cause) {
    throw unavailable(`the PKCS#11 module ${path} cannot be loaded`, cause, { module: path });
  }
  try {
    // Without the flag two operations at a time crash the process: pkcs11js works on several threads.
    api.C_Initialize({ flags: library.CKF_OS_LOCKING_OK });
  } catch (cause) {
    if (returnValue(cause) !== ALREADY_INITIALIZED) {
      throw unavailable(`the PKCS#11 module ${path} cannot be initialised`, cause, { module: path });
    }
  }
  return api;
}
