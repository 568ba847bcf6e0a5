/** What `sign` does with a key where the policy names no algorithm: that follows from the key's certificate. */
import { isCountersignError } from '../../core/errors.js';
import { fittingSignature } from '../../pipeline/index.js';
import type { Certificate } from '../../pki/index.js';
import type { KeyConfig, KeyEntryConfig } from '../../policy/config.js';
import { signsByKey } from '../../policy/expand.js';
import { declareKey, type LoadedConfig } from '../../policy/index.js';
import { readCertificates } from '../../providers/index.js';
import { readFileHome } from '../../providers/stores/read.js';

export interface Fitting {
  /** By the name of the key. */
  readonly algorithms: ReadonlyMap<string, string>;
  /** Why some are not there. */
  readonly notes: readonly string[];
}

/** Looks at the certificates of the keys that sign by what fits them. Tokens are not opened. */
export async function fittingAlgorithms({ gateway, services }: LoadedConfig): Promise<Fitting> {
  const chains = services.flatMap(({ request, response }) => [request, response]);
  const names = new Set(chains.flatMap(({ steps }) => steps.map(signsByKey)));
  const algorithms = new Map<string, string>();
  const notes: string[] = [];
  for (const [name, key] of gateway?.keys ?? []) {
    if (!names.has(name)) continue;
    try {
      const found = new Set((await certificatesOf(key)).map(({ publicKey }) => fittingSignature(publicKey)));
      const [algorithm] = found;
      if (algorithm === undefined) notes.push(note(name, 'what fits the key, which is on a token'));
      else if (found.size === 1) algorithms.set(name, algorithm);
      else notes.push(note(name, `${[...found].join(' or ')}, by the entry that is used`));
    } catch (error) {
      if (!isCountersignError(error)) throw error;
      notes.push(note(name, `what fits the key, which is not known here: ${error.code}: ${error.message}`));
    }
  }
  return { algorithms, notes };
}

const note = (key: string, what: string): string =>
  `note: sign with the key ${key}: its algorithm is ${what}`;

async function certificatesOf(key: KeyConfig): Promise<Certificate[]> {
  const all: Certificate[] = [];
  for (const entry of key.entries) {
    const certificate = await certificateOf(key, entry);
    if (certificate !== undefined) all.push(certificate);
  }
  return all;
}

async function certificateOf(key: KeyConfig, entry: KeyEntryConfig): Promise<Certificate | undefined> {
  const { file } = entry;
  // a PEM certificate is read without the password of its key
  if (file?.store === 'pem') return (await readCertificates(file.certificate))[0];
  const declared = declareKey({ ...key, entries: [entry] }).entries[0]?.file;
  if (declared === undefined) return undefined;
  const { certificate, pkcs8 } = await readFileHome(key.name, declared);
  pkcs8?.fill(0);
  return certificate;
}
