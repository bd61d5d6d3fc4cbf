// Sets config fields of nodes.
import { withSettings } from './components/flatten.ts';
import type { Graph, JsonObject } from './types.ts';

/** Config fields by node id. */
export type NodeConfigs = Readonly<Record<string, JsonObject>>;

/** Returns the graph with the fields set. Fields of nodes that the graph does not have are ignored. */
export function withConfig(graph: Graph, configs: NodeConfigs): Graph {
  const nodes = graph.nodes.map(node => {
    const fields = Object.hasOwn(configs, node.id) ? configs[node.id] : undefined;
    return fields === undefined ? node : { ...node, data: withSettings(node.data, fields) };
  });
  return { ...graph, nodes };
}
