// Compares two graphs: whether their structure (nodes, edges) changed, or only values.
import type { Graph, GraphEdge } from './types.ts';

export interface GraphDiff {
  readonly addedNodes: readonly string[];
  readonly removedNodes: readonly string[];
  /** Ids of edges that were added, removed, or connect other ports than before. */
  readonly rewiredEdges: readonly string[];
  /** Whether nodes or edges changed, so that a layout may be needed. Changed values never require one. */
  readonly isStructural: boolean;
}

/** Compares the graphs by id. An edge with a new id that connects the same ports counts as unchanged. */
export function diffGraphs(before: Graph, after: Graph): GraphDiff {
  const oldIds = new Set(before.nodes.map(({ id }) => id));
  const newIds = new Set(after.nodes.map(({ id }) => id));
  const oldWires = new Set(before.edges.map(toWireKey));
  const newWires = new Set(after.edges.map(toWireKey));
  const addedNodes = [...newIds].filter(id => !oldIds.has(id));
  const removedNodes = [...oldIds].filter(id => !newIds.has(id));
  const changedEdges = [
    ...after.edges.filter(edge => !oldWires.has(toWireKey(edge))),
    ...before.edges.filter(edge => !newWires.has(toWireKey(edge))),
  ];
  const rewiredEdges = [...new Set(changedEdges.map(({ id }) => id))];
  const isStructural = addedNodes.length + removedNodes.length + rewiredEdges.length > 0;
  return { addedNodes, removedNodes, rewiredEdges, isStructural };
}

function toWireKey({ source, target, sourceHandle, targetHandle }: GraphEdge): string {
  return JSON.stringify([source, sourceHandle ?? null, target, targetHandle ?? null]);
}
