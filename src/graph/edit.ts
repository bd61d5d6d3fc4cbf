// Edits a graph without knowing the catalog: pure functions that the service's tools and the editor share.
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
export function childrenOf({ data }: Item): readonly string[] {
  const childNodeIds = data.config?.childNodeIds;
  return Array.isArray(childNodeIds) ? childNodeIds.filter(id => typeof id === 'string') : [];
}

/**
 * Removes nodes and edges by id, and the edges of removed nodes. Groups drop removed children. Items that do not change
 * keep their identity.
 */
export function withoutItems<Node extends Item>(
  { nodes, edges }: Items<Node>,
  lost: { readonly nodes?: readonly string[]; readonly edges?: readonly string[] },
): Items<Node> {
  const lostNodes = new Set(lost.nodes);
  const lostEdges = new Set(lost.edges);
  return {
    nodes: nodes
      .filter(({ id }) => !lostNodes.has(id))
      .map(node => {
        const children = childrenOf(node);
        const childNodeIds = children.filter(id => !lostNodes.has(id));
        return childNodeIds.length === children.length
          ? node
          : { ...node, data: { ...node.data, config: { ...node.data.config, childNodeIds } } };
      }),
    edges: edges.filter(
      ({ id, source, target }) => !lostEdges.has(id) && !lostNodes.has(source) && !lostNodes.has(target),
    ),
  };
}
