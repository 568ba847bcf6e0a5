import * as atomNames from './atoms.js';
import * as tables from './tables.js';
import type { Tree } from './tree.js';

// V8 folds a module's own constants, but not imported ones (perf/README.md).
const { ATOM_NONE } = atomNames;
const {
  ATOM_END,
  ATOM_KEY,
  ATOM_LOCAL,
  ATOM_SHIFT,
  ATOM_START,
  ATTRIBUTE_FLAGS,
  ATTRIBUTE_NAME,
  ATTRIBUTE_PREFIX,
  ATTRIBUTE_SHIFT,
  ATTRIBUTE_URI,
  DECLARATION,
} = tables;

/** Orders two atoms as strings of code points. */
export function compareAtoms(tree: Tree, left: number, right: number): number {
  if (left === right) return 0;
  // Nearly always one of two is empty.
  if (left === ATOM_NONE || right === ATOM_NONE) return left === ATOM_NONE ? -1 : 1;
  return compareFrom(tree, left, right, ATOM_START);
}

function compareLocals(tree: Tree, left: number, right: number): number {
  const rows = tree.atoms.rows;
  const leftKey = rows[(left << ATOM_SHIFT) + ATOM_KEY] as number;
  const rightKey = rows[(right << ATOM_SHIFT) + ATOM_KEY] as number;
  if (leftKey !== rightKey) return leftKey < rightKey ? -1 : 1;
  return compareFrom(tree, left, right, ATOM_LOCAL);
}

/**
 * Compares atoms from the offsets in a column on: the order of UTF-8 bytes is the order of code points (Canonical XML
 * 1.0 §4.8).
 */
function compareFrom(tree: Tree, left: number, right: number, column: number): number {
  const rows = tree.atoms.rows;
  const leftBytes = tree.atoms.bytesOf(left);
  const rightBytes = tree.atoms.bytesOf(right);
  const leftStart = rows[(left << ATOM_SHIFT) + column] as number;
  const rightStart = rows[(right << ATOM_SHIFT) + column] as number;
  const leftLength = (rows[(left << ATOM_SHIFT) + ATOM_END] as number) - leftStart;
  const rightLength = (rows[(right << ATOM_SHIFT) + ATOM_END] as number) - rightStart;
  const shared = Math.min(leftLength, rightLength);
  for (let at = 0; at < shared; at++) {
    const difference = (leftBytes[leftStart + at] as number) - (rightBytes[rightStart + at] as number);
    if (difference !== 0) return difference;
  }
  return leftLength - rightLength;
}

/** Whether two names have the same local part. */
export function sameLocal(tree: Tree, left: number, right: number): boolean {
  return left === right || compareLocals(tree, left, right) === 0;
}

/** Document order of attributes in canonical form: by namespace name, then by local name (Canonical XML 1.0 §2.2). */
export function compareAttributes(tree: Tree, leftRow: number, rightRow: number): number {
  const attributes = tree.attributes;
  const leftUri = attributes[leftRow + ATTRIBUTE_URI] as number;
  const rightUri = attributes[rightRow + ATTRIBUTE_URI] as number;
  if (leftUri !== rightUri) return compareAtoms(tree, leftUri, rightUri);
  return compareLocals(
    tree,
    attributes[leftRow + ATTRIBUTE_NAME] as number,
    attributes[rightRow + ATTRIBUTE_NAME] as number,
  );
}

/** Whether declarations come first, by prefix, and then the attributes in their canonical order. */
export function lexicalOrder(tree: Tree, first: number, count: number): boolean {
  const attributes = tree.attributes;
  for (let index = first + 1; index < first + count; index++) {
    const row = index << ATTRIBUTE_SHIFT;
    const before = row - (1 << ATTRIBUTE_SHIFT);
    const declares = ((attributes[row + ATTRIBUTE_FLAGS] as number) & DECLARATION) !== 0;
    const declared = ((attributes[before + ATTRIBUTE_FLAGS] as number) & DECLARATION) !== 0;
    if (declares && !declared) return false;
    if (declares) {
      const prefix = attributes[row + ATTRIBUTE_PREFIX] as number;
      if (compareAtoms(tree, attributes[before + ATTRIBUTE_PREFIX] as number, prefix) > 0) return false;
    } else if (!declared && compareAttributes(tree, before, row) > 0) {
      return false;
    }
  }
  return true;
}
