/** A PKCS#11 provider that lives in a child process, for the contract suites. */
import { fork, type ChildProcess } from 'node:child_process';
import type { CryptoProvider, KeyHandle } from '#src/providers/contract.js';
import { createOpenssl } from '#src/providers/openssl/provider.js';
import { createPkcs11, type HsmHome } from '#src/providers/pkcs11/provider.js';
import type { Question } from './pkcs11-child.js';

export interface OpenedKey {
  readonly handle: KeyHandle & { readonly key: number };
  readonly spki: Uint8Array;
  readonly certificates: readonly Uint8Array[];
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export class Pkcs11Client {
  readonly provider: CryptoProvider;
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  #next = 0;

  /** @param environment added to this process's own */
  constructor(environment: Readonly<Record<string, string>>) {
    this.#child = fork(new URL('./pkcs11-child.js', import.meta.url), {
      env: { ...process.env, ...environment, NODE_OPTIONS: '' },
      execArgv: [],
      serialization: 'advanced',
    });
    this.#child.on('message', (message: { id: number; result?: unknown; error?: { code: string } }) => {
      const waiting = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      if (message.error === undefined) waiting?.resolve(message.result);
      else waiting?.reject(message.error);
    });
    this.#child.on('exit', (code, signal) => {
      for (const { reject } of this.#waiting.values())
        reject(new Error(`the child died (${code ?? signal ?? '?'})`));
    });
    const { publicOperations } = createOpenssl();
    const local = createPkcs11({ digest: (hash, bytes) => publicOperations!.digest(hash, bytes) });
    this.provider = {
      name: 'pkcs11',
      supports: (operation, key) => local.supports(operation, key),
      open: () => local.open(),
      close: () => this.ask({ what: 'close' }).then(() => undefined),
      privateOperations: {
        width: local.privateOperations!.width,
        sign: (algorithm, handle, data) =>
          this.ask({ what: 'sign', key: keyOf(handle), algorithm, data }) as Promise<Uint8Array>,
        unwrapKey: (algorithm, handle, wrapped, bits) =>
          this.ask({ what: 'unwrap', key: keyOf(handle), algorithm, wrapped, bits }) as Promise<Uint8Array>,
      },
    };
  }

  async open(...homes: HsmHome[]): Promise<OpenedKey> {
    const opened = (await this.ask({ what: 'open', homes })) as {
      key: number;
      facts: KeyHandle;
      spki: Uint8Array;
      certificates: Uint8Array[];
    };
    const { key, facts, spki, certificates } = opened;
    return { handle: { ...facts, key }, spki, certificates };
  }

  ask(question: Question): Promise<unknown> {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#child.send({ id, question });
    });
  }

  end(): void {
    this.#child.disconnect();
  }
}

function keyOf(handle: KeyHandle): number {
  if (!('key' in handle) || typeof handle.key !== 'number') throw new Error('not a key of the child');
  return handle.key;
}
