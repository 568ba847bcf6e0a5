import type { SignatureAlgorithm } from '../../core/contracts.js';
import { CountersignError } from '../../core/errors.js';
import { makeTable } from '../../core/table.js';
import type { AlgorithmDescriptor, AlgorithmKind, AlgorithmTable, DescriptorOf } from './descriptor.js';

export type { AlgorithmTable } from './descriptor.js';

/** A module of `builtin.ts`: every export is a list of descriptors. */
export type AlgorithmModules = Readonly<Record<string, readonly AlgorithmDescriptor[]>>;

function shape(algorithm: SignatureAlgorithm): string {
  const hash = 'hash' in algorithm ? algorithm.hash : '';
  if (algorithm.name !== 'RSA-PSS') return `${algorithm.name} ${hash}`;
  return `${algorithm.name} ${hash} ${algorithm.mgfHash} ${algorithm.saltLength}`;
}

const isKind = <K extends AlgorithmKind>(
  descriptor: AlgorithmDescriptor | undefined,
  kind: K,
): descriptor is DescriptorOf<K> => descriptor?.kind === kind;

/**
 * Makes the table from `builtin.ts`.
 *
 * @throws Error when two descriptors of one kind share a URI or an id: a fault of the build
 */
export function makeAlgorithmTable(modules: AlgorithmModules): AlgorithmTable {
  const all = Object.freeze(Object.values(modules).flat());
  // A descriptor that is refined by its parameters is none to name in a policy.
  const named = all.filter((one) => !('refine' in one));
  const uris = new Map<AlgorithmKind, ReadonlyMap<string, AlgorithmDescriptor>>();
  for (const kind of new Set(all.map((one) => one.kind))) {
    const ofKind = all.filter((one) => one.kind === kind);
    uris.set(
      kind,
      makeTable(`${kind} URI`, ofKind, (one) => one.uri),
    );
  }
  const ids = makeTable('algorithm', named, (one) => `${one.kind} ${one.id}`);
  const shapes = new Map<string, string>();
  for (const one of named) if (one.kind === 'signature') shapes.set(shape(one.algorithm), one.id);

  const find = <K extends AlgorithmKind>(uri: string, kind: K): DescriptorOf<K> | undefined => {
    const found = uris.get(kind)?.get(uri);
    return isKind(found, kind) ? found : undefined;
  };
  return Object.freeze({
    all,
    find,
    byUri: <K extends AlgorithmKind>(uri: string, kind: K): DescriptorOf<K> => {
      const found = find(uri, kind);
      if (found !== undefined) return found;
      throw new CountersignError(
        'ALGORITHM_UNKNOWN',
        `${uri.slice(0, 200)} is not a known ${kind} algorithm`,
        {
          details: { uri: uri.slice(0, 200), kind },
        },
      );
    },
    byId: <K extends AlgorithmKind>(id: string, kind: K): DescriptorOf<K> => {
      const found = ids.get(`${kind} ${id}`);
      if (isKind(found, kind)) return found;
      throw new CountersignError('ALGORITHM_UNKNOWN', `${id} is not a known ${kind} algorithm`, {
        details: { id, kind },
      });
    },
    ids: (kind: AlgorithmKind) => named.filter((one) => one.kind === kind).map((one) => one.id),
    signatureId: (algorithm: SignatureAlgorithm) => shapes.get(shape(algorithm)),
  });
}
