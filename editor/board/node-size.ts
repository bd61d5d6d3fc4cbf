// Returns the sizes of nodes on the board: as the canvas drew them, or estimated if it has not.
import type { Catalog } from '../../src/graph/catalog.ts';
import { estimateDims } from '../../src/graph/dims.ts';
import type { Rect } from '../../src/graph/rects.ts';
import type { GraphNode } from '../../src/graph/types.ts';

type Size = Pick<Rect, 'width' | 'height'>;

const drawnSizes = new WeakMap<GraphNode, Size>();

/** Sets the size of a drawn node. The canvas calls it, because nodes grow with their results. */
export function setDrawnSize(node: GraphNode, { width, height }: Size): void {
  drawnSizes.set(node, { width, height });
}

export const getNodeRect = (node: GraphNode, catalog: Catalog): Rect => {
  const { width, height } = drawnSizes.get(node) ?? estimateDims(node, catalog);
  return { ...node.position, width, height };
};

/** Returns the nodes with their drawn sizes, for the layout. */
export const withDrawnSizes = (nodes: readonly GraphNode[]): readonly GraphNode[] =>
  nodes.map(node => {
    const size = drawnSizes.get(node);
    return size === undefined ? node : ({ ...node, measured: size } as GraphNode);
  });
