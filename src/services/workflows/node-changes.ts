// Finds the nodes whose behavior a write changed, so that the service knows who wrote a node last.
import { isDeepStrictEqual } from 'node:util';
import type { Graph, GraphEdge, GraphNode } from '../../graph/types.ts';

/** The ids of the nodes of a written graph: those that the write changed or added, and the others. */
export interface NodeChanges {
  readonly changed: readonly string[];
  readonly kept: readonly string[];
}

export const NO_CHANGES: NodeChanges = { changed: [], kept: [] };

/** Compares what nodes do: their type, their data except the label, and the edges into them. */
export function compareNodes(before: Graph, after: Graph): NodeChanges {
  const oldNodes = new Map(before.nodes.map(node => [node.id, node]));
  const oldWires = groupWires(before.edges);
  const wires = groupWires(after.edges);
  const isKept = (node: GraphNode): boolean => {
    const oldNode = oldNodes.get(node.id);
    return (
      oldNode !== undefined &&
      oldWires.get(node.id) === wires.get(node.id) &&
      isSame(toBehavior(oldNode), toBehavior(node))
    );
  };
  const { changed = [], kept = [] } = Object.groupBy(after.nodes, node =>
    isKept(node) ? 'kept' : 'changed',
  );
  return { changed: changed.map(({ id }) => id), kept: kept.map(({ id }) => id) };
}

/** Returns the edges into each node as text, in any order of the edges the same. */
function groupWires(edges: readonly GraphEdge[]): ReadonlyMap<string, string> {
  const groups = Map.groupBy(edges, ({ target }) => target);
  return new Map([...groups].map(([target, group]) => [target, group.map(toWireKey).sort().join()]));
}

const toWireKey = ({ source, sourceHandle, targetHandle }: GraphEdge): string =>
  JSON.stringify([source, sourceHandle ?? null, targetHandle ?? null]);

function toBehavior({ type, data: { label: _, ...data } }: GraphNode): unknown {
  return [type, data];
}

/** Compares the texts first, because clients rarely change the order of members, and texts are compared faster. */
const isSame = (a: unknown, b: unknown): boolean =>
  JSON.stringify(a) === JSON.stringify(b) || isDeepStrictEqual(a, b);
