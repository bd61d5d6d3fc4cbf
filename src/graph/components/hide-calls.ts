// Hides which components a workflow calls from readers who may not read those components.
import type { Graph, GraphNode, JsonObject } from '../types.ts';
import { isComponentCall, readCall } from './calls.ts';

/** Removes the workflow and version from calls of components that are not in `readableIds`. */
export function hideCalls(graph: Graph, readableIds: ReadonlySet<string>): Graph {
  const isHidden = (node: GraphNode): boolean =>
    isComponentCall(node) && !readableIds.has(readCall(node).workflowId);
  if (!graph.nodes.some(isHidden)) return graph;
  return { ...graph, nodes: graph.nodes.map(node => (isHidden(node) ? withoutReference(node) : node)) };
}

/** Keeps the name and the ports, so that edges and values remain valid. */
function withoutReference(node: GraphNode): GraphNode {
  const { config, params, ...data } = node.data;
  return {
    ...node,
    data: { ...data, ...withoutTarget('config', config), ...withoutTarget('params', params) },
  } as GraphNode;
}

function withoutTarget(key: 'config' | 'params', settings: JsonObject | undefined) {
  if (settings === undefined) return {};
  const { workflowId: _, version: __, ...others } = settings;
  return { [key]: others };
}
