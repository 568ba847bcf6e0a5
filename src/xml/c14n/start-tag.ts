import { CountersignError } from '../../core/errors.js';
import * as atomNames from '../atoms.js';
import { octetsOf, type Octets } from '../octets.js';
import { compareAtoms, compareAttributes } from '../order.js';
import { tagSource } from '../scope.js';
import * as tables from '../tables.js';
import { grown } from '../tables.js';
import type { NodeId, Tree } from '../tree.js';
import { writePlainValue, writeValue } from './escape.js';
import type { Output } from './output.js';

// V8 folds a module's own constants, but not imported ones (perf/README.md).
const { ATOM_NONE, ATOM_XML, ATOM_XML_URI } = atomNames;
const {
  ATOM_END,
  ATOM_ESCAPED,
  ATOM_FLAGS,
  ATOM_RELATIVE,
  ATOM_RENDERED,
  ATOM_SHIFT,
  ATOM_START,
  ATTRIBUTE,
  ATTRIBUTE_FLAGS,
  ATTRIBUTE_NAME,
  ATTRIBUTE_PREFIX,
  ATTRIBUTE_SHIFT,
  ATTRIBUTE_URI,
  ATTRIBUTES,
  DECLARATION,
  DECLARES,
  EDITED,
  ELEMENT_SHIFT,
  EMPTY,
  FLAGS,
  NAME,
  NAME_START,
  PREFIX,
  PREFIXED,
  SOURCE,
  START,
  URI,
  VALUE_END,
  VALUE_START,
  VERBATIM,
} = tables;

/** Beyond every offset. */
const BEYOND = 0x7fffffff;
const XMLNS = octetsOf(Buffer.from(' xmlns'));
const EQUALS_QUOTE = octetsOf(Buffer.from('="'));

/** So many are sorted by insertion, which allocates nothing. */
const few = 16;

/** An attribute that the apex takes over from its ancestors (inclusive canonical forms). */
export interface Inherited {
  /** Name as written, `xml:` included. */
  readonly name: string;
  readonly value: string;
}

/**
 * Decides which namespaces a start tag renders and writes tags that are not taken as they stand. Remembers per prefix
 * what canonical form has written so far; `leave` forgets what an element added.
 */
export class StartTags {
  readonly #tree: Tree;
  readonly #output: Output;
  readonly #exclusive: boolean;
  /** Prefixes that exclusive form treats as inclusive form does. */
  readonly #inclusive: ReadonlySet<number>;
  /** End of the element, prefix, what was rendered for it before. */
  #frames: Int32Array;
  #frameCount = 0;
  /** Prefixes that the tag at hand renders. */
  #rendered: Int32Array;
  #renderedCount = 0;
  /** Rows of the attributes of the tag at hand. */
  #order: Int32Array;

