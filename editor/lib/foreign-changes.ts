// Keeps the page alive if a translator or another extension has moved or wrapped its nodes.

/**
 * Lets `removeChild` and `insertBefore` accept a node that is no longer a child, where browsers would throw and React would
 * end the page. If the node was wrapped, its wrapper takes its place.
 */
export function tolerateForeignChanges(prototype: Node = Node.prototype): void {
  const { removeChild, insertBefore } = prototype;
  Object.assign(prototype, {
    removeChild(this: Node, child: Node): Node {
      const own = findAncestorIn(this, child);
      if (own !== undefined) removeChild.call(this, own);
      return child;
    },
    insertBefore(this: Node, node: Node, reference: Node | null): Node {
      return insertBefore.call(this, node, findAncestorIn(this, reference) ?? null);
    },
  });
}

/** Returns the child of the parent that is the node or contains it. */
function findAncestorIn(parent: Node, node: Node | null): Node | undefined {
  let candidate = node;
  while (candidate !== null && candidate.parentNode !== parent) candidate = candidate.parentNode;
  return candidate ?? undefined;
}
