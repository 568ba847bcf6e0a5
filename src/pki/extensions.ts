/** The certificate extensions that are processed (RFC 5280 §4.2.1); of the others only whether they are critical. */
import {
  booleanOf,
  childrenOf,
  context,
  type DerCursor,
  DerError,
  type DerElement,
  namedBits,
  oidOf,
  readOne,
  smallInteger,
  tags,
} from './der.js';
import { keyUsageNames, oids } from './oids.js';
import type { Certificate } from './types.js';

type Extensions = Pick<
  Certificate,
  | 'subjectKeyIdentifier'
  | 'authorityKeyIdentifier'
  | 'basicConstraints'
  | 'keyUsage'
  | 'extendedKeyUsage'
  | 'unknownCritical'
>;
interface Extension {
  readonly oid: string;
  readonly critical: boolean;
  readonly value: Uint8Array;
}

const MAX_EXTENSIONS = 100;

/**
 * Processed or, when critical, harmless to pass over: alternative names only add names, and policies bind nobody unless
 * a policyConstraints extension (critical, refused) demands them (RFC 5280 §6.1.3 d with an any-policy start).
 */
const processed: ReadonlySet<string> = new Set([
  oids.subjectKeyIdentifier,
  oids.authorityKeyIdentifier,
  oids.basicConstraints,
  oids.keyUsage,
  oids.extendedKeyUsage,
  oids.subjectAltName,
  oids.certificatePolicies,
]);

/** Reads the extensions field, if there is one. @throws DerError */
export function readExtensions(fields: DerCursor, version: number): Extensions {
  const list = readList(fields.optional(context(3, true)), version);
  const value = (oid: string): Uint8Array | undefined => list.get(oid)?.value;
  return {
    subjectKeyIdentifier: read(
      value(oids.subjectKeyIdentifier),
      (der) => readOne(der, tags.octetString).value,
    ),
    authorityKeyIdentifier: read(value(oids.authorityKeyIdentifier), readAuthorityKeyIdentifier),
    basicConstraints: read(value(oids.basicConstraints), readBasicConstraints),
    keyUsage: read(value(oids.keyUsage), readKeyUsage),
    extendedKeyUsage: read(value(oids.extendedKeyUsage), readExtendedKeyUsage),
    unknownCritical: [...list.values()]
      .filter((extension) => extension.critical && !processed.has(extension.oid))
      .map((extension) => extension.oid),
  };
}

function read<T>(der: Uint8Array | undefined, reader: (der: Uint8Array) => T): T | undefined {
  return der === undefined ? undefined : reader(der);
}

function readList(field: DerElement | undefined, version: number): Map<string, Extension> {
  const list = new Map<string, Extension>();
  if (field === undefined) return list;
  if (version !== 3) throw new DerError('extensions in a certificate that is not version 3');
  const wrapper = childrenOf(field);
  const sequence = childrenOf(wrapper.take(tags.sequence));
  wrapper.end();
  do {
    const extension = readExtension(sequence.take(tags.sequence));
    if (list.has(extension.oid)) throw new DerError(`extension ${extension.oid} twice`);
    if (list.size === MAX_EXTENSIONS) throw new DerError('too many extensions');
    list.set(extension.oid, extension);
  } while (!sequence.done);
  return list;
}

function readExtension(element: DerElement): Extension {
  const fields = childrenOf(element);
  const oid = oidOf(fields.take(tags.oid));
  const flag = fields.optional(tags.boolean);
  const value = fields.take(tags.octetString).value;
  fields.end();
  // `critical FALSE` is the default and must not be written in DER, yet CAs in use write it.
  return { oid, critical: flag !== undefined && booleanOf(flag), value };
}

function readAuthorityKeyIdentifier(der: Uint8Array): Uint8Array | undefined {
  const fields = childrenOf(readOne(der, tags.sequence));
  const keyIdentifier = fields.optional(context(0, false))?.value;
  fields.optional(context(1, true));
  fields.optional(context(2, false));
  fields.end();
  return keyIdentifier;
}

function readBasicConstraints(der: Uint8Array): NonNullable<Certificate['basicConstraints']> {
  const fields = childrenOf(readOne(der, tags.sequence));
  const flag = fields.optional(tags.boolean);
  const pathLength = fields.optional(tags.integer);
  fields.end();
  return {
    ca: flag !== undefined && booleanOf(flag),
    pathLength: pathLength === undefined ? undefined : smallInteger(pathLength),
  };
}

function readKeyUsage(der: Uint8Array): ReadonlySet<string> {
  const names = [...namedBits(readOne(der, tags.bitString))].map((bit) => keyUsageNames[bit]);
  return new Set(names.filter((name) => name !== undefined));
}

function readExtendedKeyUsage(der: Uint8Array): ReadonlySet<string> {
  const fields = childrenOf(readOne(der, tags.sequence));
  const found = new Set<string>();
  do found.add(oidOf(fields.take(tags.oid)));
  while (!fields.done);
  return found;
}
