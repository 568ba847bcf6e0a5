import { unpooled, type Lease } from '../core/buffers.js';
import { CountersignError } from '../core/errors.js';
import type { ServiceConfig } from '../policy/config.js';
import { gunzip } from './gunzip.js';
import type { HandlerContext } from './handler-context.js';
import { fieldValue } from './headers.js';
import { checkCharset, type Media } from './media.js';
import type { UpstreamAnswer } from './upstream/contract.js';

/** A service's answer, judged by what HTTP says about it. */
export interface Answer {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: Lease;
  /** Nothing that a chain could read (design/policy.md, Faults and empty answers). */
  readonly empty: boolean;
  readonly looksLikeFault: boolean;
  readonly media: Media;
  /** The octets are not those that came. */
  readonly decoded: boolean;
}

/**
 * Decides whether an answer can be given to a chain.
 *
 * @param chained whether the response chain has steps
 * @throws CountersignError UPSTREAM_NOT_SOAP, HTTP_MEDIA_TYPE, HTTP_CONTENT_ENCODING, HTTP_TOO_LARGE
 */
export function readAnswer(
  answer: UpstreamAnswer,
  chained: boolean,
  context: HandlerContext,
  config: ServiceConfig,
): Answer {
  const { status, headers, body } = answer;
  const media = context.readMedia(fieldValue(headers, 'content-type'));
  if (body.bytes.length === 0 && (status === 200 || status === 202 || status === 204)) {
    return { status, headers, body, empty: true, looksLikeFault: false, media, decoded: false };
  }
  if (!chained) {
    const looksLikeFault = status >= 400 && media.kind === 'soap';
    return { status, headers, body, empty: false, looksLikeFault, media, decoded: false };
  }
  try {
    const acceptable = media.kind === 'soap' || (media.kind === 'multipart' && config.attachments === 'pass');
    if (!acceptable) throw notSoap(status, fieldValue(headers, 'content-type'));
    checkCharset(media);
    const coding = fieldValue(headers, 'content-encoding')?.trim().toLowerCase();
    if (coding === undefined || coding === 'identity')
      return { status, headers, body, empty: false, looksLikeFault: false, media, decoded: false };
    if (coding !== 'gzip') throw notSoap(status, `content encoding ${coding}`);
    const decoded = unpooled(gunzip(body.bytes, config.limits.response));
    body.release();
    return { status, headers, body: decoded, empty: false, looksLikeFault: false, media, decoded: true };
  } catch (error) {
    body.release();
    throw error;
  }
}

const notSoap = (status: number, found: string | undefined): CountersignError =>
  new CountersignError(
    'UPSTREAM_NOT_SOAP',
    `the service answered ${status} with something that is not SOAP`,
    {
      details: { found: found ?? 'no content type' },
    },
  );
