// Compares two graphs: whether their structure (nodes, edges) changed, or only values.
import type { Graph, GraphEdge } from './types.ts';

export interface GraphDiff {
  readonly addedNodes: readonly string[];
  readonly removedNodes: readonly string[];
  /** Ids of edges that were added, removed, or connect other ports than before. */
  readonly rewiredEdges: readonly string[];
  /** Nodes or edges changed, so a layout may be needed; changed values never require one. */
  readonly isStructural: boolean;
}

/** Compares by id; an edge with a new id that connects the same ports counts as unchanged. */
export function diffGraphs(before: Graph, after: Graph): GraphDiff {
  const old = new Set(before.nodes.map(({ id }) => id));
  const now = new Set(after.nodes.map(({ id }) => id));
  const oldWires = new Set(before.edges.map(wireOf));
  const newWires = new Set(after.edges.map(wireOf));
  const addedNodes = [...now].filter(id => !old.has(id));
  const removedNodes = [...old].filter(id => !now.has(id));
  const rewired = [
    ...after.edges.filter(edge => !oldWires.has(wireOf(edge))),
    ...before.edges.filter(edge => !newWires.has(wireOf(edge))),
  ];
  const rewiredEdges = [...new Set(rewired.map(({ id }) => id))];
  const isStructural = addedNodes.length + removedNodes.length + rewiredEdges.length > 0;
  return { addedNodes, removedNodes, rewiredEdges, isStructural };
}

function wireOf({ source, target, sourceHandle, targetHandle }: GraphEdge): string {
  return JSON.stringify([source, sourceHandle ?? null, target, targetHandle ?? null]);
}
