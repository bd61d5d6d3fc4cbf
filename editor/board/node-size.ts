// Returns the sizes of nodes on the board: as the canvas drew them, or estimated for nodes that are not drawn.
import type { Catalog } from '../../src/graph/catalog.ts';
import { getDims } from '../../src/graph/dims.ts';
import type { Rect } from '../../src/graph/rects.ts';
import type { GraphNode } from '../../src/graph/types.ts';

type Size = Pick<Rect, 'width' | 'height'>;

/** The size on the board, and the size that the node would have if no other node were below it. */
const nodeSizes = new WeakMap<GraphNode, { readonly drawn: Size; readonly preferred: Size }>();

/** Sets the size of a drawn node. The canvas calls this function, because nodes grow with their results. */
export function setDrawnSize(node: GraphNode, drawn: Size, preferred: Size = drawn): void {
  nodeSizes.set(node, { drawn, preferred });
}

export const getNodeRect = (node: GraphNode, catalog: Catalog): Rect => {
  const { width, height } = nodeSizes.get(node)?.drawn ?? getDims(node, catalog);
  return { ...node.position, width, height };
};

/** Returns the nodes with their preferred sizes, for the layout. */
export const withPreferredSizes = (nodes: readonly GraphNode[]): readonly GraphNode[] =>
  nodes.map(node => {
    const size = nodeSizes.get(node)?.preferred;
    return size === undefined ? node : ({ ...node, measured: size } as GraphNode);
  });
