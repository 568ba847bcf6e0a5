/** Reads X.509 certificates (RFC 5280 §4), strictly, once. Dates are read here and judged in path.ts. */
import { equal } from '../core/bytes.js';
import { type CivilTime, civilToEpoch } from '../core/calendar.js';
import type { SignatureAlgorithm } from '../core/contracts.js';
import { CountersignError } from '../core/errors.js';
import {
  bitStringOctets,
  childrenOf,
  context,
  type DerCursor,
  DerError,
  type DerElement,
  integerBytes,
  oidOf,
  readOne,
  smallInteger,
  tags,
} from './der.js';
import { readExtensions } from './extensions.js';
import { readName } from './names.js';
import { oids, signatureOids } from './oids.js';
import { readPss } from './pss.js';
import { readPublicKey } from './public-key.js';
import type { Certificate } from './types.js';

const MAX_CERTIFICATE = 64 * 1024;
/** RFC 5280 §4.1.2.2: at most 20 octets; some CAs write 21 with the sign octet. */
const MAX_SERIAL = 21;

/**
 * Reads one certificate.
 *
 * @param der exactly one certificate; the bytes are kept, not copied
 * @throws CountersignError CERTIFICATE_MALFORMED
 */
export function parseCertificate(der: Uint8Array): Certificate {
  try {
    if (der.length > MAX_CERTIFICATE) throw new DerError('larger than 64 KiB');
    return read(der);
  } catch (error) {
    if (!(error instanceof DerError)) throw error;
    throw new CountersignError('CERTIFICATE_MALFORMED', `not a certificate: ${error.message}`, {
      cause: error,
    });
  }
}

function read(der: Uint8Array): Certificate {
  const outer = childrenOf(readOne(der, tags.sequence));
  const tbs = outer.take(tags.sequence);
  const outerAlgorithm = outer.take(tags.sequence);
  const signature = bitStringOctets(outer.take(tags.bitString));
  outer.end();

  const fields = childrenOf(tbs);
  const version = readVersion(fields);
  const serial = readSerial(fields.take(tags.integer));
  // §4.1.1.2: the unsigned field outside must say what the signed one says.
  if (!equal(fields.take(tags.sequence).raw, outerAlgorithm.raw)) {
    throw new DerError('two different signature algorithms');
  }
  const issuer = readName(fields.take(tags.sequence).raw);
  const { notBefore, notAfter } = readValidity(fields.take(tags.sequence));
  const subject = readName(fields.take(tags.sequence).raw);
  const spki = fields.take(tags.sequence).raw;
  fields.optional(context(1, false));
  fields.optional(context(2, false));
  const extensions = readExtensions(fields, version);
  fields.end();

  return Object.freeze({
    der,
    version,
    tbs: tbs.raw,
    signature,
    signatureAlgorithm: readSignatureAlgorithm(outerAlgorithm),
    subject,
    issuer,
    serial,
    spki,
    publicKey: readPublicKey(spki),
    notBefore,
    notAfter,
    ...extensions,
  });
}

function readVersion(fields: DerCursor): 1 | 2 | 3 {
  const explicit = fields.optional(context(0, true));
  if (explicit === undefined) return 1;
  const inner = childrenOf(explicit);
  const number = smallInteger(inner.take(tags.integer));
  inner.end();
  // DER never writes a default (version 1 = 0).
  if (number !== 1 && number !== 2) throw new DerError('an unknown certificate version');
  return number === 1 ? 2 : 3;
}

function readSerial(element: DerElement): string {
  const bytes = integerBytes(element);
  if (bytes.length > MAX_SERIAL) throw new DerError('a serial number too long');
  const value = BigInt.asIntN(bytes.length * 8, BigInt(`0x${Buffer.from(bytes).toString('hex')}`));
  // Zero and negative ones break RFC 5280 §4.1.2.2 but live in old private PKIs; the number is only a name here.
  return value.toString();
}

function readValidity(element: DerElement): { notBefore: number; notAfter: number } {
  const fields = childrenOf(element);
  const notBefore = readTime(fields.takeAny());
  const notAfter = readTime(fields.takeAny());
  fields.end();
  return { notBefore, notAfter };
}

/** UTCTime or GeneralizedTime in the one form that RFC 5280 §4.1.2.5 allows: seconds, `Z`, no fraction. */
function readTime(element: DerElement): number {
  const text = Buffer.from(element.value).toString('latin1');
  const match =
    element.tag === tags.utcTime
      ? /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(text)
      : element.tag === tags.generalizedTime
        ? /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(text)
        : null;
  if (match === null) throw new DerError('a malformed time');
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1).map(Number);
  const time: CivilTime = { year, month, day, hour, minute, second };
  const epoch = civilToEpoch(
    element.tag === tags.utcTime ? { ...time, year: year + (year >= 50 ? 1900 : 2000) } : time,
  );
  if (epoch === undefined) throw new DerError('a time that does not exist');
  return epoch;
}

function readSignatureAlgorithm(element: DerElement): SignatureAlgorithm | undefined {
  const fields = childrenOf(element);
  const oid = oidOf(fields.take(tags.oid));
  if (oid === oids.rsaPss) return readPss(fields);
  if (!fields.done && fields.takeAny().tag !== tags.null) return undefined;
  fields.end();
  return signatureOids.get(oid);
}
