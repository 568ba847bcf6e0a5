/** What a token holds: the private key of a label, and the certificates that go with it. */
import { CountersignError } from '../../core/errors.js';
import { bitString, nullElement, objectIdentifier, sequence, unsignedInteger } from '../../pki/der-writer.js';
import { childrenOf, oidOf, readOne, tags } from '../../pki/der.js';
import { curveOids, oids } from '../../pki/oids.js';
import type { KeyFacts } from '../contract.js';
import { privateKeyUnreadable } from '../failures.js';
import type { Handle } from './library.js';
import type { Token } from './token.js';

/** A private key on a token. */
export interface FoundKey {
  readonly object: Handle;
  readonly facts: KeyFacts;
  /** SubjectPublicKeyInfo, DER; from the token's own word. */
  readonly spki: Uint8Array;
  /** DER. */
  readonly certificates: readonly Uint8Array[];
  /** RSA: the modulus, big-endian, without a leading zero. */
  readonly modulus: Uint8Array;
}

type Template = { type: number; value?: Buffer | number | string | boolean }[];

function find(token: Token, template: Template): Handle[] {
  const { api } = token.module;
  return token.inspect((session) => {
    api.C_FindObjectsInit(session, template);
    try {
      return api.C_FindObjects(session, 16);
    } finally {
      api.C_FindObjectsFinal(session);
    }
  });
}

/** @returns undefined when the object does not have the attribute or does not tell it */
function read(token: Token, object: Handle, type: number): Buffer | undefined {
  try {
    const [attribute] = token.inspect((session) =>
      token.module.api.C_GetAttributeValue(session, object, [{ type }]),
    );
    return attribute === undefined || attribute.value.length === 0 ? undefined : attribute.value;
  } catch {
    return undefined;
  }
}

/** @throws CountersignError KEY_ALIAS_MISSING, KEY_FILE_MALFORMED */
export function findKey(token: Token, label: string): FoundKey {
  const { library } = token.module;
  const found = find(token, [
    { type: library.CKA_CLASS, value: library.CKO_PRIVATE_KEY },
    { type: library.CKA_LABEL, value: label },
  ]);
  const [object] = found;
  if (object === undefined || found.length > 1) {
    throw new CountersignError(
      'KEY_ALIAS_MISSING',
      `token ${token.label} has ${found.length === 0 ? 'no private key' : 'several private keys'} labelled ${label}`,
      { details: { token: token.label, label } },
    );
  }
  const id = read(token, object, library.CKA_ID);
  const certificates = findCertificates(token, label, id);
  // The private object need not tell the public numbers; its public twin does.
  const [twin = object] = find(token, [
    { type: library.CKA_CLASS, value: library.CKO_PUBLIC_KEY },
    ...(id === undefined
      ? [{ type: library.CKA_LABEL, value: label }]
      : [{ type: library.CKA_ID, value: id }]),
  ]);
  const value = (type: number): Buffer | undefined => read(token, object, type) ?? read(token, twin, type);
  return { object, certificates, ...publicHalf(token, value) };
}

function findCertificates(token: Token, label: string, id: Buffer | undefined): Uint8Array[] {
  const { library } = token.module;
  const kind = { type: library.CKA_CLASS, value: library.CKO_CERTIFICATE };
  let found = id === undefined ? [] : find(token, [kind, { type: library.CKA_ID, value: id }]);
  if (found.length === 0) found = find(token, [kind, { type: library.CKA_LABEL, value: label }]);
  return found.flatMap((object) => read(token, object, library.CKA_VALUE) ?? []);
}

function publicHalf(
  token: Token,
  value: (type: number) => Buffer | undefined,
): Pick<FoundKey, 'facts' | 'spki' | 'modulus'> {
  const { library } = token.module;
  const modulus = value(library.CKA_MODULUS);
  const exponent = value(library.CKA_PUBLIC_EXPONENT);
  if (modulus !== undefined && exponent !== undefined) return rsaHalf(modulus, exponent);
  const parameters = value(library.CKA_EC_PARAMS);
  const point = value(library.CKA_EC_POINT);
  if (parameters !== undefined && point !== undefined) return ecHalf(parameters, point);
  throw privateKeyUnreadable(`token ${token.label} does not tell its public half`);
}

function rsaHalf(modulus: Uint8Array, exponent: Uint8Array): Pick<FoundKey, 'facts' | 'spki' | 'modulus'> {
  const digits = modulus[0] === 0 ? modulus.subarray(1) : modulus;
  const key = sequence(unsignedInteger(digits), unsignedInteger(exponent));
  return {
    facts: { kind: 'RSA', bits: digits.length * 8 - Math.clz32(digits[0] ?? 0) + 24 },
    spki: sequence(sequence(objectIdentifier(oids.rsaEncryption), nullElement()), bitString(key)),
    modulus: digits,
  };
}

function ecHalf(parameters: Uint8Array, point: Uint8Array): Pick<FoundKey, 'facts' | 'spki' | 'modulus'> {
  try {
    const curve = curveOids.get(oidOf(readOne(parameters, tags.oid)));
    if (curve === undefined || !['P-256', 'P-384', 'P-521'].includes(curve.name))
      throw new Error('an unknown curve');
    // CKA_EC_POINT is the point in an OCTET STRING (PKCS #11 v3.0 §6.3.3).
    const octets = readOne(point, tags.octetString).value;
    const spki = sequence(sequence(objectIdentifier(oids.ecPublicKey), parameters), bitString(octets));
    childrenOf(readOne(spki, tags.sequence));
    return { facts: { kind: 'EC', bits: curve.bits, curve: curve.name }, spki, modulus: new Uint8Array(0) };
  } catch (cause) {
    throw privateKeyUnreadable('its curve or its point cannot be read', cause);
  }
}
