/** The tokens of one Security header, found before anything refers to them: references may point forward. */
import { CountersignError } from '../../core/errors.js';
import { NONE, type NodeId, type XmlDocument } from '../../xml/index.js';
import type { Toolkit } from '../toolkit.js';
import type { TokenContent } from './module.js';

/** The tokens of the Security header of our role. Tokens anywhere else in the message do not exist for us. */
export class TokenIndex {
  readonly doc: XmlDocument;
  readonly #header: NodeId;
  readonly #toolkit: Toolkit;
  readonly #contents = new Map<NodeId, TokenContent>();
  readonly #used = new Set<NodeId>();
  #elements: readonly NodeId[] = [];

  constructor(doc: XmlDocument, header: NodeId, toolkit: Toolkit) {
    this.doc = doc;
    this.#header = header;
    this.#toolkit = toolkit;
    this.refresh();
  }

  /**
   * Looks at the header's children again, after decryption has put some there.
   *
   * @throws CountersignError SECURITY_LIMIT
   */
  refresh(): void {
    const { doc } = this;
    if (this.#header === NONE) return;
    const { tokens: table, limits } = this.#toolkit;
    const elements: NodeId[] = [];
    for (let child = doc.firstChild(this.#header); child !== NONE; child = doc.nextSibling(child))
      if (table.isToken(doc, child)) elements.push(child);
    const { tokens } = limits;
    if (elements.length > tokens) {
      throw new CountersignError('SECURITY_LIMIT', `more than ${tokens} tokens in the Security header`, {
        details: { limit: 'tokens', allowed: tokens, found: elements.length },
      });
    }
    this.#elements = elements;
  }

  /** The token elements, in document order. */
  get elements(): readonly NodeId[] {
    return this.#elements;
  }

  /** Those that no reference has named. */
  get unused(): readonly NodeId[] {
    return this.#elements.filter((element) => !this.#used.has(element));
  }

  has(element: NodeId): boolean {
    return this.#elements.includes(element);
  }

  /** Says that the token serves for something. */
  use(element: NodeId): void {
    this.#used.add(element);
  }

  /**
   * The token with this id.
   *
   * @throws CountersignError TOKEN_UNAVAILABLE where the id is none of a token of this header
   */
  byId(id: string): NodeId {
    const element = this.doc.elementById(id);
    if (element !== undefined && this.has(element)) return element;
    throw new CountersignError(
      'TOKEN_UNAVAILABLE',
      element === undefined
        ? `no element has the id ${id.slice(0, 200)}`
        : `${this.doc.path(element)} is no token of the Security header`,
      { details: { id: id.slice(0, 200) } },
    );
  }

  /**
   * What a token holds; read once.
   *
   * @throws CountersignError TOKEN_UNSUPPORTED, TOKEN_MALFORMED, CERTIFICATE_MALFORMED
   */
  read(element: NodeId): TokenContent {
    const known = this.#contents.get(element);
    if (known !== undefined) return known;
    const module = this.#toolkit.tokens.find(this.doc, element);
    if (module === undefined) {
      const valueType = this.doc.attribute(element, '', 'ValueType')?.slice(0, 200);
      throw new CountersignError(
        'TOKEN_UNSUPPORTED',
        `a token of type ${valueType ?? '(none)'} is not supported`,
        {
          details: { element: this.doc.path(element), valueType },
        },
      );
    }
    const content = module.read(this.doc, element, this.#toolkit.certificates);
    this.#contents.set(element, content);
    return content;
  }

  /** The tokens that can be read, for references by what a certificate says. */
  readable(): readonly NodeId[] {
    return this.#elements.filter((element) => this.#toolkit.tokens.find(this.doc, element) !== undefined);
  }
}

/** First pass over the Security header; without one (NONE) there are no tokens. @throws CountersignError SECURITY_LIMIT */
export function indexTokens(doc: XmlDocument, securityHeader: NodeId, toolkit: Toolkit): TokenIndex {
  return new TokenIndex(doc, securityHeader, toolkit);
}
