/**
 * Makes a frozen look-up table from a list of built-in units.
 *
 * @param kind what the units are, for the error text
 * @param units the units, in the order of their list
 * @param keyOf the key of a unit
 * @throws Error when two units share a key: a fault of the build, not of a configuration
 */
export function makeTable<T>(
  kind: string,
  units: Iterable<T>,
  keyOf: (unit: T) => string,
): ReadonlyMap<string, T> {
  const table = new Map<string, T>();
  for (const unit of units) {
    const key = keyOf(unit);
    if (table.has(key)) throw new Error(`two ${kind} units are named ${key}`);
    table.set(key, unit);
  }
  return table;
}
