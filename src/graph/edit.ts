// Edits a graph without the catalog: pure functions for the service's tools and the editor.
import type { GraphEdge, Json } from './types.ts';

interface Item {
  readonly id: string;
  readonly data: { readonly config?: Readonly<Record<string, Json>> };
}

interface Items<Node> {
  readonly nodes: readonly Node[];
  readonly edges: readonly GraphEdge[];
}

/** Returns the ids of the nodes inside a group. */
export function readChildIds({ data }: Item): readonly string[] {
  const childNodeIds = data.config?.childNodeIds;
  return Array.isArray(childNodeIds) ? childNodeIds.filter(id => typeof id === 'string') : [];
}

/**
 * Removes nodes and edges by id, and the edges of removed nodes. Groups drop removed children. Items that do not change
 * keep their identity.
 */
export function withoutItems<Node extends Item>(
  { nodes, edges }: Items<Node>,
  removed: { readonly nodes?: readonly string[]; readonly edges?: readonly string[] },
): Items<Node> {
  const removedNodes = new Set(removed.nodes);
  const removedEdges = new Set(removed.edges);
  return {
    nodes: nodes
      .filter(({ id }) => !removedNodes.has(id))
      .map(node => {
        const children = readChildIds(node);
        const childNodeIds = children.filter(id => !removedNodes.has(id));
        return childNodeIds.length === children.length
          ? node
          : { ...node, data: { ...node.data, config: { ...node.data.config, childNodeIds } } };
      }),
    edges: edges.filter(
      ({ id, source, target }) =>
        !removedEdges.has(id) && !removedNodes.has(source) && !removedNodes.has(target),
    ),
  };
}
