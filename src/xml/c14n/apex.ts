import { ATOM_XML } from '../atoms.js';
import { decode } from '../references.js';
import { atomsInScope, tagSource } from '../scope.js';
import {
  ATTRIBUTE,
  ATTRIBUTE_FLAGS,
  ATTRIBUTE_NAME,
  ATTRIBUTE_PREFIX,
  ATTRIBUTE_SHIFT,
  ATTRIBUTES,
  DECLARATION,
  FLAGS,
  PARENT,
  VALUE_END,
  VALUE_START,
  XML_ATTRIBUTES,
} from '../tables.js';
import { NONE, type NodeId, type Tree } from '../tree.js';
import { joinBase } from './base.js';
import type { C14nMethod } from './method.js';
import type { Inherited, StartTags } from './start-tag.js';

/** Renders at the apex what it takes over from its ancestors (Canonical XML 1.0 §2.4, Exclusive XML C14N §3). */
export function renderScope(
  tree: Tree,
  tags: StartTags,
  apex: NodeId,
  end: number,
  wanted: ReadonlySet<number> | 'all',
): void {
  if (wanted !== 'all' && wanted.size === 0) return;
  for (const [prefix, uri] of atomsInScope(tree, apex)) {
    if (wanted === 'all' || wanted.has(prefix)) tags.render(prefix, uri, end);
  }
}

/** The attributes of the `xml` prefix that the apex takes over from its ancestors (inclusive forms only). */
export function inheritedAttributes(tree: Tree, apex: NodeId, method: C14nMethod): Inherited[] {
  if (method.algorithm === 'exclusive') return [];
  const inherited = new Map<string, string>();
  const own = xmlAttributes(tree, apex);
  const bases: string[] = [];
  for (let at = tree.get(apex, PARENT); at !== NONE; at = tree.get(at, PARENT)) {
    for (const [name, value] of xmlAttributes(tree, at)) {
      const isBase = method.algorithm === 'inclusive-1.1' && name === 'xml:base';
      if (isBase) bases.unshift(value);
      else if (!own.has(name) && !inherited.has(name) && inherits(name, method)) inherited.set(name, value);
    }
  }
  if (bases.length > 0) {
    const joined = [...bases, ...[own.get('xml:base')].filter((base) => base !== undefined)].reduce(joinBase);
    if (joined !== '') inherited.set('xml:base', joined);
  }
  return [...inherited].map(([name, value]) => ({ name, value }));
}

/** Canonical XML 1.1 §2.4: only xml:lang and xml:space are simply inherited, xml:id never; 1.0 inherits them all. */
function inherits(name: string, method: C14nMethod): boolean {
  return method.algorithm === 'inclusive-1.0' || name === 'xml:lang' || name === 'xml:space';
}

function xmlAttributes(tree: Tree, element: NodeId): Map<string, string> {
  const found = new Map<string, string>();
  if ((tree.get(element, FLAGS) & XML_ATTRIBUTES) === 0) return found;
  const { bytes } = tagSource(tree, element);
  const first = tree.get(element, ATTRIBUTE);
  for (let index = first; index < first + tree.get(element, ATTRIBUTES); index++) {
    const row = index << ATTRIBUTE_SHIFT;
    const declares = ((tree.attributes[row + ATTRIBUTE_FLAGS] as number) & DECLARATION) !== 0;
    if (declares || tree.attributes[row + ATTRIBUTE_PREFIX] !== ATOM_XML) continue;
    const start = tree.attributes[row + VALUE_START] as number;
    const value = decode(bytes, start, tree.attributes[row + VALUE_END] as number, 'value').toString();
    found.set(tree.atoms.text(tree.attributes[row + ATTRIBUTE_NAME] as number), value);
  }
  return found;
}
