/** Judges algorithms and keys. What is not listed is refused. */
import { CountersignError } from '../core/errors.js';
import type { KeyFacts, KeyKind } from '../providers/contract.js';
import type { AlgorithmTable } from './algorithms/table.js';
import { parseAllow, type AllowEntry } from './allow.js';
import {
  algorithmUses,
  profileNames,
  profiles,
  type AlgorithmUse,
  type ProfileEntry,
  type ProfileName,
} from './profiles.js';

/** The policy id that stands for RSA keys of 1024 to 2047 bits. */
export const shortRsa = 'rsa-1024';

/** Bounds on RSA moduli in bits; below `shortest` no policy helps. */
const rsaBits = Object.freeze({ shortest: 1024, normal: 2048, longest: 8192 });
const curves: ReadonlySet<string> = new Set(['P-256', 'P-384', 'P-521']);
/** HMAC keys are at least as long as the output of SHA-256 (RFC 2104 §3). */
const secretBits = 256;

/** An algorithm, or a key length, that the policy allows by name, was used. */
export interface ExceptionUse {
  readonly id: string;
  readonly use: AlgorithmUse;
  /** `allow`: an entry of the policy. `profile`: allowed by the profile, but counted. */
  readonly source: 'allow' | 'profile';
}

/** One allowed pair of algorithm and use, for `algorithms list` and `algorithms explain`. */
export interface ConstraintRow {
  readonly id: string;
  readonly use: AlgorithmUse;
  readonly source: 'allow' | 'profile';
  readonly counted: boolean;
  /** Milliseconds since the epoch from which it is refused; undefined = never. */
  readonly until: number | undefined;
}

/** What `check` is asked about: a descriptor, or a policy id where there is none. */
export type Subject =
  string | { readonly id: string; readonly key?: { readonly kind: KeyKind }; readonly kind?: string };

export interface AlgorithmConstraints {
  readonly profile: ProfileName;
  /** Everything that is allowed; what is not here is refused. */
  readonly rows: readonly ConstraintRow[];
  /**
   * Refuses what the policy does not allow, and counts what it allows as an exception.
   *
   * @param subject the algorithm
   * @param key facts of the key it is used with; undefined while the key is not known yet
   * @param now milliseconds since the epoch
   * @throws CountersignError ALGORITHM_DENIED, ALGORITHM_EXPIRED, KEY_TOO_WEAK
   */
  check(subject: Subject, use: AlgorithmUse, key: KeyFacts | undefined, now: number): void;
  /**
   * Refuses a key that is too weak, whatever the algorithm.
   *
   * @throws CountersignError KEY_TOO_WEAK
   */
  checkKey(key: KeyFacts, use: AlgorithmUse, now: number): void;
  /** Whether an algorithm may be used; counts nothing. */
  permits(id: string, use: AlgorithmUse, now: number): boolean;
}

export interface ConstraintOptions {
  readonly profile: ProfileName;
  /** Entries of `algorithms.allow`, as written. */
  readonly allow: readonly string[];
  readonly table: AlgorithmTable;
  /** Told of each use of an exception; must be cheap. */
  readonly onException?: (use: ExceptionUse) => void;
}

interface Rule {
  readonly until: number;
  readonly exception: ExceptionUse | undefined;
}

type Rules = ReadonlyMap<string, Rule>;

/** The policy ids that an entry of `allow` can name. */
export function allowableIds(table: AlgorithmTable): ReadonlySet<string> {
  // Transforms that cut nodes out of a part are known by name only: no policy can allow them.
  const algorithms = table.all.filter((one) => one.kind !== 'transform');
  return new Set([...algorithms.map((one) => one.id), shortRsa]);
}

const isProfile = (name: string): name is ProfileName => profileNames.some((known) => known === name);

/**
 * Compiles a profile and the exceptions to it.
 *
 * @throws CountersignError POLICY_INVALID with `at` (index in `allow`, from 0) and `position` (column, from 0)
 */
export function compileConstraints(options: ConstraintOptions): AlgorithmConstraints {
  if (!isProfile(options.profile)) {
    throw new CountersignError('POLICY_INVALID', `there is no algorithm profile ${String(options.profile)}`);
  }
  const known = allowableIds(options.table);
  const allowed = options.allow.map((text, index) => parseAllow(text, index, known));
  const rows = [...profileRows(profiles[options.profile]), ...allowed.flatMap(allowRows)];
  return new Compiled(options.profile, rows, options.onException);
}

const profileRows = (entries: readonly ProfileEntry[]): ConstraintRow[] =>
  entries.flatMap(({ id, uses, counted }) =>
    uses.map((use): ConstraintRow => ({ id, use, source: 'profile', counted, until: undefined })),
  );

const allowRows = ({ id, use, until }: AllowEntry): ConstraintRow[] => {
  const uses = use === undefined ? algorithmUses.filter((one) => one !== 'certificate') : [use];
  return uses.map((one): ConstraintRow => ({ id, use: one, source: 'allow', counted: true, until }));
};

