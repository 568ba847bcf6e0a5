/**
 * Makes well-formed documents out of a tape of numbers, so that a property test can shrink them. Every choice reads
 * one number; a tape that has run out reads as zero, the plainest choice.
 */
export interface GeneratorOptions {
  /** Leave out comments and processing instructions. */
  readonly plain?: boolean;
}

const names = ['a', 'b', 'Item', 'q-1', 'é', 'z.z', '名', 'x_y'];
const prefixes = ['p', 'q', 'ns0', 'é1', 'Z'];
// libxml2 does not escape namespace names in canonical form, so none here needs it; nor does it
// take URIs beyond ASCII. c14n.test.ts has those.
const uris = ['urn:a', 'urn:b', 'urn:Z', 'http://example.org/x?a=1', 'urn:%EF%BD%9E', 'urn:~', "urn:it's"];
const texts = [
  'text',
  ' ',
  '\n  ',
  '\r\n',
  'a\rb',
  'x > y',
  '&amp;&lt;&gt;&quot;&apos;',
  '&#13;',
  '&#xD;&#xA;&#x9;',
  '&#x41;&#233;',
  'ÄÖÜ ß 漢字 \u{1f600}',
  ']] >',
  'ï\ufffd',
  'QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo='.repeat(3),
];
const values = [
  'v',
  '',
  'a  b',
  '\t\n',
  '\r\n',
  '&#9;&#10;&#13;',
  '&#xD;&#xA;&#x9;',
  '&amp;&lt;&gt;&quot;&apos;',
  '>',
  'é\ufffd\u{1f600}',
  '&#x41;',
];
const bases = [
  'http://a/b/c',
  'd/',
  '../x',
  '/abs',
  'e/f',
  '.',
  'x/../y',
  '..',
  '../../z/',
  '//host/p',
  '?q',
];

class Tape {
  readonly #numbers: readonly number[];
  #at = 0;

  constructor(numbers: readonly number[]) {
    this.#numbers = numbers;
  }

  get over(): boolean {
    return this.#at >= this.#numbers.length;
  }

  /** A number below `limit`. */
  next(limit: number): number {
    return (this.#numbers[this.#at++] ?? 0) % limit;
  }

  pick(from: readonly string[]): string {
    return from[this.next(from.length)] ?? '';
  }
}

class Generator {
  readonly #tape: Tape;
  readonly #plain: boolean;
  #ids = 0;

  constructor(tape: Tape, plain: boolean) {
    this.#tape = tape;
    this.#plain = plain;
  }

