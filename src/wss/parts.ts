/** Parts of a message as policies name them: absolute positions, never "anywhere" (research/security.md §5.3). */
import { CountersignError } from '../core/errors.js';

/** A name in a part, resolved. */
export interface PartName {
  readonly namespace: string;
  readonly local: string;
}

/** What a part names, before it is looked for in a message. */
export type PartTarget =
  | { readonly kind: 'timestamp' }
  | { readonly kind: 'body' }
  /** `name` is that of a `verify` step; undefined: the first one (inbound), the nearest earlier `sign` (outbound). */
  | { readonly kind: 'signature'; readonly name: string | undefined }
  /** A child of the SOAP Header. */
  | { readonly kind: 'header'; readonly path: readonly [PartName] }
  /** A descendant of the Body, child by child. */
  | { readonly kind: 'body-path'; readonly path: readonly PartName[] }
  /** The element with this `wsu:Id`; outbound only. */
  | { readonly kind: 'id'; readonly id: string };

export interface Part {
  /** As the policy has it. */
  readonly text: string;
  readonly target: PartTarget;
  /** `/content`: the children, not the element. Only `encrypt` and `decrypt` can have it. */
  readonly content: boolean;
  /** `?`: may be absent. */
  readonly optional: boolean;
}

/** Words that later versions will give a meaning. */
const reserved: ReadonlySet<string> = new Set(['username', 'saml', 'token', 'attachments', 'attachment']);
const ncName = /^[\p{L}_][\p{L}\p{N}\p{Mn}\p{Mc}·._-]*$/u;
const stepName = /^[a-z][a-z0-9-]*$/u;

/** A segment between slashes and where it begins. */
interface Segment {
  readonly text: string;
  readonly position: number;
}

class PartReader {
  readonly #text: string;
  readonly #namespaces: ReadonlyMap<string, string>;

  constructor(text: string, namespaces: ReadonlyMap<string, string>) {
    this.#text = text;
    this.#namespaces = namespaces;
  }

  read(): Part {
    const text = this.#text;
    const optional = text.endsWith('?');
    const segments = this.#split(optional ? text.slice(0, -1) : text);
    const content = segments.length > 1 && segments.at(-1)?.text === 'content';
    if (content) segments.pop();
    const [head, ...rest] = segments;
    if (head === undefined) throw this.#refuse(0, 'is empty', 'a part such as body');
    const target = this.#target(head, rest);
    if (content && target.kind === 'timestamp') {
      throw this.#refuse(head.position, 'has children that mean nothing without it', 'timestamp');
    }
    return Object.freeze({ text, target, content, optional });
  }

  /** Splits at slashes, those inside `{…}` apart. */
  #split(text: string): Segment[] {
    const segments: Segment[] = [];
    let start = 0;
    let brace = -1;
    for (let at = 0; at <= text.length; at += 1) {
      const character = text[at];
      if (brace >= 0) {
        if (character === '}') brace = -1;
        else if (character === undefined) throw this.#refuse(brace, 'has a { without its }', '}');
        continue;
      }
      if (character === '{') brace = at;
      if (character !== '/' && character !== undefined) continue;
      if (at === start) throw this.#refuse(at, 'has nothing before or after a slash', 'a name');
      segments.push({ text: text.slice(start, at), position: start });
      start = at + 1;
    }
    return segments;
  }

  #target(head: Segment, rest: readonly Segment[]): PartTarget {
    if (head.text.startsWith('#')) {
      this.#end(rest, 0);
      return { kind: 'id', id: this.#ncName(head.text.slice(1), head.position + 1) };
    }
    switch (head.text) {
      case 'timestamp':
        this.#end(rest, 0);
        return { kind: 'timestamp' };
      case 'signature':
        this.#end(rest, 1);
        return { kind: 'signature', name: this.#stepName(rest[0]) };
      case 'header':
        return this.#header(head, rest);
      case 'body':
        if (rest.length === 0) return { kind: 'body' };
        return { kind: 'body-path', path: Object.freeze(rest.map((segment) => this.#name(segment))) };
      default:
        throw this.#unknown(head);
    }
  }

  #header(head: Segment, rest: readonly Segment[]): PartTarget {
    const [first] = rest;
    if (first === undefined) {
      const expected = 'header/prefix:name';
      throw this.#refuse(head.position, 'names no child of the Header', expected);
    }
    this.#end(rest, 1);
    return { kind: 'header', path: Object.freeze([this.#name(first)] as const) };
  }

  #unknown(head: Segment): CountersignError {
    if (reserved.has(head.text)) {
      return this.#refuse(head.position, `uses ${head.text}, which is reserved`, 'another part');
    }
    const expected = 'timestamp, body, signature, header/prefix:name, body/prefix:name or "#id"';
    return this.#refuse(head.position, `begins with ${head.text}`, expected);
  }

  #end(rest: readonly Segment[], allowed: number): void {
    const extra = rest[allowed];
    if (extra !== undefined) throw this.#refuse(extra.position - 1, 'is too long', 'the end of the part');
  }

  #stepName(segment: Segment | undefined): string | undefined {
    if (segment === undefined) return undefined;
    if (stepName.test(segment.text)) return segment.text;
    throw this.#refuse(
      segment.position,
      `has ${segment.text} for the name of a step`,
      'a name such as partner',
    );
  }

  #ncName(text: string, position: number): string {
    if (ncName.test(text)) return text;
    throw this.#refuse(position, `has “${text}” where a name is due`, 'an XML name without a colon');
  }

  #name({ text, position }: Segment): PartName {
    if (text.startsWith('{')) {
      const close = text.indexOf('}');
      const namespace = text.slice(1, close);
      return Object.freeze({ namespace, local: this.#ncName(text.slice(close + 1), position + close + 1) });
    }
    const colon = text.indexOf(':');
    if (colon < 0) {
      throw this.#refuse(position, `has ${text} without a prefix`, `prefix:${text} or "{namespace}${text}"`);
    }
    const prefix = text.slice(0, colon);
    const namespace = this.#namespaces.get(prefix);
    if (namespace === undefined) {
      const names = [...this.#namespaces.keys()].join(', ');
      throw this.#refuse(
        position,
        `uses the prefix ${prefix}, which \`namespaces\` does not declare`,
        names === '' ? 'a prefix that `namespaces` declares' : `one of ${names}`,
      );
    }
    return Object.freeze({ namespace, local: this.#ncName(text.slice(colon + 1), position + colon + 1) });
  }

  #refuse(position: number, problem: string, expected: string): CountersignError {
    return new CountersignError('POLICY_INVALID', `the part “${this.#text}” ${problem}`, {
      details: { part: this.#text, position, expected },
    });
  }
}

/**
 * Reads a part of a policy: `timestamp`, `body`, `signature`, `signature/NAME`, `header/p:name`, `header/{uri}name`,
 * `body/p:name/p:name`, `#id`; then `/content`, then `?`.
 *
 * @param namespaces the prefixes that the policy declares
 * @throws CountersignError POLICY_INVALID with `position` (column of what is wrong, from 0) and `expected`
 */
export function parsePart(text: string, namespaces: ReadonlyMap<string, string>): Part {
  return new PartReader(text, namespaces).read();
}
