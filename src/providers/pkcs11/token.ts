import { CountersignError } from '../../core/errors.js';
import { decryptFailed, providerFailed } from '../failures.js';
import { type Handle, type Mechanism, type Module, returnValue, unavailable } from './library.js';

export const NAME = 'pkcs11';

/** Return values that say that a device, a session or the log-in is gone; everything else is about the data. */
const deviceTrouble: ReadonlySet<number> = new Set([
  0x02, 0x30, 0x31, 0x32, 0x50, 0x51, 0x54, 0xb0, 0xb1, 0xb3, 0xb4, 0xe0, 0xe1, 0xe2, 0x101, 0x190,
]);
const PIN_WRONG: ReadonlySet<number> = new Set([0xa0, 0xa1, 0xa2]);
const ALREADY_LOGGED_IN = 0x100;
/** CKS_RO_USER_FUNCTIONS: a read-only session of a user who has logged in. */
const LOGGED_IN = 1;

/** Which token, and how to log in. */
export interface TokenAddress {
  readonly token: string;
  readonly pin: string;
}

/**
 * A logged-in token with its sessions. PKCS#11 runs one operation at a time per session, so a pool of them decides
 * how many run at once.
 */
export class Token {
  readonly label: string;
  readonly mechanisms: ReadonlySet<number>;
  readonly module: Module;
  readonly #slot: Handle;
  readonly #pin: string;
  readonly #limit: number;
  /** Kept open: closing the last session would log out (PKCS #11 v3.0 §5.6). */
  #base: Handle;
  readonly #free: Handle[] = [];
  readonly #waiting: ((session: Handle | undefined) => void)[] = [];
  #open = 0;

  /** @throws CountersignError PROVIDER_UNAVAILABLE, KEY_PASSWORD_WRONG */
  constructor(module: Module, { token, pin }: TokenAddress, sessions: number) {
    this.module = module;
    this.label = token;
    this.#pin = pin;
    this.#limit = sessions;
    this.#slot = slotOf(module, token);
    this.mechanisms = new Set(module.api.C_GetMechanismList(this.#slot));
    this.#base = this.#session();
    this.#login();
  }

  /** Sessions that are in use or waited for. */
  get load(): number {
    return this.#open - this.#free.length + this.#waiting.length;
  }

  /** Runs `work` on the session that finds objects and reads attributes. Synchronous. */
  inspect<T>(work: (session: Handle) => T): T {
    return work(this.#base);
  }

  /** @throws CountersignError PROVIDER_FAILED */
  async sign(mechanism: Mechanism, key: Handle, data: Uint8Array, size: number): Promise<Uint8Array> {
    const { api } = this.module;
    try {
      return await this.#use(async (session) => {
        api.C_SignInit(session, mechanism, key);
        return api.C_SignAsync(session, Buffer.from(data), Buffer.alloc(size));
      });
    } catch (error) {
      throw providerFailed(NAME, `to sign on token ${this.label}`, error);
    }
  }

  /**
   * @returns undefined when the token does not take the mechanism's parameters, which it says before it sees any data
   * @throws CountersignError DECRYPT_FAILED, PROVIDER_FAILED when the device is in trouble
   */
  async decrypt(
    mechanism: Mechanism,
    key: Handle,
    data: Uint8Array,
    size: number,
  ): Promise<Uint8Array | undefined> {
    const { api } = this.module;
    try {
      return await this.#use(async (session) => {
        try {
          api.C_DecryptInit(session, mechanism, key);
        } catch (error) {
          if (deviceTrouble.has(returnValue(error) ?? 0x30)) throw error;
          return undefined;
        }
        return api.C_DecryptAsync(session, Buffer.from(data), Buffer.alloc(size));
      });
    } catch (error) {
      if (!deviceTrouble.has(returnValue(error) ?? 0x30)) throw decryptFailed();
      throw providerFailed(NAME, `to decrypt on token ${this.label}`, error);
    }
  }

  close(): void {
    const { api } = this.module;
    for (const session of [...this.#free.splice(0), this.#base]) api.C_CloseSession(session);
  }

  async #use<T>(work: (session: Handle) => Promise<T>): Promise<T> {
    const session = await this.#take();
    let sound = false;
    try {
      const result = await work(session);
      sound = true;
      return result;
    } finally {
      this.#give(session, sound);
    }
  }

  async #take(): Promise<Handle> {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    if (this.#open >= this.#limit) {
      const handed = await new Promise<Handle | undefined>((resolve) => this.#waiting.push(resolve));
      // A place without a session: the one before it was thrown away.
      if (handed !== undefined) return handed;
    } else {
      this.#open++;
    }
    try {
      return this.#fresh();
    } catch (error) {
      this.#passOn(undefined);
      throw error;
    }
  }

  /** A session after a failure may still hold an operation: it is closed, and the next one starts clean. */
  #give(session: Handle, sound: boolean): void {
    if (sound) {
      this.#passOn(session);
      return;
    }
    try {
      this.module.api.C_CloseSession(session);
    } catch {
      // It is gone already.
    }
    this.#passOn(undefined);
  }

  #passOn(session: Handle | undefined): void {
    const next = this.#waiting.shift();
    if (next !== undefined) next(session);
    else if (session !== undefined) this.#free.push(session);
    else this.#open--;
  }

  /** A new session; if the token was away meanwhile, logs in again. */
  #fresh(): Handle {
    const session = this.#session();
    const { api } = this.module;
    if (api.C_GetSessionInfo(session).state === LOGGED_IN) return session;
    this.#base = session;
    this.#login();
    return this.#session();
  }

  #session(): Handle {
    const { api, library } = this.module;
    try {
      return api.C_OpenSession(this.#slot, library.CKF_SERIAL_SESSION);
    } catch (cause) {
      throw unavailable(`token ${this.label} gives no session`, cause, { token: this.label });
    }
  }

  #login(): void {
    const { api, library } = this.module;
    try {
      api.C_Login(this.#base, library.CKU_USER, this.#pin);
    } catch (cause) {
      const code = returnValue(cause);
      if (code === ALREADY_LOGGED_IN) return;
      if (code !== undefined && PIN_WRONG.has(code)) {
        throw new CountersignError('KEY_PASSWORD_WRONG', `the PIN does not open token ${this.label}`, {
          cause,
          details: { token: this.label },
        });
      }
      throw unavailable(`token ${this.label} refuses the log-in`, cause, { token: this.label });
    }
  }
}

/** Slot numbers change from run to run; the label is the token's name. */
function slotOf({ api, path }: Module, label: string): Handle {
  const found: Handle[] = [];
  const others: string[] = [];
  for (const slot of api.C_GetSlotList(true)) {
    const name = api.C_GetTokenInfo(slot).label.replace(/[\s\0]+$/u, '');
    if (name === label) found.push(slot);
    else if (name !== '') others.push(name);
  }
  const [slot] = found;
  if (slot !== undefined && found.length === 1) return slot;
  const reason = found.length > 1 ? 'several tokens' : 'no token';
  const there = others.length === 0 ? 'it has none' : `it has ${others.join(', ')}`;
  throw unavailable(`${reason} of ${path} labelled ${label}; ${there}`, undefined, {
    module: path,
    token: label,
  });
}