class Compiled implements AlgorithmConstraints {
  readonly profile: ProfileName;
  readonly rows: readonly ConstraintRow[];
  readonly #rules: Readonly<Record<AlgorithmUse, Rules>>;
  readonly #onException: ((use: ExceptionUse) => void) | undefined;

  constructor(
    profile: ProfileName,
    rows: readonly ConstraintRow[],
    onException: ((use: ExceptionUse) => void) | undefined,
  ) {
    this.profile = profile;
    // What the profile allows for good needs no exception: an entry for it changes nothing.
    const kept = new Map<string, ConstraintRow>();
    for (const row of rows) {
      const key = `${row.use} ${row.id}`;
      const before = kept.get(key);
      if (before === undefined || (before.until ?? Infinity) < (row.until ?? Infinity)) kept.set(key, row);
    }
    this.rows = Object.freeze([...kept.values()]);
    const rulesFor = (use: AlgorithmUse): Rules =>
      new Map(this.rows.filter((row) => row.use === use).map((row) => [row.id, toRule(row)]));
    this.#rules = {
      sign: rulesFor('sign'),
      verify: rulesFor('verify'),
      encrypt: rulesFor('encrypt'),
      decrypt: rulesFor('decrypt'),
      certificate: rulesFor('certificate'),
    };
    this.#onException = onException;
  }

  permits(id: string, use: AlgorithmUse, now: number): boolean {
    const rule = this.#rules[use].get(id);
    return rule !== undefined && now < rule.until;
  }

  check(subject: Subject, use: AlgorithmUse, key: KeyFacts | undefined, now: number): void {
    const id = typeof subject === 'string' ? subject : subject.id;
    const rule = this.#rules[use].get(id);
    if (rule === undefined) throw denied(id, use);
    if (now >= rule.until) throw expired(id, use, rule.until);
    if (rule.exception !== undefined) this.#onException?.(rule.exception);
    if (key === undefined) return;
    // Keys are bound to the kind of algorithm: an RSA key never serves as an HMAC secret.
    const wanted = typeof subject === 'string' ? undefined : subject.key?.kind;
    if (wanted !== undefined && wanted !== key.kind) {
      throw new CountersignError('KEY_TOO_WEAK', `${id} takes a key of kind ${wanted}, not ${key.kind}`, {
        details: { algorithm: id, use, key: key.kind },
      });
    }
    this.checkKey(key, use, now);
  }

  checkKey(key: KeyFacts, use: AlgorithmUse, now: number): void {
    const problem = keyCheckers[key.kind](key);
    if (problem === undefined) return;
    const rule = problem.exception === undefined ? undefined : this.#rules[use].get(problem.exception);
    if (rule === undefined) {
      throw new CountersignError('KEY_TOO_WEAK', problem.text, {
        details: {
          use,
          key: key.kind,
          bits: key.bits,
          ...(key.curve === undefined ? {} : { curve: key.curve }),
        },
      });
    }
    if (now >= rule.until) throw expired(problem.exception ?? '', use, rule.until);
    if (rule.exception !== undefined) this.#onException?.(rule.exception);
  }
}

const toRule = ({ id, use, source, counted, until }: ConstraintRow): Rule =>
  Object.freeze({
    until: until ?? Infinity,
    exception: counted ? Object.freeze({ id, use, source }) : undefined,
  });

interface KeyProblem {
  readonly text: string;
  /** The policy id that would allow the key; undefined when none does. */
  readonly exception?: string;
}

const keyCheckers: Readonly<Record<KeyKind, (key: KeyFacts) => KeyProblem | undefined>> = {
  RSA: ({ bits }) => {
    if (bits > rsaBits.longest) return { text: `RSA keys over ${rsaBits.longest} bits are refused` };
    if (bits >= rsaBits.normal) return undefined;
    const text = `an RSA key of ${bits} bits is too short: ${rsaBits.normal} are needed`;
    return bits >= rsaBits.shortest ? { text, exception: shortRsa } : { text };
  },
  EC: ({ curve }) =>
    curve !== undefined && curves.has(curve)
      ? undefined
      : { text: `the curve ${curve ?? '(unknown)'} is not allowed` },
  Ed25519: () => undefined,
  secret: ({ bits }) =>
    bits >= secretBits
      ? undefined
      : { text: `a secret of ${bits} bits is too short: ${secretBits} are needed` },
};

const denied = (id: string, use: AlgorithmUse): CountersignError =>
  new CountersignError('ALGORITHM_DENIED', `the policy does not allow ${id} for ${use}`, {
    details: { algorithm: id, use },
  });

const expired = (id: string, use: AlgorithmUse, until: number): CountersignError =>
  new CountersignError(
    'ALGORITHM_EXPIRED',
    `the policy allowed ${id} for ${use} until a date that has passed`,
    {
      details: { algorithm: id, use, until },
    },
  );
