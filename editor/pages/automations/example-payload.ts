// Creates an example payload of a webhook in which JSON pointers find a value.
import type { Json } from '../../../src/graph/types.ts';

const EXAMPLE = 'Hello';
/** For webhooks without pointers, whose payload nothing reads. */
const UNREAD = { title: EXAMPLE };

/** A payload that is being built: lists have numbers as keys. */
type Tree = Map<string, Tree>;

/** Returns the smallest payload that has a value at each pointer. */
export function createExamplePayload(pointers: readonly string[]): Json {
  const root: Tree = new Map();
  for (const pointer of pointers) {
    let tree = root;
    for (const part of pointer.split('/').slice(1)) {
      const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
      const child: Tree = tree.get(key) ?? new Map();
      tree.set(key, child);
      tree = child;
    }
  }
  return root.size === 0 ? UNREAD : toJson(root);
}

function toJson(tree: Tree): Json {
  if (tree.size === 0) return EXAMPLE;
  const keys = [...tree.keys()];
  if (!keys.every(key => /^\d{1,2}$/.test(key)))
    return Object.fromEntries([...tree].map(([key, child]) => [key, toJson(child)]));
  const length = 1 + Math.max(...keys.map(Number));
  return Array.from({ length }, (_, index) => toJson(tree.get(String(index)) ?? new Map()));
}
