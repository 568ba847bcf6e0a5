/** The process that uses the PKCS#11 module for a test: a module that crashes must not take jest with it. */
import type { KeyHandle, SignatureAlgorithm, WrapAlgorithm } from '#src/providers/contract.js';
import { createOpenssl } from '#src/providers/openssl/provider.js';
import { createPkcs11, type HsmHome, type Pkcs11Provider } from '#src/providers/pkcs11/provider.js';

export type Question =
  | { readonly what: 'open'; readonly homes: readonly HsmHome[] }
  | {
      readonly what: 'sign';
      readonly key: number;
      readonly algorithm: SignatureAlgorithm;
      readonly data: Uint8Array;
    }
  | {
      readonly what: 'unwrap';
      readonly key: number;
      readonly algorithm: WrapAlgorithm;
      readonly wrapped: Uint8Array;
      readonly bits: number;
    }
  | { readonly what: 'facts' }
  | { readonly what: 'close' };

const publicOperations = createOpenssl().publicOperations!;
let provider: Pkcs11Provider | undefined;
const keys: KeyHandle[] = [];

async function answer(question: Question): Promise<unknown> {
  provider ??= createPkcs11({ digest: (hash, bytes) => publicOperations.digest(hash, bytes) });
  switch (question.what) {
    case 'open': {
      const { handle, spki, certificates } = await provider.openKey(question.homes);
      keys.push(handle);
      return { key: keys.length - 1, facts: { ...handle }, spki, certificates };
    }
    case 'sign':
      return provider.privateOperations!.sign(question.algorithm, keys[question.key]!, question.data);
    case 'unwrap': {
      const { algorithm, key, wrapped, bits } = question;
      return provider.privateOperations!.unwrapKey(algorithm, keys[key]!, wrapped, bits);
    }
    case 'facts':
      return { width: provider.privateOperations!.width };
    case 'close':
      await provider.close();
      provider = undefined;
      return undefined;
  }
}

process.on('message', ({ id, question }: { id: number; question: Question }) => {
  answer(question).then(
    (result) => process.send?.({ id, result }),
    (error: unknown) => {
      const { code, message, cause, details } = error as Record<string, unknown>;
      process.send?.({
        id,
        error: { code, message, cause: cause === undefined ? undefined : 'given', details },
      });
    },
  );
});
