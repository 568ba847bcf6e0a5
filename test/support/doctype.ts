/** What is skipped as a whole in a document type: how it begins, how it ends. */
const whole: readonly (readonly [string, string])[] = [
  ['"', '"'],
  ["'", "'"],
  ['<!--', '-->'],
  ['<?', '?>'],
];

/** Cuts the document type declaration out of a text; undefined where it does not end as one. */
export function cutDoctype(text: string): string | undefined {
  const start = text.indexOf('<!DOCTYPE');
  if (start < 0) return text;
  let depth = 0;
  for (let at = start + 9; at < text.length; at++) {
    const skipped = whole.find(([begin]) => text.startsWith(begin, at));
    if (skipped !== undefined) {
      const end = text.indexOf(skipped[1], at + skipped[0].length);
      if (end < 0) return undefined;
      at = end + skipped[1].length - 1;
    } else if (text[at] === '[' || text[at] === '<') depth++;
    else if (text[at] === ']' || (text[at] === '>' && depth > 0)) depth--;
    else if (text[at] === '>') return text.slice(0, start) + text.slice(at + 1);
  }
  return undefined;
}
