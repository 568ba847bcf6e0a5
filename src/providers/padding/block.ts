/**
 * Block padding of XML Encryption (1.1 §5.2): the last byte says how many bytes were added, the others may be
 * anything. We write them all equal, as PKCS#7 does, so that strict readers of other stacks accept them too.
 */
import { concat, EMPTY } from '../../core/bytes.js';
import type { Cipher } from '../contract.js';
import { decryptFailed } from '../failures.js';

/** The padding for `length` bytes of plaintext: 1 to `block` bytes. */
export function blockPadding(length: number, block: number): Uint8Array {
  const count = block - (length % block);
  return new Uint8Array(count).fill(count);
}

/**
 * How many bytes of padding the last block of plaintext has.
 *
 * @throws CountersignError DECRYPT_FAILED
 */
export function paddingOf(last: Uint8Array, block: number): number {
  const count = last[last.length - 1];
  if (last.length !== block || count === undefined || count < 1 || count > block) throw decryptFailed();
  return count;
}

/**
 * Gives whole blocks to `encrypt`, and the padded rest at the end.
 *
 * @param encrypt encrypts whole blocks, chaining from call to call
 */
export function paddedEncryptor(block: number, encrypt: (bytes: Uint8Array) => Uint8Array): Cipher {
  let rest = EMPTY;
  return {
    update(bytes) {
      const joined = rest.length === 0 ? bytes : concat(rest, bytes);
      const whole = joined.length - (joined.length % block);
      rest = new Uint8Array(joined.subarray(whole));
      return whole === 0 ? EMPTY : encrypt(joined.subarray(0, whole));
    },
    final: () => encrypt(concat(rest, blockPadding(rest.length, block))),
  };
}

/**
 * Gives whole blocks to `decrypt`, keeps the last one back and takes its padding off at the end.
 *
 * @param decrypt decrypts whole blocks, chaining from call to call
 */
export function paddedDecryptor(block: number, decrypt: (bytes: Uint8Array) => Uint8Array): Cipher {
  let rest = EMPTY;
  return {
    update(bytes) {
      const joined = rest.length === 0 ? bytes : concat(rest, bytes);
      const keep = joined.length === 0 ? 0 : ((joined.length - 1) % block) + 1;
      rest = new Uint8Array(joined.subarray(joined.length - keep));
      return joined.length === keep ? EMPTY : decrypt(joined.subarray(0, joined.length - keep));
    },
    final() {
      if (rest.length !== block) throw decryptFailed();
      const last = decrypt(rest);
      return last.subarray(0, block - paddingOf(last, block));
    },
  };
}
