import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  base64Length,
  Base64Decoder,
  concat,
  decodeBase64,
  equal,
  equalConstantTime,
  PIECE,
  toHex,
  writeBase64,
} from '#src/core/bytes.js';

const text = (bytes: Uint8Array | undefined): string | undefined =>
  bytes === undefined ? undefined : Buffer.from(bytes).toString('latin1');

describe('base64', () => {
  it('gives back what was encoded, for every length around a piece', () => {
    for (const length of [0, 1, 2, 3, 4, 5, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE + 2]) {
      const bytes = Buffer.alloc(length, 0xa7);
      const encoded = new Uint8Array(base64Length(length));
      expect(writeBase64(bytes, encoded)).toBe(encoded.length);
      expect(text(encoded)).toBe(bytes.toString('base64'));
      expect(equal(decodeBase64(encoded) ?? Buffer.from('x'), bytes)).toBe(true);
    }
  });

  it('takes white space anywhere and text in pieces', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.integer({ min: 1, max: 80 }), (bytes, width) => {
        const lines =
          Buffer.from(bytes)
            .toString('base64')
            .match(new RegExp(`.{1,${width}}`, 'g')) ?? [];
        const joined = decodeBase64(` ${lines.join('\r\n\t')}\n`);
        expect(joined !== undefined && equal(joined, bytes)).toBe(true);
        const decoder = new Base64Decoder(lines.join('').length);
        for (const line of lines) expect(decoder.write(Buffer.from(line))).toBe(true);
        expect(equal(decoder.end() ?? Buffer.from('x'), bytes)).toBe(true);
      }),
    );
  });

  it.each([
    'Q',
    'QQ',
    'QQ=',
    'QUI',
    'QR==',
    'QUJ=',
    'QQ==QQ==',
    'QQ===',
    '=QQ=',
    'Q=Q=',
    'QUJD-_8=',
    'QUJD*',
    'QUJDé',
    '====',
  ])('refuses %s', (bad) => expect(decodeBase64(bad)).toBeUndefined());

  it.each(['', 'QQ==', 'QUI=', 'QUJD', 'Q Q = ='])('accepts %s', (good) =>
    expect(text(decodeBase64(good))).toBe(Buffer.from(good, 'base64').toString('latin1')),
  );
});

describe('base64 of long texts', () => {
  const text4 = (count: number): string => 'QUJD'.repeat(count);
  it.each([
    ['white space at the end', `${text4(20_000)}\n`, true],
    ['a line break in the middle', `${text4(10_000)}\n${text4(10_000)}QQ==`, true],
    ['a line break within a group', `${text4(10_000)}QU\nJD${text4(10_000)}`, true],
    ['padding in the middle of a piece', `${text4(5000)}QQ==${text4(20_000)}`, false],
    ['padding at the end of a piece', `${text4(PIECE / 4 - 1)}QQ==${text4(20_000)}`, false],
    ['junk in the middle', `${text4(5000)}QU*D${text4(20_000)}`, false],
    ['base64url', `${text4(5000)}-_-_${text4(20_000)}`, false],
    ['a byte over 127', `${text4(5000)}QU\u00e9D${text4(20_000)}`, false],
    ['a group cut short', `${text4(20_000)}QUJ`, false],
    ['unused bits that are set', `${text4(20_000)}QR==`, false],
  ])('%s', (_, written, good) => {
    const decoded = decodeBase64(Buffer.from(written, 'latin1'));
    expect(decoded !== undefined).toBe(good);
    if (decoded !== undefined) expect(equal(decoded, Buffer.from(written, 'base64'))).toBe(true);
  });
});

describe('hexadecimal, comparison, joining', () => {
  it('writes hexadecimal', () => {
    expect(toHex(Buffer.from('\u0000ÿ', 'latin1'))).toBe('00ff');
  });

  it('compares', () => {
    const joined = concat(Buffer.from('ab'), Buffer.from('c'));
    expect(text(joined)).toBe('abc');
    expect(equalConstantTime(joined, Buffer.from('abc'))).toBe(true);
    expect(equalConstantTime(joined, Buffer.from('abd'))).toBe(false);
    expect(equalConstantTime(joined, Buffer.from('ab'))).toBe(false);
  });
});
