/** The gateway's HTTP sides. */
export const gatewayCodes = {
  HTTP_FRAMING: { kind: 'bad-message', summary: 'The HTTP request is framed in a way that is not accepted.' },
  HTTP_HEADER_LIMIT: { kind: 'http-431', summary: 'The HTTP request has too many or too long headers.' },
  HTTP_CONTENT_ENCODING: {
    kind: 'http-415',
    summary: 'The content encoding is not one that is accepted, or the compressed body is not sound.',
  },
  HTTP_METHOD: { kind: 'http-405', summary: 'The HTTP method is not accepted here.' },
  HTTP_MEDIA_TYPE: {
    kind: 'http-415',
    summary: 'The content type is not one of SOAP, or not that of the SOAP version of the message.',
  },
  HTTP_TOO_LARGE: { kind: 'http-413', summary: 'The message is larger than the limit.' },
  HTTP_TIMEOUT: { kind: 'http-408', summary: 'The request did not arrive in time.' },
  HTTP_NOT_FOUND: { kind: 'http-404', summary: 'There is no service at this path.' },
  CLIENT_UNAUTHORISED: { kind: 'http-403', summary: 'The caller is not among the clients of the gateway.' },
  CLIENT_ABORTED: { kind: 'http-499', summary: 'The caller went away before the exchange was over.' },
  ATTACHMENTS_REFUSED: {
    kind: 'http-415',
    summary: 'The message has attachments and the policy refuses them.',
  },
  MIME_MALFORMED: { kind: 'bad-message', summary: 'The multipart message is not built as MIME says.' },
  UPSTREAM_UNREACHABLE: { kind: 'upstream-bad', summary: 'The upstream cannot be reached.' },
  UPSTREAM_TIMEOUT: { kind: 'upstream-timeout', summary: 'The upstream did not answer in time.' },
  UPSTREAM_ABORTED: { kind: 'upstream-bad', summary: 'The upstream broke off its answer.' },
  UPSTREAM_TOO_LARGE: { kind: 'upstream-bad', summary: 'The answer is larger than the limit.' },
  UPSTREAM_NOT_SOAP: { kind: 'upstream-bad', summary: 'The answer is not a SOAP envelope.' },
  UPSTREAM_BAD_ANSWER: {
    kind: 'upstream-bad',
    summary: 'The answer has a status or header field that cannot be passed on.',
  },
  UPSTREAM_FAULT: { kind: 'upstream-fault', summary: 'The upstream answered with a fault.' },
  UPSTREAM_FAULT_UNPROTECTED: {
    kind: 'upstream-bad',
    summary: 'The upstream answered with a fault that the policy does not cover.',
  },
  SERVICE_UNAVAILABLE: { kind: 'unavailable', summary: 'The service did not start or is shutting down.' },
  SERVICE_OVERLOADED: {
    kind: 'unavailable',
    summary: 'The gateway has too much to do at the moment; the same message may be sent again later.',
  },
  INTERNAL: { kind: 'internal', summary: 'A fault in Countersign.' },
} as const;