  element(scope: ReadonlyMap<string, string>, depth: number): string {
    const tape = this.#tape;
    const inner = new Map(scope);
    const declarations: string[] = [];
    const declared = new Set<string>();
    for (let count = tape.next(3); count > 0; count--) {
      const prefix = tape.next(3) === 0 ? '' : tape.pick(prefixes);
      const uri = prefix === '' && tape.next(3) === 0 ? '' : tape.pick(uris);
      if (declared.has(prefix)) continue;
      declared.add(prefix);
      inner.set(prefix, uri);
      declarations.push(this.#attribute(prefix === '' ? 'xmlns' : `xmlns:${prefix}`, uri));
    }
    const bound = [...inner.keys()].filter((prefix) => prefix !== '');
    const name = this.#name(bound);
    const attributes = [...declarations, ...this.#attributes(bound, inner)];
    if (tape.next(2) === 1) attributes.reverse();
    const open = `<${name}${attributes.map((attribute) => this.#gap() + attribute).join('')}`;
    const blank = tape.next(6) === 1 ? tape.pick([' ', '\n']) : '';
    if (tape.next(4) === 1 || tape.over) return `${open}${blank}/>`;
    let content = '';
    for (let count = tape.next(5); count > 0; count--) content += this.#content(inner, depth);
    return `${open}${blank}>${content}</${name}${tape.next(9) === 1 ? '\r\n' : ''}>`;
  }

  misc(): string {
    let text = '';
    for (let count = this.#tape.next(3); count > 0; count--)
      text += this.#aside() + this.#tape.pick(['', '\n', '\r\n ']);
    return text;
  }

  #content(scope: ReadonlyMap<string, string>, depth: number): string {
    const kind = this.#tape.next(10);
    if (kind < 4 && depth < 8) return this.element(scope, depth + 1);
    if (kind === 8) return `<![CDATA[${this.#tape.pick(['', 'x', '<&>"', ']]', '\r\n', 'é'])}]]>`;
    if (kind === 9) return this.#aside();
    return this.#tape.pick(texts);
  }

  #aside(): string {
    if (this.#plain) return '';
    const tape = this.#tape;
    if (tape.next(2) === 0) return `<!--${tape.pick(['', ' c ', '\r\n', 'é - x', '<&>'])}-->`;
    return `<?${tape.pick(['pi', 't-1'])}${tape.pick(['', ' ', ' data', '  a="b"\r\n x ', ' ? > '])}?>`;
  }

  #name(bound: readonly string[]): string {
    const local = this.#tape.pick(names);
    return bound.length > 0 && this.#tape.next(2) === 1 ? `${this.#tape.pick(bound)}:${local}` : local;
  }

  #attributes(bound: readonly string[], scope: ReadonlyMap<string, string>): string[] {
    const tape = this.#tape;
    const seen = new Set<string>();
    const attributes: string[] = [];
    for (let count = tape.next(5); count > 0; count--) {
      const name = this.#name(bound);
      const [prefix, local] = name.includes(':') ? (name.split(':') as [string, string]) : ['', name];
      const expanded = `${prefix === '' ? '' : (scope.get(prefix) ?? '')}|${local}`;
      if (seen.has(expanded)) continue;
      seen.add(expanded);
      attributes.push(this.#attribute(name, tape.pick(values)));
    }
    if (tape.next(6) === 1) attributes.push(this.#attribute('xml:lang', tape.pick(['en', 'de-CH'])));
    if (tape.next(8) === 1) attributes.push(this.#attribute('xml:space', tape.pick(['default', 'preserve'])));
    if (tape.next(8) === 1) attributes.push(this.#attribute('xml:base', tape.pick(bases)));
    if (tape.next(10) === 1) attributes.push(this.#attribute('xml:id', `i${++this.#ids}`));
    return attributes;
  }

  #attribute(name: string, value: string): string {
    const equals = this.#tape.next(8) === 1 ? this.#tape.pick([' = ', '\n=', '= ']) : '=';
    const single = this.#tape.next(5) === 1 && !value.includes("'");
    return single ? `${name}${equals}'${value.replace(/&quot;/g, '"')}'` : `${name}${equals}"${value}"`;
  }

  #gap(): string {
    return this.#tape.next(8) === 1 ? this.#tape.pick(['  ', '\n', '\t', '\r\n ']) : ' ';
  }
}

/** A well-formed document. */
export function documentFrom(numbers: readonly number[], options: GeneratorOptions = {}): string {
  const tape = new Tape(numbers);
  const generator = new Generator(tape, options.plain ?? false);
  const prolog = tape.next(3) === 1 ? '<?xml version="1.0" encoding="UTF-8"?>\n' : '';
  const before = generator.misc();
  const root = generator.element(new Map(), 0);
  return prolog + before + root + generator.misc();
}

/** A well-formed fragment: content without a root, in which no prefix is used that it does not declare. */
export function fragmentFrom(numbers: readonly number[]): string {
  const tape = new Tape(numbers);
  const generator = new Generator(tape, true);
  let fragment = '';
  for (let count = 1 + tape.next(3); count > 0; count--) {
    fragment += tape.pick(['', 'text', ' x &gt; ', '&#13;']) + generator.element(new Map(), 0);
  }
  return fragment;
}