  constructor(tree: Tree, output: Output, exclusive: boolean, inclusive: ReadonlySet<number>) {
    this.#tree = tree;
    this.#output = output;
    this.#exclusive = exclusive;
    this.#inclusive = inclusive;
    [this.#frames, this.#rendered, this.#order] = tree.scratch;
  }

  /** How many entries are remembered: a mark for `leave`. */
  get depth(): number {
    return this.#frameCount;
  }

  /** The end of the innermost element that added something since `base`; beyond every offset if there is none. */
  nextEnd(base: number): number {
    return this.#frameCount > base ? (this.#frames[this.#frameCount - 3] as number) : 0x7fffffff;
  }

  /** Forgets what elements that end at or before `offset` added, down to the mark `base`. */
  leave(offset: number, base: number): void {
    const frames = this.#frames;
    const rows = this.#tree.atoms.rows;
    let count = this.#frameCount;
    while (count > base && (frames[count - 3] as number) <= offset) {
      rows[((frames[count - 2] as number) << ATOM_SHIFT) + ATOM_RENDERED] = frames[count - 1] as number;
      count -= 3;
    }
    this.#frameCount = count;
  }

  /** Forgets everything: atoms outlive the run. */
  end(): void {
    this.leave(BEYOND, 0);
  }

  /** Begins a tag: nothing to render yet. */
  begin(): void {
    this.#renderedCount = 0;
  }

  /** Renders `prefix` as `uri` at the tag at hand, if that is not what was rendered last. */
  render(prefix: number, uri: number, end: number): void {
    if (prefix === ATOM_XML) return;
    const rows = this.#tree.atoms.rows;
    const slot = (prefix << ATOM_SHIFT) + ATOM_RENDERED;
    const before = rows[slot] as number;
    if (before === uri) return;
    if (((rows[(uri << ATOM_SHIFT) + ATOM_FLAGS] as number) & ATOM_RELATIVE) !== 0) throw relative();
    rows[slot] = uri;
    const count = this.#frameCount;
    if (count + 3 > this.#frames.length) this.#frames = grown(this.#frames, count + 3);
    this.#frames[count] = end;
    this.#frames[count + 1] = prefix;
    this.#frames[count + 2] = before;
    this.#frameCount = count + 3;
    if (this.#renderedCount === this.#rendered.length)
      this.#rendered = grown(this.#rendered, this.#renderedCount + 1);
    this.#rendered[this.#renderedCount++] = prefix;
  }

  /** Finds what `element` itself makes visible; returns whether its tag may be taken as it stands. */
  collect(element: NodeId, end: number, flags: number): boolean {
    const tree = this.#tree;
    const row = element << ELEMENT_SHIFT;
    const elements = tree.elements;
    if (this.#exclusive) this.render(elements[row + PREFIX] as number, elements[row + URI] as number, end);
    if ((flags & (DECLARES | PREFIXED)) === 0) return this.#renderedCount === 0;
    const first = elements[row + ATTRIBUTE] as number;
    const last = first + (elements[row + ATTRIBUTES] as number);
    let declarations = 0;
    let wanted = 0;
    for (let index = first; index < last; index++) {
      const attribute = index << ATTRIBUTE_SHIFT;
      const prefix = tree.attributes[attribute + ATTRIBUTE_PREFIX] as number;
      const uri = tree.attributes[attribute + ATTRIBUTE_URI] as number;
      if (((tree.attributes[attribute + ATTRIBUTE_FLAGS] as number) & DECLARATION) === 0) {
        if (this.#exclusive && prefix !== ATOM_NONE) this.render(prefix, uri, end);
        continue;
      }
      declarations++;
      if (((tree.atoms.rows[(uri << ATOM_SHIFT) + ATOM_FLAGS] as number) & ATOM_RELATIVE) !== 0)
        throw relative();
      if (!this.#exclusive || this.#inclusive.has(prefix)) this.render(prefix, uri, end);
    }
    if (declarations !== this.#renderedCount) return false;
    if (declarations === 0) return true;
    for (let index = first; index < last; index++) {
      const attribute = index << ATTRIBUTE_SHIFT;
      if (((tree.attributes[attribute + ATTRIBUTE_FLAGS] as number) & DECLARATION) === 0) continue;
      if (this.#renders(tree.attributes[attribute + ATTRIBUTE_PREFIX] as number)) wanted++;
    }
    return wanted === declarations;
  }

  #renders(prefix: number): boolean {
    for (let at = 0; at < this.#renderedCount; at++) if (this.#rendered[at] === prefix) return true;
    return false;
  }

  /** Writes the start tag of `element` anew, and the end tag of an empty one. */
  write(element: NodeId, inherited: readonly Inherited[] = []): void {
    const tree = this.#tree;
    const output = this.#output;
    const row = element << ELEMENT_SHIFT;
    const flags = tree.elements[row + FLAGS] as number;
    const edited = (flags & EDITED) !== 0;
    const source = edited ? tagSource(tree, element) : tree.source(tree.elements[row + SOURCE] as number);
    const start = edited ? 0 : (tree.elements[row + START] as number);
    // `<` and the name stand at the beginning of every start tag.
    output.copy(source, start, start + 1 + this.#length(tree.elements[row + NAME] as number));
    if (this.#renderedCount > 0) this.#declarations();
    const count = this.#sorted(element);
    if (inherited.length > 0) this.#withInherited([...this.#order.subarray(0, count)], inherited, source);
    else for (let at = 0; at < count; at++) this.#attribute(this.#order[at] as number, source);
    output.byte(0x3e);
    if ((flags & EMPTY) !== 0) this.closeEmpty(element);
  }

  /** Writes the end tag that an empty-element tag does not have. */
  closeEmpty(element: NodeId): void {
    this.#output.byte(0x3c);
    this.#output.byte(0x2f);
    this.#atom(this.#tree.elements[(element << ELEMENT_SHIFT) + NAME] as number);
    this.#output.byte(0x3e);
  }

  #declarations(): void {
    const rendered = this.#rendered;
    const count = this.#renderedCount;
    if (count > few) rendered.subarray(0, count).sort((left, right) => compareAtoms(this.#tree, left, right));
    for (let index = 1; index < count && count <= few; index++) {
      const prefix = rendered[index] as number;
      let at = index;
      while (at > 0 && compareAtoms(this.#tree, rendered[at - 1] as number, prefix) > 0) {
        rendered[at] = rendered[at - 1] as number;
        at--;
      }
      rendered[at] = prefix;
    }
    for (let at = 0; at < count; at++) this.#declaration(rendered[at] as number);
  }

  #length(atom: number): number {
    const { rows } = this.#tree.atoms;
    const row = atom << ATOM_SHIFT;
    return (rows[row + ATOM_END] as number) - (rows[row + ATOM_START] as number);
  }

  #declaration(prefix: number): void {
    const output = this.#output;
    const { atoms } = this.#tree;
    const uri = atoms.rows[(prefix << ATOM_SHIFT) + ATOM_RENDERED] as number;
    const row = uri << ATOM_SHIFT;
    output.copy(XMLNS, 0, XMLNS.bytes.length);
    if (prefix !== ATOM_NONE) {
      output.byte(0x3a);
      this.#atom(prefix);
    }
    output.copy(EQUALS_QUOTE, 0, 2);
    if (((atoms.rows[row + ATOM_FLAGS] as number) & ATOM_ESCAPED) === 0) this.#atom(uri);
    else {
      writePlainValue(
        output,
        atoms.octetsOf(uri),
        atoms.rows[row + ATOM_START] as number,
        atoms.rows[row + ATOM_END] as number,
      );
    }
    output.byte(0x22);
  }

  /** Puts the attributes of `element` in canonical order into `#order`; returns how many there are. */
  #sorted(element: NodeId): number {
    const tree = this.#tree;
    const row = element << ELEMENT_SHIFT;
    const first = tree.elements[row + ATTRIBUTE] as number;
    const last = first + (tree.elements[row + ATTRIBUTES] as number);
    if (last - first > this.#order.length) this.#order = grown(this.#order, last - first);
    const order = this.#order;
    let count = 0;
    for (let index = first; index < last; index++) {
      const attribute = index << ATTRIBUTE_SHIFT;
      if (((tree.attributes[attribute + ATTRIBUTE_FLAGS] as number) & DECLARATION) !== 0) continue;
      let at = count++;
      while (at > 0 && compareAttributes(tree, order[at - 1] as number, attribute) > 0) {
        order[at] = order[at - 1] as number;
        at--;
      }
      order[at] = attribute;
    }
    return count;
  }

  #attribute(row: number, source: Octets): void {
    const output = this.#output;
    const attributes = this.#tree.attributes;
    const start = attributes[row + NAME_START] as number;
    const valueStart = attributes[row + VALUE_START] as number;
    const end = attributes[row + VALUE_END] as number;
    const verbatim = ((attributes[row + ATTRIBUTE_FLAGS] as number) & VERBATIM) !== 0;
    if (verbatim && source.bytes[start - 1] === 0x20) {
      output.copy(source, start - 1, end + 1);
      return;
    }
    output.byte(0x20);
    if (verbatim) {
      output.copy(source, start, end + 1);
      return;
    }
    this.#atom(attributes[row + ATTRIBUTE_NAME] as number);
    output.copy(EQUALS_QUOTE, 0, 2);
    writeValue(output, source, valueStart, end);
    output.byte(0x22);
  }

  /** Own and inherited attributes in one order; the inherited ones are all of the XML namespace. */
  #withInherited(order: readonly number[], inherited: readonly Inherited[], source: Octets): void {
    const { atoms, attributes } = this.#tree;
    const rows = order.filter((row) => !isXml(attributes[row + ATTRIBUTE_PREFIX] as number));
    const own = order.filter((row) => isXml(attributes[row + ATTRIBUTE_PREFIX] as number));
    const replaced = new Set(inherited.map(({ name }) => name));
    const writers = [
      ...own
        .map((row) => ({ name: atoms.text(attributes[row + ATTRIBUTE_NAME] as number), row }))
        .filter(({ name }) => !replaced.has(name))
        .map(({ name, row }) => ({ name, write: () => this.#attribute(row, source) })),
      ...inherited.map((attribute) => ({
        name: attribute.name,
        write: () => this.#inheritedAttribute(attribute),
      })),
    ].sort((left, right) => Buffer.compare(Buffer.from(left.name), Buffer.from(right.name)));
    let written = false;
    const writeXml = (): void => {
      if (!written) for (const writer of writers) writer.write();
      written = true;
    };
    for (const row of rows) {
      if (compareAtoms(this.#tree, attributes[row + ATTRIBUTE_URI] as number, ATOM_XML_URI) > 0) writeXml();
      this.#attribute(row, source);
    }
    writeXml();
  }

  #inheritedAttribute({ name, value }: Inherited): void {
    const output = this.#output;
    const put = (text: string): void => {
      const octets = octetsOf(Buffer.from(text));
      output.copy(octets, 0, octets.bytes.length);
    };
    put(` ${name}="`);
    const octets = octetsOf(Buffer.from(value));
    writePlainValue(output, octets, 0, octets.bytes.length);
    output.byte(0x22);
  }

  #atom(atom: number): void {
    const { atoms } = this.#tree;
    const row = atom << ATOM_SHIFT;
    this.#output.copy(
      atoms.octetsOf(atom),
      atoms.rows[row + ATOM_START] as number,
      atoms.rows[row + ATOM_END] as number,
    );
  }
}

function isXml(prefix: number): boolean {
  return prefix === ATOM_XML;
}

/** Canonical XML 1.0 §1.3: relative namespace names must be an error, so that nothing of them is ever hashed. */
function relative(): CountersignError {
  return new CountersignError('XML_RELATIVE_NAMESPACE', 'a relative namespace name cannot be canonicalised');
}
