import { kinds, type FaultName, type KindName } from '../core/codes/entry.js';
import { codes } from '../core/codes.js';
import type { CountersignError } from '../core/errors.js';
import type { SoapVersion } from './context.js';

/** A fault as it goes to the peer. */
export interface GatewayFault {
  readonly bytes: Uint8Array;
  /** HTTP status that goes with it. */
  readonly status: number;
  readonly contentType: string;
}

const SOAP11 = 'http://schemas.xmlsoap.org/soap/envelope/';
const SOAP12 = 'http://www.w3.org/2003/05/soap-envelope';
const WSSE = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd';
const WSU = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd';

/** One text per fault, whatever the reason: what varies would tell an attacker something (WSS 1.1.1 §12). */
const texts: Readonly<Record<FaultName, string>> = {
  'wsse:FailedCheck': 'The signature or decryption was invalid',
  'wsu:MessageExpired': 'The message has expired',
  'env:MustUnderstand': 'A header that must be understood was not understood',
  'env:VersionMismatch': 'The SOAP version is not supported',
  'env:Sender': 'The message was not accepted',
  'env:Receiver': 'The message could not be processed',
};

/** Where the service itself cannot be reached, a replay of the same message would be refused: a new one is needed. */
const RETRY = 'The service cannot be reached now; send a new message later';
const retryKinds: ReadonlySet<KindName> = new Set(['upstream-bad', 'upstream-timeout', 'unavailable']);

/** SOAP 1.1 §4.4.1 has other names for two of the codes. */
const soap11Codes: Readonly<Record<string, string>> = { 'env:Sender': 'Client', 'env:Receiver': 'Server' };

/**
 * The fault that the peer is shown for `error`. Code and text depend on the code's kind only; the reference to the
 * operator's log line is all that varies.
 *
 * @param version the caller's SOAP version
 * @param id the exchange's id, letters and digits
 */
export function gatewayFault(error: CountersignError, version: SoapVersion, id: string): GatewayFault {
  const kindName = kindOf(error);
  const { fault, status } = kinds[kindName];
  const name: FaultName = fault === 'none' ? 'env:Receiver' : fault;
  const text = `${retryKinds.has(kindName) ? RETRY : texts[name]} (reference ${id})`;
  const xml = version === '1.1' ? fault11(name, text) : fault12(name, text);
  return {
    bytes: new TextEncoder().encode(xml),
    status: statusOf(status, name, version),
    contentType: version === '1.1' ? 'text/xml; charset=utf-8' : 'application/soap+xml; charset=utf-8',
  };
}

/** Once a private key was used, whatever the sender did wrong is one failed check (research/security.md §0, rule 2). */
function kindOf(error: CountersignError): KindName {
  const { kind } = codes[error.code];
  return error.details['afterKey'] === true && kinds[kind].actor === 'sender' ? 'failed-check' : kind;
}

/** SOAP 1.1 §6.2: 500. SOAP 1.2 part 2 §7.5.2.2: 400 for Sender. What HTTP itself has a status for keeps it. */
function statusOf(status: number, name: FaultName, version: SoapVersion): number {
  if (status !== 0 && status !== 400 && status !== 500) return status;
  return version === '1.2' && isSender(name) ? 400 : 500;
}

function isSender(name: FaultName): boolean {
  return name === 'env:Sender' || name.startsWith('ws');
}

function declarations(name: FaultName): string {
  if (name.startsWith('wsse:')) return ` xmlns:wsse="${WSSE}"`;
  return name.startsWith('wsu:') ? ` xmlns:wsu="${WSU}"` : '';
}

function fault11(name: FaultName, text: string): string {
  const code = name.startsWith('env:') ? `soap:${soap11Codes[name] ?? name.slice(4)}` : name;
  return (
    `<soap:Envelope xmlns:soap="${SOAP11}"><soap:Body><soap:Fault>` +
    `<faultcode${declarations(name)}>${code}</faultcode><faultstring>${text}</faultstring>` +
    `</soap:Fault></soap:Body></soap:Envelope>`
  );
}

function fault12(name: FaultName, text: string): string {
  const subcode = name.startsWith('env:')
    ? ''
    : `<env:Subcode><env:Value${declarations(name)}>${name}</env:Value></env:Subcode>`;
  const code = name.startsWith('env:') ? name : 'env:Sender';
  return (
    `<env:Envelope xmlns:env="${SOAP12}"><env:Body><env:Fault>` +
    `<env:Code><env:Value>${code}</env:Value>${subcode}</env:Code>` +
    `<env:Reason><env:Text xml:lang="en">${text}</env:Text></env:Reason>` +
    `</env:Fault></env:Body></env:Envelope>`
  );
}
