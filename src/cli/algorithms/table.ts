/** `algorithms`: what a profile or a policy allows, and why. */
import { policyTables } from '../../compose.js';
import { formatUtc } from '../../core/calendar.js';
import { systemClock } from '../../core/clock.js';
import { CountersignError } from '../../core/errors.js';
import { isError, loadConfig, nearestName, renderDiagnostic, type PolicyTables } from '../../policy/index.js';
import { compileConstraints, shortRsa, type ConstraintRow } from '../../wss/constraints.js';
import { algorithmUses } from '../../wss/profiles.js';
import { noSuchService } from '../no-such-service.js';
import { complain, print, printJson, shown, table } from '../output.js';

export interface AlgorithmsOptions {
  readonly profile: string;
  readonly config?: string;
  readonly service?: string;
  readonly json?: true;
}

interface Policy {
  readonly profile: 'default' | 'legacy';
  readonly allow: readonly string[];
}

/** The profile that is named, or what a configuration says. */
function policyOf(options: AlgorithmsOptions, tables: PolicyTables): Policy {
  const { profile, service } = options;
  if (options.config === undefined) {
    if (service !== undefined) throw new CountersignError('USAGE', '--service needs --config');
    if (profile !== 'default' && profile !== 'legacy') {
      throw new CountersignError('USAGE', `there is no profile ${profile}: default or legacy`);
    }
    return { profile, allow: [] };
  }
  const loaded = loadConfig(options.config, { tables, clock: systemClock });
  for (const error of loaded.diagnostics.filter(isError)) complain(renderDiagnostic(error, shown));
  const found = service === undefined ? loaded.gateway : loaded.services.find(({ name }) => name === service);
  if (found !== undefined) return found.algorithms;
  const isKnown = loaded.gateway === undefined || loaded.files.services.some(({ name }) => name === service);
  if (!isKnown && service !== undefined) throw noSuchService(service, loaded);
  throw new CountersignError('CONFIG_INVALID', `${service ?? shown(options.config)} has errors`);
}

/** The rule that allows: the profile, or the entry of `allow`. */
function ruleOf({ id, use, source }: ConstraintRow, { profile, allow }: Policy): string {
  if (source === 'profile') return `profile ${profile}`;
  const entry = allow.find((text) => {
    const [named, word, wanted] = text.trim().split(/\s+/);
    return named === id && (word !== 'for' || wanted === use);
  });
  return `allow: ${entry ?? id}`;
}

const rowsOf = (policy: Policy, tables: PolicyTables): readonly ConstraintRow[] =>
  compileConstraints({ ...policy, table: tables.algorithms }).rows;

/** What is allowed: one line for each algorithm. */
export function listAlgorithms(options: AlgorithmsOptions): void {
  const tables = policyTables();
  const policy = policyOf(options, tables);
  const rows = rowsOf(policy, tables);
  const ids = [...new Set(rows.map(({ id }) => id))];
  const lines = ids.flatMap((id) => {
    const rules = new Map<string, ConstraintRow[]>();
    for (const row of rows.filter((each) => each.id === id)) {
      const rule = ruleOf(row, policy);
      rules.set(rule, [...(rules.get(rule) ?? []), row]);
    }
    return [...rules].map(([rule, same]) => ({
      id,
      uses: same.map(({ use }) => use),
      counted: same.some(({ counted }) => counted),
      rule,
    }));
  });
  if (options.json === true) {
    printJson(lines);
    return;
  }
  const cells = lines.map(({ id, uses, counted, rule }) => [
    id,
    uses.join(', '),
    counted ? 'counted' : '',
    rule,
  ]);
  print(table([{ title: 'id' }, { title: 'uses' }, { title: '' }, { title: 'rule' }], cells));
}

/** What an algorithm is, and for each use whether it is allowed and by which rule. */
export function explainAlgorithms(names: readonly string[], options: AlgorithmsOptions): void {
  const tables = policyTables();
  const policy = policyOf(options, tables);
  const rows = rowsOf(policy, tables);
  const explained = names.flatMap((name) => explain(name, policy, rows, tables));
  if (options.json === true) {
    printJson(explained);
    return;
  }
  print(
    explained
      .map(({ id, kind, uri, clause, uses }) => {
        const cells = uses.map(({ use, allowed, rule }) => [
          `  ${use}`,
          allowed ? 'allowed' : 'refused',
          rule,
        ]);
        const head = [`${id} (${kind})`, ...(uri === undefined ? [] : [`  ${uri}`]), `  ${clause}`];
        return [...head, table([{ title: '  use' }, { title: '' }, { title: 'rule' }], cells)].join('\n');
      })
      .join('\n\n'),
  );
}

interface Explained {
  readonly id: string;
  readonly kind: string;
  readonly uri: string | undefined;
  readonly clause: string;
  readonly uses: readonly { readonly use: string; readonly allowed: boolean; readonly rule: string }[];
}

function explain(
  name: string,
  policy: Policy,
  rows: readonly ConstraintRow[],
  tables: PolicyTables,
): Explained[] {
  const now = systemClock.now();
  const usesOf = (id: string): Explained['uses'] =>
    algorithmUses.map((use) => {
      const row = rows.find((each) => each.id === id && each.use === use);
      if (row === undefined)
        return { use, allowed: false, rule: `not in profile ${policy.profile}, nor in allow` };
      const { until } = row;
      const rule = ruleOf(row, policy);
      if (until !== undefined && until <= now) {
        return { use, allowed: false, rule: `${rule} (ended ${formatUtc(until - 1).slice(0, 10)})` };
      }
      return { use, allowed: true, rule: row.counted ? `${rule} (each use is counted)` : rule };
    });
  if (name === shortRsa) {
    const clause = 'RSA keys of 1024 to 2047 bits';
    return [{ id: name, kind: 'key', uri: undefined, clause, uses: usesOf(name) }];
  }
  const found = tables.algorithms.all.filter(({ id, uri }) => id === name || uri === name);
  if (found.length === 0) {
    const near = nearestName(name, [...tables.algorithms.all.map(({ id }) => id), shortRsa]);
    const hint = near === undefined ? '' : `; did you mean ${near}?`;
    throw new CountersignError('USAGE', `${name} is no known algorithm${hint}`);
  }
  return found.map(({ id, kind, uri, clause }) => ({ id, kind, uri, clause, uses: usesOf(id) }));
}
