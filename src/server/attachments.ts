import { asBuffer } from '../core/bytes.js';
import { CountersignError } from '../core/errors.js';
import { readRelated } from '../mime/index.js';
import type { ChainInput, ChainResult, MessageFacts } from '../pipeline/index.js';
import { checkCharset, readMedia, type Media } from './media.js';
import type { ChainRunner } from './service.js';

/** Content transfer encodings under which the octets of a part are its content. */
const identity: ReadonlySet<string> = new Set(['binary', '8bit', '7bit']);

/** What HTTP says about a message. */
export interface MessageForm {
  readonly media: Media;
  /** Takes what is counted about the message. */
  readonly facts: MessageFacts;
  /** An envelope of another SOAP version than the content type's is refused. */
  readonly sameVersion: boolean;
}

/**
 * Runs a chain over a message that may have attachments: over its root part, which is the envelope. The other parts go
 * on as they are, neither signed nor encrypted (design/policy.md, Attachments).
 *
 * @throws CountersignError MIME_MALFORMED, ATTACHMENTS_REFUSED, HTTP_MEDIA_TYPE, and what the chain throws
 */
export async function runOverRoot(
  run: ChainRunner,
  input: ChainInput,
  { media, facts, sameVersion }: MessageForm,
): Promise<ChainResult> {
  const versionOf = (type: Media): Pick<ChainInput, 'soapVersion'> =>
    sameVersion ? { soapVersion: type.soapVersion } : {};
  if (media.kind !== 'multipart') return run({ ...input, ...versionOf(media) });
  const bytes = asBuffer(input.bytes);
  const { root } = readRelated(bytes, media.parameters);
  const type = checkRoot(root.headers, media);
  facts.counts.set('attachments-unprotected', 1);
  const result = await run({ ...input, ...versionOf(type), bytes: bytes.subarray(root.start, root.end) });
  const before = bytes.subarray(0, root.start);
  const after = bytes.subarray(root.end);
  return {
    ...result,
    slices: [before, ...result.slices, after],
    length: before.length + result.length + after.length,
  };
}

/** @returns what the root part says that it is */
function checkRoot(headers: ReadonlyMap<string, string>, media: Media): Media {
  const type = readMedia(headers.get('content-type') ?? '');
  if (type.kind !== 'soap' || media.parameters.get('type')?.toLowerCase() === 'application/xop+xml') {
    throw new CountersignError(
      'ATTACHMENTS_REFUSED',
      'the root of the message is not a plain SOAP envelope',
      {
        details: { found: headers.get('content-type') ?? 'no content type' },
      },
    );
  }
  checkCharset(type);
  if (!identity.has((headers.get('content-transfer-encoding') ?? 'binary').toLowerCase())) {
    throw new CountersignError('ATTACHMENTS_REFUSED', 'the envelope is in a transfer encoding');
  }
  return type;
}
