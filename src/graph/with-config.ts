// Sets config fields of nodes, and replaces the models of nodes.
import type { Catalog, InputDef } from './catalog.ts';
import { getTypeDefaults } from './complete.ts';
import { withSettings } from './components/flatten.ts';
import { acceptsValue } from './fields.ts';
import { toHandle } from './handles.ts';
import type { Graph, GraphEdge, GraphNode, Json, JsonObject } from './types.ts';

/** Config fields by node id. */
export type NodeConfigs = Readonly<Record<string, JsonObject>>;

/** The key of a config that gives a model node another model for a run. No node has a field of this name. */
export const MODEL_KEY = 'nodeType';

/**
 * Returns the graph with the fields set. Fields of nodes that the graph does not have are ignored. A node with another
 * model keeps the settings that the model has and accepts.
 */
export function withConfig(
  graph: Graph,
  configs: NodeConfigs,
  catalog: Pick<Catalog, 'find' | 'ports'>,
): Graph {
  const replacedNodes = new Map<string, GraphNode>();
  const nodes = graph.nodes.map(node => {
    const fields = Object.hasOwn(configs, node.id) ? configs[node.id] : undefined;
    if (fields === undefined) return node;
    const { [MODEL_KEY]: nodeType, ...settings } = fields;
    if (typeof nodeType !== 'string' || nodeType === node.data.nodeType)
      return { ...node, data: withSettings(node.data, settings) };
    const replaced = withModel(node, nodeType, catalog);
    const changed = { ...replaced, data: withSettings(replaced.data, settings) };
    replacedNodes.set(node.id, changed);
    return changed;
  });
  if (replacedNodes.size === 0) return { ...graph, nodes };
  return { nodes, edges: graph.edges.map(edge => withoutMissingHandles(edge, replacedNodes, catalog)) };
}

function withModel(node: GraphNode, nodeType: string, catalog: Pick<Catalog, 'find'>): GraphNode {
  const entry = catalog.find(nodeType);
  const { type, category } = getTypeDefaults(nodeType, entry);
  const { inputs: _, outputs: __, params, ...data } = node.data;
  const fields = new Map(entry?.inputs.map(input => [input.id, input]));
  const accepts = (field: InputDef | undefined, value: Json): boolean =>
    field !== undefined && field.removed !== true && acceptsValue(field, value);
  const settings = Object.entries({ ...data.config, ...params });
  const config = Object.fromEntries(
    settings.filter(([key, value]) => key === 'fanOut' || accepts(fields.get(key), value)),
  );
  return { ...node, type, data: { ...data, nodeType, category, config } };
}

/** A run connects an edge without a handle to the first port that fits. */
function withoutMissingHandles(
  edge: GraphEdge,
  replacedNodes: ReadonlyMap<string, GraphNode>,
  catalog: Pick<Catalog, 'ports'>,
): GraphEdge {
  const [source, target] = [replacedNodes.get(edge.source), replacedNodes.get(edge.target)];
  if (source === undefined && target === undefined) return edge;
  const isMissing = (node: GraphNode | undefined, side: 'in' | 'out', handle: unknown): boolean => {
    if (node === undefined || typeof handle !== 'string') return false;
    const ports = catalog.ports(node.data.nodeType, node.data.config ?? {});
    const defs = side === 'in' ? ports.inputs : ports.outputs;
    return !defs.some(({ id, isPort }) => isPort && handle === toHandle(side, id));
  };
  const { sourceHandle, targetHandle, ...rest } = edge;
  return {
    ...rest,
    ...(sourceHandle === undefined || isMissing(source, 'out', sourceHandle) ? {} : { sourceHandle }),
    ...(targetHandle === undefined || isMissing(target, 'in', targetHandle) ? {} : { targetHandle }),
  };
}
