// Finds the part of a graph in API format that a server can run: leaves out what lacks a required input.
import { type ApiGraph, getApiTitle, readApiLink } from './api-graph.ts';
import type { NodeTypes } from './node-types.ts';

export interface RunnableGraph {
  readonly graph: ApiGraph;
  /** Ids of nodes that lack a required input, each with the name of the first one. */
  readonly incomplete: ReadonlyMap<string, string>;
}

/**
 * Leaves out nodes without a required input, and all nodes that depend on one, because a server would accept the graph and
 * report only some of its outputs. Types that the service does not know count as complete.
 */
export function selectRunnable(graph: ApiGraph, types: NodeTypes): RunnableGraph {
  const incomplete = new Map<string, string>();
  for (const [id, { class_type, inputs }] of Object.entries(graph)) {
    const missing = types.find(class_type)?.required.find(name => !Object.hasOwn(inputs, name));
    if (missing !== undefined) incomplete.set(id, missing);
  }
  if (incomplete.size === 0) return { graph, incomplete };
  const consumers = listConsumers(graph);
  const removed = new Set(incomplete.keys());
  const queue = [...removed];
  for (let id = queue.pop(); id !== undefined; id = queue.pop())
    for (const consumer of consumers.get(id) ?? [])
      if (!removed.has(consumer)) {
        removed.add(consumer);
        queue.push(consumer);
      }
  return {
    graph: Object.fromEntries(Object.entries(graph).filter(([id]) => !removed.has(id))),
    incomplete,
  };
}

/** Returns a sentence about the first node that lacks an input. */
export function describeIncomplete(graph: ApiGraph, incomplete: RunnableGraph['incomplete']): string {
  const [first] = incomplete;
  if (first === undefined) return '';
  const [id, input] = first;
  const node = graph[id];
  return `The node “${node === undefined ? id : getApiTitle(node)}” of the ComfyUI graph has no ${input}.`;
}

/** Returns the ids of the nodes that use an output of a node, by the id of that node. */
function listConsumers(graph: ApiGraph): ReadonlyMap<string, readonly string[]> {
  const consumers = new Map<string, string[]>();
  for (const [id, { inputs }] of Object.entries(graph))
    for (const value of Object.values(inputs)) {
      const link = readApiLink(value);
      if (link === undefined) continue;
      const ids = consumers.get(link.node);
      if (ids === undefined) consumers.set(link.node, [id]);
      else ids.push(id);
    }
  return consumers;
}
