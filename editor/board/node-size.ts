// Knows how large nodes are on the board: as the canvas draws them, otherwise as estimated.
import type { Catalog } from '../../src/graph/catalog.ts';
import { estimateDims } from '../../src/graph/dims.ts';
import type { Rect } from '../../src/graph/rects.ts';
import type { GraphNode } from '../../src/graph/types.ts';

type Size = Pick<Rect, 'width' | 'height'>;

const drawnSizes = new WeakMap<GraphNode, Size>();

/** Called by the canvas, whose nodes grow with their results. */
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
