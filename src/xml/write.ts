import { asBuffer } from './encoding.js';

/** Attributes of an element to write: names as written, in this order; `undefined` values are left out. */
export type Attributes = Readonly<Record<string, string | undefined>>;

/** Octets of base64 written at a time: no string over 64 KB is made, and pieces join (a multiple of 3). */
const piece = 49152;

const textEscapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '\r': '&#xD;',
};
const attributeEscapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '"': '&quot;',
  '\t': '&#x9;',
  '\n': '&#xA;',
  '\r': '&#xD;',
};

/** `value` as text of an element, in canonical form. */
export function escapeText(value: string): string {
  return /[&<>\r]/.test(value) ? value.replace(/[&<>\r]/g, (char) => textEscapes[char] ?? char) : value;
}

/** `value` as an attribute value between double quotes, in canonical form. */
export function escapeAttribute(value: string): string {
  return /[&<"\t\n\r]/.test(value)
    ? value.replace(/[&<"\t\n\r]/g, (char) => attributeEscapes[char] ?? char)
    : value;
}

/** Writes a small fragment of XML. Names are the caller's; values are escaped. */
export class FragmentWriter {
  readonly #parts: Buffer[] = [];
  readonly #open: string[] = [];
  #text = '';

  /** Opens an element. */
  open(name: string, attributes: Attributes = {}): this {
    this.#tag(name, attributes);
    this.#open.push(name);
    return this;
  }

  /** An element without content. */
  empty(name: string, attributes: Attributes = {}): this {
    return this.open(name, attributes).close();
  }

  /** An element with text only. */
  leaf(name: string, value: string, attributes: Attributes = {}): this {
    return this.open(name, attributes).text(value).close();
  }

  text(value: string): this {
    this.#text += escapeText(value);
    return this;
  }

  /** Octets as base64 without line breaks. */
  base64(bytes: Uint8Array): this {
    const octets = asBuffer(bytes);
    for (let at = 0; at < octets.length; at += piece) {
      this.#text += octets.toString('base64', at, Math.min(at + piece, octets.length));
      if (this.#text.length >= piece) this.#flush();
    }
    return this;
  }

  /** XML as it is. The caller answers for it. */
  raw(xml: Uint8Array | string): this {
    if (typeof xml === 'string') this.#text += xml;
    else {
      this.#flush();
      this.#parts.push(asBuffer(xml));
    }
    return this;
  }

  /** Closes the element opened last. */
  close(): this {
    const name = this.#open.pop();
    if (name === undefined) throw new Error('no element is open');
    this.#text += `</${name}>`;
    return this;
  }

  /** Everything written. All elements must be closed. */
  bytes(): Uint8Array {
    if (this.#open.length > 0) throw new Error(`the element ${this.#open.join('/')} is open`);
    this.#flush();
    const [only] = this.#parts;
    return this.#parts.length === 1 && only !== undefined ? only : Buffer.concat(this.#parts);
  }

  #tag(name: string, attributes: Attributes): void {
    let tag = `<${name}`;
    for (const [attribute, value] of Object.entries(attributes)) {
      if (value !== undefined) tag += ` ${attribute}="${escapeAttribute(value)}"`;
    }
    this.#text += `${tag}>`;
  }

  #flush(): void {
    if (this.#text !== '') this.#parts.push(Buffer.from(this.#text));
    this.#text = '';
  }
}
