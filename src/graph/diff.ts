// What changed between two graphs: their structure (nodes, wires), or values only.
import type { Graph, GraphEdge } from './types.ts';

export interface GraphDiff {
  readonly addedNodes: readonly string[];
  readonly removedNodes: readonly string[];
  /** Ids of edges that are new, gone, or join other ports than before. */
  readonly rewiredEdges: readonly string[];
  /** Nodes or wires changed, so that a layout may be called for; a change of values never is one. */
  readonly isStructural: boolean;
}

/** Compares by id; an edge under a new id that joins the same ports is no change. */
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
