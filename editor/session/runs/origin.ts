// Finds the node that made a result: the node itself, or the one whose result it only shows.
import type { GraphNode } from '../../../src/graph/types.ts';
import { type Board, findNode } from '../../board/board.ts';

/** A chain of previews is not longer. */
const MAX_STEPS = 20;

/** Returns the node, or for an output node the node that feeds it. */
export function findOriginNode(board: Board, nodeId: string): GraphNode | undefined {
  let node = findNode(board, nodeId);
  for (let steps = 0; node?.data.nodeType.startsWith('output:') && steps < MAX_STEPS; steps++) {
    const sources = board.edges.filter(({ target }) => target === node?.id);
    const [edge] = sources;
    if (sources.length !== 1 || edge === undefined) return node;
    node = findNode(board, edge.source);
  }
  return node;
}
