/** Makes a token and puts keys into it: for `countersign init --hsm` and for tests. */
import { CountersignError } from '../../core/errors.js';
import { parseCertificate } from '../../pki/certificate.js';
import { childrenOf, DerError, integerBytes, readOne, tags } from '../../pki/der.js';
import { type Handle, type Module, openModule } from './library.js';

/** One RSA key to import. */
export interface ImportedKey {
  readonly label: string;
  /** CKA_ID of the key and of its certificate. */
  readonly id: Uint8Array;
  /** PKCS#8 DER. */
  readonly pkcs8: Uint8Array;
  /** DER. */
  readonly certificate: Uint8Array;
}

export interface TokenRequest {
  readonly module: string;
  /** Wanted label; a number is added if a token of that name exists. */
  readonly label: string;
  readonly pin: string;
  readonly officerPin: string;
  readonly keys: readonly ImportedKey[];
}

type Template = Parameters<Module['api']['C_CreateObject']>[1];

/**
 * Initialises a free slot as a token and imports the keys, sensitive and not extractable, with their certificates.
 *
 * @returns the label that the token got
 * @throws CountersignError PROVIDER_UNAVAILABLE (no pkcs11js, no module, no free slot), PROVIDER_FAILED
 */
export async function initialiseToken(request: TokenRequest): Promise<string> {
  const module = await openModule(request.module);
  const { api, library } = module;
  try {
    const label = freeLabel(module, request.label);
    const slot = makeToken(module, label, request);
    const session = api.C_OpenSession(slot, library.CKF_SERIAL_SESSION | library.CKF_RW_SESSION);
    api.C_Login(session, library.CKU_USER, request.pin);
    for (const key of request.keys) importKey(module, session, key);
    api.C_Logout(session);
    api.C_CloseSession(session);
    return label;
  } catch (error) {
    if (error instanceof CountersignError) throw error;
    throw new CountersignError('PROVIDER_FAILED', `the token of ${request.module} could not be filled`, {
      cause: error,
    });
  } finally {
    module.release();
  }
}

function freeLabel({ api }: Module, wanted: string): string {
  const taken = new Set(api.C_GetSlotList(true).map((slot) => labelOf(api.C_GetTokenInfo(slot))));
  for (let number = 1; ; number += 1) {
    const label = number === 1 ? wanted : `${wanted}-${number}`;
    if (!taken.has(label)) return label;
  }
}

/** @returns the slot of the new token: some modules move it to another slot when it is initialised */
function makeToken({ api, library }: Module, label: string, request: TokenRequest): Buffer {
  const free = api
    .C_GetSlotList(true)
    .find((slot) => (api.C_GetTokenInfo(slot).flags & library.CKF_TOKEN_INITIALIZED) === 0);
  if (free === undefined) {
    throw new CountersignError(
      'PROVIDER_UNAVAILABLE',
      `${request.module} has no slot with a token to initialise`,
    );
  }
  // PKCS #11 v3.0 §5.5: 32 characters, blank-padded; pkcs11js would leave NULs.
  api.C_InitToken(free, request.officerPin, label.padEnd(32, ' '));
  const slot = api.C_GetSlotList(true).find((one) => labelOf(api.C_GetTokenInfo(one)) === label);
  if (slot === undefined) throw new CountersignError('PROVIDER_FAILED', 'the new token cannot be found');
  const session = api.C_OpenSession(slot, library.CKF_SERIAL_SESSION | library.CKF_RW_SESSION);
  api.C_Login(session, library.CKU_SO, request.officerPin);
  api.C_InitPIN(session, request.pin);
  api.C_Logout(session);
  api.C_CloseSession(session);
  return slot;
}

function labelOf(info: { readonly label: string }): string {
  return info.label.replace(/[\0 ]+$/, '');
}

function importKey({ api, library }: Module, session: Handle, key: ImportedKey): void {
  const rsa = readRsa(key.pkcs8);
  const common: Template = [
    { type: library.CKA_TOKEN, value: true },
    { type: library.CKA_LABEL, value: key.label },
    { type: library.CKA_ID, value: Buffer.from(key.id) },
  ];
  const modulus: Template = [
    { type: library.CKA_MODULUS, value: rsa.modulus },
    { type: library.CKA_PUBLIC_EXPONENT, value: rsa.publicExponent },
  ];
  api.C_CreateObject(session, [
    { type: library.CKA_CLASS, value: library.CKO_PRIVATE_KEY },
    { type: library.CKA_KEY_TYPE, value: library.CKK_RSA },
    ...common,
    { type: library.CKA_PRIVATE, value: true },
    { type: library.CKA_SENSITIVE, value: true },
    { type: library.CKA_EXTRACTABLE, value: false },
    { type: library.CKA_SIGN, value: true },
    { type: library.CKA_DECRYPT, value: true },
    { type: library.CKA_UNWRAP, value: true },
    ...modulus,
    { type: library.CKA_PRIVATE_EXPONENT, value: rsa.privateExponent },
    { type: library.CKA_PRIME_1, value: rsa.prime1 },
    { type: library.CKA_PRIME_2, value: rsa.prime2 },
    { type: library.CKA_EXPONENT_1, value: rsa.exponent1 },
    { type: library.CKA_EXPONENT_2, value: rsa.exponent2 },
    { type: library.CKA_COEFFICIENT, value: rsa.coefficient },
  ]);
  api.C_CreateObject(session, [
    { type: library.CKA_CLASS, value: library.CKO_PUBLIC_KEY },
    { type: library.CKA_KEY_TYPE, value: library.CKK_RSA },
    ...common,
    { type: library.CKA_VERIFY, value: true },
    { type: library.CKA_ENCRYPT, value: true },
    ...modulus,
  ]);
  api.C_CreateObject(session, [
    { type: library.CKA_CLASS, value: library.CKO_CERTIFICATE },
    { type: library.CKA_CERTIFICATE_TYPE, value: library.CKC_X_509 },
    ...common,
    { type: library.CKA_SUBJECT, value: Buffer.from(parseCertificate(key.certificate).subject.der) },
    { type: library.CKA_VALUE, value: Buffer.from(key.certificate) },
  ]);
}

interface RsaNumbers {
  readonly modulus: Buffer;
  readonly publicExponent: Buffer;
  readonly privateExponent: Buffer;
  readonly prime1: Buffer;
  readonly prime2: Buffer;
  readonly exponent1: Buffer;
  readonly exponent2: Buffer;
  readonly coefficient: Buffer;
}

/** The numbers of an RSAPrivateKey (RFC 8017 appendix A.1.2) in PKCS#8. */
function readRsa(pkcs8: Uint8Array): RsaNumbers {
  try {
    const outer = childrenOf(readOne(pkcs8, tags.sequence));
    outer.take(tags.integer);
    outer.take(tags.sequence);
    const fields = childrenOf(readOne(outer.take(tags.octetString).value, tags.sequence));
    fields.take(tags.integer);
    const next = (): Buffer => {
      const bytes = integerBytes(fields.take(tags.integer));
      return Buffer.from(bytes[0] === 0 ? bytes.subarray(1) : bytes);
    };
    return {
      modulus: next(),
      publicExponent: next(),
      privateExponent: next(),
      prime1: next(),
      prime2: next(),
      exponent1: next(),
      exponent2: next(),
      coefficient: next(),
    };
  } catch (error) {
    if (!(error instanceof DerError)) throw error;
    throw new CountersignError('KEY_FILE_MALFORMED', 'only RSA keys can be imported into a token', {
      cause: error,
    });
  }
}
