/** Refusals of the XML core: well-formedness, encoding, limits. */
export const xmlCodes = {
  XML_NOT_WELL_FORMED: {
    kind: 'bad-message',
    summary: 'The message is not well-formed XML 1.0 with namespaces.',
  },
  XML_ENCODING: {
    kind: 'bad-message',
    summary: 'The message is not valid UTF-8, or declares another encoding.',
  },
  XML_DOCTYPE: { kind: 'bad-message', summary: 'The message has a document type declaration.' },
  XML_PROCESSING_INSTRUCTION: { kind: 'bad-message', summary: 'The message has a processing instruction.' },
  XML_LIMIT: { kind: 'bad-message', summary: 'The message exceeds a limit on depth, counts or lengths.' },
  XML_ID_DUPLICATE: { kind: 'bad-message', summary: 'Two elements carry the same id.' },
  XML_ID_INVALID: { kind: 'bad-message', summary: 'An id is not an NCName, or one element carries two ids.' },
  XML_RELATIVE_NAMESPACE: {
    kind: 'bad-message',
    summary: 'A relative namespace name cannot be canonicalised.',
  },
  XML_NOT_TEXT: {
    kind: 'failed-check',
    summary: 'An element that may hold only text holds an element, a comment, an instruction or CDATA.',
  },
  XML_BASE64: { kind: 'failed-check', summary: 'A value is not base64 as XML Schema says.' },
  XML_EDIT_CONFLICT: {
    kind: 'internal',
    summary: 'Two edits of one message overlap: a fault in Countersign.',
  },
} as const;
