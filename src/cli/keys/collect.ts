/** The certificates that a configuration names, each with where it is and what uses it. */
import { isCountersignError } from '../../core/errors.js';
import type { Certificate } from '../../pki/index.js';
import type { ChainConfig, ServiceConfig, StepConfig, TrustConfig } from '../../policy/config.js';
import { verifyLabels } from '../../policy/index.js';
import {
  type KeyDeclaration,
  type KeyEntryDeclaration,
  type KeyOpening,
  openKey,
  readCertificates,
} from '../../providers/index.js';
import { homeFor } from '../../providers/stores/open.js';
import { readFileHome } from '../../providers/stores/read.js';
import { type CertificateReport, describeCertificate } from './describe.js';
import { type LastUses, stepKey } from './last-use.js';

/** One certificate of the configuration, or why it cannot be read. */
export interface ListRow {
  readonly role: 'key' | 'chain' | 'anchor' | 'pinned';
  /** Name of the key or trust. */
  readonly name: string;
  /** A file, or `token LABEL`. */
  readonly home: string;
  readonly privateKey: boolean;
  /** `orders request sign`, … */
  readonly uses: readonly string[];
  /** ISO time at which the key or trust of this name was last used, as far as a log says it. */
  readonly lastUse: string | undefined;
  readonly certificate: CertificateReport | undefined;
  readonly problem: { readonly code: string; readonly message: string } | undefined;
}

/** What is listed. */
export interface ListSource {
  readonly keys: readonly KeyDeclaration[];
  readonly trusts: readonly Pick<TrustConfig, 'name' | 'anchors' | 'certificates'>[];
  readonly services: readonly Pick<ServiceConfig, 'name' | 'request' | 'response' | 'upstream'>[];
  /** Key of the TLS listener. */
  readonly listenerKey: string | undefined;
  readonly lastUses: LastUses;
}

/** What uses a key or trust, and when it was last used. */
type Usage = Pick<ListRow, 'uses' | 'lastUse'>;

/** Reads them all; nothing that fails stops the rest. */
export async function collectRows(source: ListSource, opening: KeyOpening): Promise<ListRow[]> {
  const rows: ListRow[] = [];
  for (const key of source.keys) {
    const usage = { uses: usesOf(source, 'key', key.name), lastUse: source.lastUses.keys.get(key.name) };
    for (const entry of key.entries) rows.push(...(await keyRows(key.name, entry, usage, opening)));
  }
  for (const trust of source.trusts) {
    const usage = { uses: usesOf(source, 'trust', trust.name), lastUse: lastVerify(source, trust.name) };
    const row = (role: 'anchor' | 'pinned', home: string): TrustFile => ({
      ...usage,
      role,
      name: trust.name,
      home,
      privateKey: false,
    });
    for (const file of trust.anchors) rows.push(...(await trustRows(row('anchor', file), opening.now)));
    for (const file of trust.certificates) rows.push(...(await trustRows(row('pinned', file), opening.now)));
  }
  return rows;
}

async function keyRows(
  name: string,
  entry: KeyEntryDeclaration,
  { uses, lastUse }: Usage,
  opening: KeyOpening,
): Promise<ListRow[]> {
  const home = placeOf(entry, opening.provider);
  return guarded({ role: 'key', name, home, privateKey: false, uses, lastUse }, async () => {
    const { leaf, chain, privateKey } = await readEntry(name, entry, opening);
    const row = (role: 'key' | 'chain', certificate: Certificate): ListRow => ({
      role,
      name,
      home,
      privateKey: role === 'key' && privateKey,
      uses: role === 'key' ? uses : [],
      lastUse: role === 'key' ? lastUse : undefined,
      certificate: describeCertificate(certificate, opening.now),
      problem: undefined,
    });
    return [row('key', leaf), ...chain.map((certificate) => row('chain', certificate))];
  });
}

/** A file home is read without its dates being judged: listing is how one finds what has expired. */
async function readEntry(
  name: string,
  entry: KeyEntryDeclaration,
  opening: KeyOpening,
): Promise<{ leaf: Certificate; chain: readonly Certificate[]; privateKey: boolean }> {
  if (homeFor(entry, opening.provider) === 'file' && entry.file !== undefined) {
    const { certificate, chain, pkcs8 } = await readFileHome(name, entry.file);
    pkcs8?.fill(0);
    return { leaf: certificate, chain, privateKey: pkcs8 !== undefined };
  }
  const ring = await openKey({ name, entries: [entry] }, opening);
  const [opened] = ring.entries;
  if (opened === undefined) throw new Error('a key without an entry');
  return { leaf: opened.certificate, chain: opened.chain, privateKey: opened.privateKey !== undefined };
}

type TrustFile = Omit<ListRow, 'certificate' | 'problem'>;

async function trustRows(common: TrustFile, now: number): Promise<ListRow[]> {
  return guarded(common, async () =>
    (await readCertificates(common.home)).map((certificate) => ({
      ...common,
      certificate: describeCertificate(certificate, now),
      problem: undefined,
    })),
  );
}

async function guarded(
  common: Omit<ListRow, 'certificate' | 'problem'>,
  read: () => Promise<ListRow[]>,
): Promise<ListRow[]> {
  try {
    return await read();
  } catch (error) {
    if (!isCountersignError(error)) throw error;
    return [{ ...common, certificate: undefined, problem: { code: error.code, message: error.message } }];
  }
}

function placeOf(entry: KeyEntryDeclaration, provider: KeyOpening['provider']): string {
  const { file, hsm } = entry;
  if (homeFor(entry, provider) === 'hsm') {
    return hsm.map((home) => `token ${home.uri ?? `${home.token ?? '?'} / ${home.label ?? '?'}`}`).join(', ');
  }
  return file === undefined ? 'nowhere' : file.store === 'p12' ? file.file : file.certificate;
}

/** Which steps name a key (`key`, `to`) or a trust (`trust`), and which TLS ends use a key. */
function usesOf(source: ListSource, kind: 'key' | 'trust', name: string): string[] {
  const options = kind === 'key' ? ['key', 'to'] : ['trust'];
  const uses: string[] = [];
  if (kind === 'key' && source.listenerKey === name) uses.push('listener tls');
  for (const service of source.services) {
    for (const chain of ['request', 'response'] as const) {
      const steps = service[chain].steps.filter((step) => names(step, options, name));
      uses.push(...steps.map((step) => `${service.name} ${chain} ${step.name}`));
    }
    if (kind === 'key' && service.upstream.tls?.key === name) uses.push(`${service.name} upstream tls`);
  }
  return uses;
}

/** When a `verify` of this trust last took part in a message that was accepted. */
function lastVerify({ services, lastUses }: ListSource, trust: string): string | undefined {
  const times = services.flatMap((service) =>
    (['request', 'response'] as const).flatMap((chain) =>
      verifyLabels(service[chain])
        .filter((_, index) => names(verifies(service[chain])[index], ['trust'], trust))
        .map((label) => lastUses.steps.get(stepKey(service.name, chain, label))),
    ),
  );
  return times
    .filter((time) => time !== undefined)
    .sort()
    .at(-1);
}

const verifies = (chain: ChainConfig): StepConfig[] => chain.steps.filter(({ name }) => name === 'verify');

function names(step: StepConfig | undefined, options: readonly string[], name: string): boolean {
  if (typeof step?.options !== 'object' || step.options === null) return false;
  return Object.entries(step.options).some(([option, value]) => options.includes(option) && value === name);
}
