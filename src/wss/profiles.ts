/** What is allowed without a word in the policy, and what `profile: legacy` adds. Data only. */

/** What an algorithm is used for. `certificate`: a signature over a certificate, or the key of an issuer. */
export type AlgorithmUse = 'sign' | 'verify' | 'encrypt' | 'decrypt' | 'certificate';

export const algorithmUses: readonly AlgorithmUse[] = Object.freeze([
  'sign',
  'verify',
  'encrypt',
  'decrypt',
  'certificate',
]);

export type ProfileName = 'default' | 'legacy';
export const profileNames: readonly ProfileName[] = Object.freeze(['default', 'legacy']);

/** One line of a profile. */
export interface ProfileEntry {
  readonly id: string;
  readonly uses: readonly AlgorithmUse[];
  /** Whether each use is counted, being weaker than the rest. */
  readonly counted: boolean;
}

const signing: readonly AlgorithmUse[] = ['sign', 'verify'];
const sealing: readonly AlgorithmUse[] = ['encrypt', 'decrypt'];
const message: readonly AlgorithmUse[] = [...signing, ...sealing];

const entries = (
  ids: readonly string[],
  uses: readonly AlgorithmUse[],
  counted = false,
): readonly ProfileEntry[] => ids.map((id) => Object.freeze({ id, uses, counted }));

const asymmetric = [
  ...['rsa-sha256', 'rsa-sha384', 'rsa-sha512'],
  ...['rsa-pss-sha256', 'rsa-pss-sha384', 'rsa-pss-sha512'],
  ...['ecdsa-sha256', 'ecdsa-sha384', 'ecdsa-sha512'],
];

const defaults: readonly ProfileEntry[] = [
  ...entries(asymmetric, [...signing, 'certificate']),
  ...entries(['ed25519'], ['certificate']),
  ...entries(['hmac-sha256', 'hmac-sha384', 'hmac-sha512', 'exc-c14n'], signing),
  ...entries(['sha256', 'sha384', 'sha512'], message),
  ...entries(['aes128-gcm', 'aes192-gcm', 'aes256-gcm'], sealing),
  ...entries(['rsa-oaep', 'rsa-oaep-mgf1p', 'mgf1-sha256', 'mgf1-sha384', 'mgf1-sha512'], sealing),
  ...entries(['kw-aes128', 'kw-aes192', 'kw-aes256'], sealing),
  // SHA-1 as hash or mask of OAEP is not a weakness (no collision helps), and what most stacks send when told nothing.
  ...entries(['sha1', 'mgf1-sha1'], sealing, true),
];

const legacyOnly: readonly ProfileEntry[] = [
  ...entries(['rsa-sha1', 'hmac-sha1', 'sha1'], signing, true),
  ...entries(['aes128-cbc', 'aes192-cbc', 'aes256-cbc', '3des-cbc', 'rsa-1_5'], sealing, true),
  ...entries(['rsa-1024'], message, true),
];

export const profiles: Readonly<Record<ProfileName, readonly ProfileEntry[]>> = Object.freeze({
  default: Object.freeze(defaults),
  legacy: Object.freeze([...defaults, ...legacyOnly]),
});
