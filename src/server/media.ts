import { CountersignError } from '../core/errors.js';

/** What a Content-Type says, as far as the gateway asks. */
export interface Media {
  readonly kind: 'soap' | 'multipart' | 'other';
  /** The SOAP version that the type belongs to; undefined where it says nothing. */
  readonly soapVersion: '1.1' | '1.2' | undefined;
  /** Lower case. */
  readonly charset: string | undefined;
  readonly parameters: ReadonlyMap<string, string>;
}

const TOKEN = String.raw`[!#$%&'*+.^_\x60|~0-9A-Za-z-]+`;
const typePattern = new RegExp(`^[ \\t]*(${TOKEN}/${TOKEN})[ \\t]*(?=;|$)`);
const parameterPattern = new RegExp(
  `[ \\t]*;[ \\t]*(?:(${TOKEN})=(?:(${TOKEN})|"((?:[^"\\\\]|\\\\.)*)")[ \\t]*)?`,
  'y',
);

const other: Media = { kind: 'other', soapVersion: undefined, charset: undefined, parameters: new Map() };

/** Header values repeat from message to message: what was read once is kept, within bounds. */
const KEPT = 256;

/** Makes a reader of Content-Type fields that remembers what it has read. */
export function mediaReader(): (contentType: string | undefined) => Media {
  const known = new Map<string, Media>();
  return (contentType) => {
    if (contentType === undefined) return other;
    let media = known.get(contentType);
    if (media === undefined) {
      media = readMedia(contentType);
      if (known.size < KEPT) known.set(contentType, media);
    }
    return media;
  };
}

/** Reads a Content-Type (RFC 9110 §8.3.1); what cannot be read is `other`, and so refused. */
export function readMedia(contentType: string): Media {
  const type = typePattern.exec(contentType);
  if (type === null) return other;
  const parameters = readParameters(contentType, type[0].length);
  if (parameters === undefined) return other;
  const charset = parameters.get('charset')?.toLowerCase();
  switch (type[1]?.toLowerCase()) {
    case 'text/xml':
      return { kind: 'soap', soapVersion: '1.1', charset, parameters };
    case 'application/soap+xml':
      return { kind: 'soap', soapVersion: '1.2', charset, parameters };
    case 'multipart/related':
      return { kind: 'multipart', soapVersion: rootVersion(parameters), charset: undefined, parameters };
    default:
      return other;
  }
}

function rootVersion(parameters: ReadonlyMap<string, string>): '1.1' | '1.2' | undefined {
  const info = `${parameters.get('type') ?? ''} ${parameters.get('start-info') ?? ''}`.toLowerCase();
  if (info.includes('application/soap+xml')) return '1.2';
  return info.includes('text/xml') ? '1.1' : undefined;
}

/** Undefined when the text is not a list of parameters, or names one twice. */
function readParameters(text: string, from: number): Map<string, string> | undefined {
  const parameters = new Map<string, string>();
  let at = from;
  while (at < text.length) {
    parameterPattern.lastIndex = at;
    const match = parameterPattern.exec(text);
    if (match === null) return undefined;
    at += match[0].length;
    if (match[1] === undefined) continue;
    const name = match[1].toLowerCase();
    if (parameters.has(name)) return undefined;
    parameters.set(name, match[2] ?? (match[3] ?? '').replace(/\\(.)/g, '$1'));
  }
  return parameters;
}

const charsets: ReadonlySet<string | undefined> = new Set([undefined, 'utf-8', 'us-ascii']);

/**
 * The bytes are read as UTF-8: a charset that says anything else is refused, not guessed about.
 *
 * @throws CountersignError HTTP_MEDIA_TYPE
 */
export function checkCharset(media: Media): void {
  if (charsets.has(media.charset)) return;
  throw new CountersignError('HTTP_MEDIA_TYPE', `the charset ${media.charset ?? ''} is not UTF-8`);
}
