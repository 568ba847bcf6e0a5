import type { Clock } from '../core/clock.js';
import type { RandomSource } from '../core/contracts.js';

/** Crockford's base 32: letters and digits that are not mistaken for one another. */
const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_DIGITS = 10;
const RANDOM_BYTES = 10;

/**
 * Makes exchange ids: 26 letters and digits, 48 bits of time and 80 random ones, so that ids of one machine sort
 * by the millisecond in which they were made and nobody guesses the next.
 */
export function idSource(clock: Clock, random: RandomSource): () => string {
  let millis = -1;
  let prefix = '';
  return () => {
    const now = clock.now();
    if (now !== millis) {
      millis = now;
      prefix = timeDigits(now);
    }
    return prefix + randomDigits(random.bytes(RANDOM_BYTES));
  };
}

function timeDigits(millis: number): string {
  let text = '';
  let rest = Math.floor(millis);
  for (let i = 0; i < TIME_DIGITS; i++) {
    text = digits.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

/** Five bits a digit, eight digits from every five bytes. */
function randomDigits(bytes: Uint8Array): string {
  let text = '';
  let pending = 0;
  let bits = 0;
  for (const byte of bytes) {
    pending = (pending << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += digits.charAt((pending >> bits) & 31);
    }
    pending &= (1 << bits) - 1;
  }
  return text;
}
