import { isoTime, systemClock } from '../../core/clock.js';

import { run } from './children.js';
import { impostorConfig, type Lab } from './lab.js';

/** A message that must be refused, and the code that the operator must see. */
export interface Tampered {
  readonly name: string;
  readonly message: Buffer;
  readonly codes: readonly string[];
  /** Sent once before, and accepted, when true. */
  readonly replay?: true;
}

const soap = 'http://schemas.xmlsoap.org/soap/envelope/';

/** Protects the sample order by the client's policy. */
export async function protect(lab: Lab, provider: string, options: readonly string[] = []): Promise<Buffer> {
  return protectBy(lab.clientConfig, lab, provider, options);
}

async function protectBy(
  config: string,
  lab: Lab,
  provider: string,
  options: readonly string[] = [],
): Promise<Buffer> {
  const args = [
    'process',
    '--config',
    config,
    '--service',
    'orders',
    '--chain',
    'request',
    '--provider',
    provider,
  ];
  const made = await run([...args, ...options], lab.order);
  if (made.code !== 0) throw new Error(`the message could not be protected:\n${made.stderr}`);
  return made.stdout;
}

/** The gallery. Each entry differs from a good message in one thing. */
export async function gallery(lab: Lab, provider: string): Promise<Tampered[]> {
  const hourAgo = isoTime(systemClock.now() - 3_600_000);
  const [good, replayed, expired, foreign] = await Promise.all([
    protect(lab, provider),
    protect(lab, provider),
    protect(lab, provider, ['--clock', hourAgo]),
    protectBy(await impostorConfig(lab), lab, provider),
  ]);
  const text = good.toString('utf8');
  return [
    { name: 'body changed', message: Buffer.from(flipCipher(text)), codes: ['DECRYPT_FAILED'] },
    {
      name: 'body in clear',
      message: Buffer.from(plainBody(text)),
      codes: ['REFERENCE_UNRESOLVED', 'PART_NOT_ENCRYPTED', 'DECRYPT_FAILED'],
    },
    {
      name: 'wrapped',
      message: Buffer.from(wrap(text)),
      codes: ['PART_NOT_SIGNED', 'PART_NOT_ENCRYPTED', 'SOAP_STRUCTURE'],
    },
    { name: 'expired', message: expired, codes: ['TIMESTAMP_EXPIRED'] },
    { name: 'replayed', message: replayed, codes: ['REPLAYED'], replay: true },
    { name: 'unsigned', message: Buffer.from(unsigned(text)), codes: ['SIGNATURE_MISSING'] },
    { name: 'wrong signer', message: foreign, codes: ['CERTIFICATE_SUBJECT'] },
    { name: 'truncated', message: good.subarray(0, good.length - 40), codes: ['XML_NOT_WELL_FORMED'] },
  ];
}

/** Changes one character in the middle of the Body's ciphertext. */
function flipCipher(text: string): string {
  const end = text.lastIndexOf('CipherValue>');
  const start = text.lastIndexOf('>', text.lastIndexOf('</', end)) + 1;
  const at = start + Math.floor((text.lastIndexOf('</', end) - start) / 2);
  return text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1);
}

/** Puts readable content where the ciphertext was. */
function plainBody(text: string): string {
  const [start, end] = bodyContent(text);
  return `${text.slice(0, start)}<o:order xmlns:o="urn:orders"><o:item>gold</o:item></o:order>${text.slice(end)}`;
}

/** Moves the protected Body under a new header and puts another in its place (XSW, simple ancestry). */
function wrap(text: string): string {
  const [start, end] = bodyElement(text);
  const body = text.slice(start, end);
  const prefix = /<([\w-]+):Body/.exec(body)?.[1] ?? 'soap';
  const moved = text
    .slice(0, start)
    .replace(
      `</${prefix}:Header>`,
      `<w:wrapper xmlns:w="urn:wrapper">${body}</w:wrapper></${prefix}:Header>`,
    );
  return `${moved}<${prefix}:Body><o:order xmlns:o="urn:orders"><o:item>gold</o:item></o:order></${prefix}:Body>${text.slice(end)}`;
}

/** Cuts the Signature out. */
function unsigned(text: string): string {
  return text.replace(/<ds:Signature[\s>][\s\S]*<\/ds:Signature>/, '');
}

function bodyElement(text: string): [number, number] {
  const match = /<([\w-]+:)?Body[\s>]/.exec(text);
  if (match === null || !text.includes(soap)) throw new Error('the sample order is no SOAP 1.1 message');
  const close = `</${match[1] ?? ''}Body>`;
  return [match.index, text.indexOf(close) + close.length];
}

function bodyContent(text: string): [number, number] {
  const [start, end] = bodyElement(text);
  return [text.indexOf('>', start) + 1, text.lastIndexOf('</', end - 1)];
}
