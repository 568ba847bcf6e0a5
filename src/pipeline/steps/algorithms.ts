/** Algorithms of step options: looked up and judged when the chain is built. */
import type { KeyFacts } from '../../providers/contract.js';
import type { AlgorithmDescriptor, AlgorithmKind, DescriptorOf } from '../../wss/algorithms/descriptor.js';
import type { AlgorithmUse } from '../../wss/profiles.js';
import type { StepBuild } from '../handler.js';
import { located, policyError } from '../policy-error.js';

export interface AlgorithmChoice<K extends AlgorithmKind> {
  readonly kind: K;
  readonly id: string;
  readonly use: AlgorithmUse;
  /** Path of the option within the step. */
  readonly at: string;
}

/**
 * The algorithm that an option names.
 *
 * @param key the key it will be used with, where there is one
 * @throws CountersignError CONFIG_UNKNOWN_NAME, ALGORITHM_DENIED, ALGORITHM_EXPIRED, KEY_TOO_WEAK, with `at`
 */
export function chooseAlgorithm<K extends AlgorithmKind>(
  build: StepBuild,
  choice: AlgorithmChoice<K>,
  key?: KeyFacts,
): DescriptorOf<K> {
  const { algorithms, constraints, clock } = build.toolkit;
  const { kind, id, use, at } = choice;
  const ids = algorithms.ids(kind);
  if (!ids.includes(id)) {
    throw policyError('CONFIG_UNKNOWN_NAME', `there is no ${kind} algorithm ${id}`, at, {
      kind: 'algorithm',
      name: id,
      known: ids.join(', '),
    });
  }
  const descriptor = algorithms.byId(id, kind);
  const now = clock.now();
  // `check` counts what it lets pass; building a chain is no use of an exception.
  if (!constraints.permits(id, use, now)) {
    const known = ids
      .filter((each) => constraints.permits(each, use, now) && fits(algorithms.byId(each, kind), key))
      .join(', ');
    const help = `or, knowing why, algorithms: { allow: ["${id} for ${use} until DATE"] }`;
    located(at, () => constraints.check(id, use, undefined, now), { known, help });
  }
  if (key !== undefined && 'key' in descriptor && !fits(descriptor, key)) {
    throw policyError(
      'POLICY_INVALID',
      `${id} takes a key of kind ${descriptor.key.kind}, not ${key.kind}`,
      at,
    );
  }
  return descriptor;
}

const fitting: Readonly<Record<string, string>> = {
  RSA: 'rsa-sha256',
  'P-256': 'ecdsa-sha256',
  'P-384': 'ecdsa-sha384',
  'P-521': 'ecdsa-sha512',
  Ed25519: 'ed25519',
};

/** The signature algorithm of a key, where the policy does not say (design/policy.md, A service). */
export function fittingSignature({ kind, curve }: Pick<KeyFacts, 'kind' | 'curve'>): string {
  return fitting[curve ?? kind] ?? 'rsa-sha256';
}

const fits = (descriptor: AlgorithmDescriptor, key: KeyFacts | undefined): boolean =>
  key === undefined || !('key' in descriptor) || descriptor.key.kind === key.kind;
