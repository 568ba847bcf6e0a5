/**
 * The columns of the tree's tables. Tables are flat Int32Arrays, a fixed number of columns to a row: a message of a
 * megabyte makes a handful of arrays instead of a hundred thousand objects.
 */

/** Elements. Offsets are bytes into the element's source. */
export const ELEMENT_SHIFT = 4;
/** Offset of `<`. */
export const START = 0;
/** Offset after the `>` of the start tag. */
export const OPEN_END = 1;
/** Offset of the end tag; the same as OPEN_END and END for an empty-element tag. */
export const CLOSE_START = 2;
export const END = 3;
export const PARENT = 4;
export const FIRST = 5;
export const NEXT = 6;
/** Row after the last descendant of the same source. */
export const LAST = 7;
/** Name as written, an atom. */
export const NAME = 8;
/** Namespace name, an atom. */
export const URI = 9;
/** Prefix, an atom. */
export const PREFIX = 10;
/** First row of its attributes, and how many. */
export const ATTRIBUTE = 11;
export const ATTRIBUTES = 12;
export const FLAGS = 13;
export const SOURCE = 14;
/** How many children the parser saw. */
export const CHILDREN = 15;

/** Flags of an element. The start tag is written as canonical form asks for, declarations aside. */
export const LEXICAL = 1;
/** Written as an empty-element tag. */
export const EMPTY = 2;
export const DECLARES = 4;
/** Has attributes with a prefix other than `xml`. */
export const PREFIXED = 8;
/** The start tag was edited: its text is another source. */
export const EDITED = 16;
/** No longer part of the view. */
export const DETACHED = 32;
/** Has attributes of the `xml` prefix. */
export const XML_ATTRIBUTES = 64;
/** Has an id. */
export const IDENTIFIED = 128;

/** Attributes and namespace declarations. Offsets are bytes into the source of the start tag. */
export const ATTRIBUTE_SHIFT = 3;
export const NAME_START = 0;
export const VALUE_START = 1;
/** Offset of the closing quote. */
export const VALUE_END = 2;
/** Name as written, an atom. */
export const ATTRIBUTE_NAME = 3;
/** Namespace name; of a declaration the declared one. */
export const ATTRIBUTE_URI = 4;
/** Prefix; of a declaration the declared one. */
export const ATTRIBUTE_PREFIX = 5;
export const ATTRIBUTE_FLAGS = 6;

/** Flags of an attribute: a namespace declaration. */
export const DECLARATION = 1;
/** `name="value"`, the value as in canonical form. */
export const VERBATIM = 2;
/** The value as written is not the value: references, line ends, tabs. */
export const CODED = 4;

/** Stretches between tags that canonical form or a reader of text cannot take as they are. */
export const MARK_SHIFT = 2;
export const MARK_START = 0;
export const MARK_END = 1;
export const MARK_KIND = 2;

export const MARK_TEXT = 1;
export const MARK_CDATA = 2;
export const MARK_COMMENT = 3;
export const MARK_INSTRUCTION = 4;
/** An end tag with white space in it. */
export const MARK_CLOSE = 5;

/** Atoms: names, prefixes and namespace names, each kept once. */
export const ATOM_SHIFT = 4;
export const ATOM_START = 0;
export const ATOM_END = 1;
export const ATOM_SOURCE = 2;
export const ATOM_FLAGS = 3;
/** Of a name: its prefix. */
export const ATOM_PREFIX = 4;
/** Of a name: where its local part starts. */
export const ATOM_LOCAL = 5;
/** Of a prefix: the namespace name it is bound to where the parser is. */
export const ATOM_BINDING = 6;
/** Of a prefix: the namespace name that canonical form has written for it. */
export const ATOM_RENDERED = 7;
/** Of an attribute's name: the last start tag that had it. */
export const ATOM_STAMP = 8;
/** Of a declaration's name: the prefix that it declares. */
export const ATOM_DECLARED = 9;

/** Of a name: the name of the attribute that followed it last in a start tag, or 0. */
export const ATOM_NEXT = 10;
/** Of a name: the first four bytes of its local part as a number that orders as they do. */
export const ATOM_KEY = 11;
/** The last document that had the atom as a name, as a prefix, as a namespace name. */
export const ATOM_SEEN_NAME = 12;
export const ATOM_SEEN_PREFIX = 13;
export const ATOM_SEEN_URI = 14;
/** What came after it last, or 0. Of a declaration's name: the namespace name. Of an element's: the next element's name. */
export const ATOM_AFTER = 15;

/** Flags of an atom. The name has been checked. */
export const ATOM_NAME = 1;
/** The name of a namespace declaration. */
export const ATOM_DECLARES = 2;
/** The local part may name an id. */
export const ATOM_ID = 4;
export const ATOM_URI = 8;
/** A relative namespace name. */
export const ATOM_RELATIVE = 16;
/** A namespace name that must be escaped in an attribute value. */
export const ATOM_ESCAPED = 32;
/** Whether the local part may name an id has been looked up. */
export const ATOM_ASKED = 128;

/** Makes room: an array of at least `length` that begins with the old one. */
export function grown(table: Int32Array, length: number): Int32Array {
  let size = Math.max(table.length, 64);
  while (size < length) size *= 2;
  const larger = new Int32Array(size);
  larger.set(table);
  return larger;
}
