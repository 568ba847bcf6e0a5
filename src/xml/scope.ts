import {
  ATTRIBUTE,
  ATTRIBUTE_FLAGS,
  ATTRIBUTE_PREFIX,
  ATTRIBUTE_SHIFT,
  ATTRIBUTE_URI,
  ATTRIBUTES,
  DECLARATION,
  DECLARES,
  FLAGS,
  PARENT,
  SOURCE,
} from './tables.js';
import { NONE, type NodeId, type Source, type Tree } from './tree.js';

/** The source that the offsets of the start tag of `element` point into. */
export function tagSource(tree: Tree, element: NodeId): Source {
  return tree.tags.get(element) ?? tree.source(tree.get(element, SOURCE));
}

/** Calls `visit` with prefix and namespace name (atoms) of every declaration on `element` itself. */
export function eachDeclaration(
  tree: Tree,
  element: NodeId,
  visit: (prefix: number, uri: number, row: number) => void,
): void {
  if ((tree.get(element, FLAGS) & DECLARES) === 0) return;
  const first = tree.get(element, ATTRIBUTE);
  for (let index = first; index < first + tree.get(element, ATTRIBUTES); index++) {
    const row = index << ATTRIBUTE_SHIFT;
    if (((tree.attributes[row + ATTRIBUTE_FLAGS] as number) & DECLARATION) === 0) continue;
    visit(
      tree.attributes[row + ATTRIBUTE_PREFIX] as number,
      tree.attributes[row + ATTRIBUTE_URI] as number,
      row,
    );
  }
}

/** The namespaces in scope at `element`: prefix to namespace name, both atoms; the nearest declaration counts. */
export function atomsInScope(tree: Tree, element: NodeId): Map<number, number> {
  const scope = new Map<number, number>();
  for (let at = element; at !== NONE; at = tree.get(at, PARENT)) {
    eachDeclaration(tree, at, (prefix, uri) => {
      if (!scope.has(prefix)) scope.set(prefix, uri);
    });
  }
  return scope;
}

/** The same as strings, `xml` included. */
export function inScope(tree: Tree, element: NodeId): Map<string, string> {
  const scope = new Map<string, string>([['xml', 'http://www.w3.org/XML/1998/namespace']]);
  for (const [prefix, uri] of atomsInScope(tree, element))
    scope.set(tree.atoms.text(prefix), tree.atoms.text(uri));
  return scope;
}

/** A prefix, not the default, that is bound to `namespace` at `element`. */
export function prefixOf(tree: Tree, element: NodeId, namespace: string): string | undefined {
  for (const [prefix, uri] of inScope(tree, element)) if (uri === namespace && prefix !== '') return prefix;
  return undefined;
}
