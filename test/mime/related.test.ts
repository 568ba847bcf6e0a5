import { describe, expect, it } from '@jest/globals';
import { readRelated } from '#src/mime/index.js';

const message = (text: string): Buffer => Buffer.from(text.replaceAll('\n', '\r\n'), 'latin1');
const two =
  '--b\nContent-Type: text/xml\nContent-ID: <root>\n\n<a/>\n--b\nContent-ID: <pic>\n\n\xff\n\n--b--\n';
const read = (text: string, more: Record<string, string> = {}): string => {
  const bytes = message(text);
  const { root, parts } = readRelated(bytes, new Map(Object.entries({ boundary: 'b', ...more })));
  return `${parts.length} ${bytes.toString('latin1', root.start, root.end)}`;
};

describe('readRelated', () => {
  it('finds the root: the first part, or the one that start names', () => {
    expect(read(two)).toBe('2 <a/>');
    expect(read(two, { start: '<root>' })).toBe('2 <a/>');
    expect(read(two, { start: 'root' })).toBe('2 <a/>');
    expect(read(two, { start: '<pic>' })).toBe('2 \xff\r\n');
    expect(read(`\n${two}`)).toBe('2 <a/>');
    expect(read('--b  \n\n--x--b--c\n--b--')).toBe('1 --x--b--c');
  });

  it.each(['\n', '\r'])('refuses a boundary behind a line break that is %j alone', (lineBreak) => {
    const bytes = (text: string): Buffer => Buffer.from(`--b\r\n\r\n<a>${text}</a>\r\n--b--`);
    const parse = (text: string): unknown => readRelated(bytes(text), new Map([['boundary', 'b']]));
    expect(parse('x--b')).toMatchObject({ parts: [{}] });
    expect(() => parse(`${lineBreak}--b`)).toThrow(expect.objectContaining({ code: 'MIME_MALFORMED' }));
  });

  it.each([
    ['no boundary', two, { boundary: '' }],
    ['a boundary that is too long', two, { boundary: 'b'.repeat(71) }],
    ['another boundary', two, { boundary: 'c' }],
    ['a preamble', `hello\n${two}`, {}],
    ['no end', two.replace('--b--', '--b'), {}],
    ['a tail', `${two}more`, {}],
    [
      'a boundary with something behind it',
      two.replace('--b\nContent-ID', '--bb\nContent-ID').replace('--b--', '--b x'),
      {},
    ],
    ['a header twice', two.replace('Content-ID: <root>', 'Content-Type: text/plain'), {}],
    ['a folded header', two.replace('Content-ID: <root>', ' folded'), {}],
    ['a start that names nothing', two, { start: '<none>' }],
    ['a start that names two', two.replace('<pic>', '<root>'), { start: '<root>' }],
    ['too many parts', `${'--b\n\nx\n'.repeat(51)}--b--`, {}],
    [
      'too many headers',
      `--b\n${Array.from({ length: 52 }, (_, i) => `X-${i}: 1\n`).join('')}\n<a/>\n--b--`,
      {},
    ],
  ])('refuses %s', (_name, text, more) => {
    expect(() => read(text, more)).toThrow(expect.objectContaining({ code: 'MIME_MALFORMED' }));
  });
});
