// Returns the sizes of nodes on the board: as the canvas drew them, or estimated if it has not.
import type { Catalog } from '../../src/graph/catalog.ts';
import { getDims } from '../../src/graph/dims.ts';
import type { Rect } from '../../src/graph/rects.ts';
import type { GraphNode } from '../../src/graph/types.ts';

type Size = Pick<Rect, 'width' | 'height'>;

/** The size on the board, and the size that a node wants if no other is in the way. */
const drawnSizes = new WeakMap<GraphNode, { readonly drawn: Size; readonly wanted: Size }>();

/** Sets the size of a drawn node. The canvas calls it, because nodes grow with their results. */
export function setDrawnSize(node: GraphNode, drawn: Size, wanted: Size = drawn): void {
  drawnSizes.set(node, { drawn, wanted });
}

export const getNodeRect = (node: GraphNode, catalog: Catalog): Rect => {
  const { width, height } = drawnSizes.get(node)?.drawn ?? getDims(node, catalog);
  return { ...node.position, width, height };
};

/** Returns the nodes with the sizes that they want, for the layout. */
export const withDrawnSizes = (nodes: readonly GraphNode[]): readonly GraphNode[] =>
  nodes.map(node => {
    const size = drawnSizes.get(node)?.wanted;
    return size === undefined ? node : ({ ...node, measured: size } as GraphNode);
  });
