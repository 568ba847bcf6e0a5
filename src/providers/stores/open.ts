/** Opens the keys of a policy: the home that the provider uses, the certificate, its dates. */
import { equal, wipe } from '../../core/bytes.js';
import { formatUtc } from '../../core/calendar.js';
import { CountersignError, isCountersignError } from '../../core/errors.js';
import { parseCertificate } from '../../pki/certificate.js';
import type { KeyHandle, PrivateOperations, PublicOperations } from '../contract.js';
import type { KeyEntry, KeyRing } from '../keys.js';
import { isValid } from '../rollover.js';
import type {
  FileHomeInput,
  HsmHomeInput,
  KeyDeclaration,
  KeyEntryDeclaration,
  TokenKey,
  TokenOpener,
} from './homes.js';
import { readFileHome } from './read.js';
import { chainOf, type Selected } from './select.js';

/** With what keys are opened. */
export interface KeyOpening {
  /** The provider that the policy names. */
  readonly provider: 'js' | 'openssl' | 'pkcs11';
  /** Whoever does public work. */
  readonly public: Pick<PublicOperations, 'importPublicKey'>;
  /** Whoever takes private keys from files; undefined under pkcs11. */
  readonly private: Pick<PrivateOperations, 'importPrivateKey'> | undefined;
  /** Undefined where no token can be reached (`check --offline`). */
  readonly tokens: TokenOpener | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Opens every entry of a key.
 *
 * @throws CountersignError KEY_HOME_MISSING, KEY_FILE_UNREADABLE, KEY_FILE_MALFORMED, KEY_PASSWORD_WRONG,
 *   KEY_PASSWORD_MISSING, KEY_ALIAS_MISSING, KEY_MISMATCH, KEY_CERTIFICATE_MISSING, KEY_CERTIFICATE_EXPIRED,
 *   KEY_CERTIFICATE_NOT_YET_VALID, PROVIDER_UNAVAILABLE; all name the key
 */
export async function openKey(declaration: KeyDeclaration, opening: KeyOpening): Promise<KeyRing> {
  const entries: KeyEntry[] = [];
  for (const entry of declaration.entries) entries.push(await openEntry(declaration.name, entry, opening));
  checkDates(declaration.name, entries, opening.now);
  return Object.freeze({ name: declaration.name, entries: Object.freeze(entries) });
}

/** Which home of an entry a provider uses; undefined when it has none that fits. See policy.md, Keys. */
export function homeFor(
  entry: KeyEntryDeclaration,
  provider: KeyOpening['provider'],
): 'file' | 'hsm' | undefined {
  const { file, hsm } = entry;
  const onToken = hsm.length > 0;
  if (file === undefined) return onToken ? 'hsm' : undefined;
  if (onToken && (provider === 'pkcs11' || !hasPrivateKey(file))) return 'hsm';
  // Under pkcs11 a certificate alone needs no private home.
  return provider === 'pkcs11' && hasPrivateKey(file) ? undefined : 'file';
}

async function openEntry(name: string, entry: KeyEntryDeclaration, opening: KeyOpening): Promise<KeyEntry> {
  switch (homeFor(entry, opening.provider)) {
    case 'hsm':
      return openFromToken(name, entry, opening);
    case 'file':
      if (entry.file !== undefined) return openFromFile(name, entry.file, entry.from, opening);
      break;
    case undefined:
  }
  const needed = opening.provider === 'pkcs11' ? 'an hsm home' : 'a file home (store: p12 or pem)';
  throw new CountersignError(
    'KEY_HOME_MISSING',
    `key ${name} has no home that provider ${opening.provider} can use; it needs ${needed}`,
    { details: { key: name } },
  );
}

async function openFromFile(
  name: string,
  home: FileHomeInput,
  from: number | undefined,
  opening: KeyOpening,
): Promise<KeyEntry> {
  const selected = await readFileHome(name, home);
  const privateKey =
    selected.pkcs8 === undefined ? undefined : await importPrivate(name, selected.pkcs8, opening);
  return makeEntry(name, selected, { privateKey, from }, opening);
}

async function importPrivate(name: string, pkcs8: Uint8Array, opening: KeyOpening): Promise<KeyHandle> {
  try {
    const { private: operations } = opening;
    if (operations?.importPrivateKey === undefined) {
      throw new CountersignError(
        'KEY_HOME_MISSING',
        `provider ${opening.provider} takes no private keys from files`,
      );
    }
    return await operations.importPrivateKey(pkcs8);
  } catch (error) {
    throw named(name, error);
  } finally {
    wipe(pkcs8);
  }
}

async function openFromToken(
  name: string,
  entry: KeyEntryDeclaration,
  opening: KeyOpening,
): Promise<KeyEntry> {
  const found = await findOnToken(name, entry.hsm, opening.tokens);
  const selected = tokenCertificate(name, found) ?? (await fileCertificate(name, entry.file));
  if (selected === undefined) {
    throw new CountersignError(
      'KEY_CERTIFICATE_MISSING',
      `key ${name}: there is no certificate next to the key on the token; put it there under the key's label, or name a file (store: pem, certificate: …)`,
      { details: { key: name } },
    );
  }
  if (found.spki !== undefined && !equal(found.spki, selected.certificate.spki)) {
    throw new CountersignError(
      'KEY_MISMATCH',
      `key ${name}: the key on the token does not fit the certificate`,
      {
        details: { key: name },
      },
    );
  }
  return makeEntry(name, selected, { privateKey: found.privateKey, from: entry.from }, opening);
}

async function findOnToken(
  name: string,
  homes: readonly HsmHomeInput[],
  tokens: TokenOpener | undefined,
): Promise<TokenKey> {
  try {
    if (tokens === undefined) throw new CountersignError('PROVIDER_UNAVAILABLE', 'no token is open');
    return await tokens.openKey(homes);
  } catch (error) {
    throw named(name, error);
  }
}

function tokenCertificate(name: string, found: TokenKey): Selected | undefined {
  try {
    const all = found.certificates.map((der) => parseCertificate(der));
    const { spki } = found;
    const certificate = spki === undefined ? all[0] : (all.find((one) => equal(one.spki, spki)) ?? all[0]);
    if (certificate === undefined) return undefined;
    return { certificate, chain: chainOf(certificate, all), pkcs8: undefined };
  } catch (error) {
    throw named(name, error);
  }
}

/** Next to an hsm home, a PEM file that holds only the certificate belongs to it. */
async function fileCertificate(name: string, home: FileHomeInput | undefined): Promise<Selected | undefined> {
  if (home?.store !== 'pem') return undefined;
  return readFileHome(name, { ...home, key: undefined });
}

function makeEntry(
  name: string,
  selected: Selected,
  rest: Pick<KeyEntry, 'privateKey' | 'from'>,
  opening: KeyOpening,
): KeyEntry {
  try {
    const publicKey = opening.public.importPublicKey(selected.certificate.spki);
    return Object.freeze({ certificate: selected.certificate, chain: selected.chain, publicKey, ...rest });
  } catch (error) {
    throw named(name, error);
  }
}

/** One entry must be valid now; in a rollover list the others may be old or new. */
function checkDates(name: string, entries: readonly KeyEntry[], now: number): void {
  if (entries.some((entry) => isValid(entry, now))) return;
  const [first] = entries;
  if (first === undefined) throw new CountersignError('KEY_HOME_MISSING', `key ${name} has no entry`);
  const { notBefore, notAfter, subject } = first.certificate;
  const early = entries.every((entry) => now < entry.certificate.notBefore);
  throw new CountersignError(
    early ? 'KEY_CERTIFICATE_NOT_YET_VALID' : 'KEY_CERTIFICATE_EXPIRED',
    `key ${name}: the certificate ${subject.toString()} ${early ? `is valid from ${formatUtc(notBefore)} on` : `expired at ${formatUtc(notAfter)}`}`,
    { details: { key: name } },
  );
}

function hasPrivateKey(home: FileHomeInput): boolean {
  return home.store === 'p12' || home.key !== undefined;
}

/** Puts the key's name in front of an error that does not know it. */
function named(name: string, error: unknown): unknown {
  if (!isCountersignError(error) || error.details['key'] !== undefined) return error;
  return new CountersignError(error.code, `key ${name}: ${error.message}`, {
    cause: error.cause,
    details: { ...error.details, key: name },
  });
}
