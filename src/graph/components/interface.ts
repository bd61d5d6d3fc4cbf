// Derives the interface of a component: its input nodes are the inputs of a call, its output nodes the outputs.
import type { Catalog, ResolvedPorts } from '../catalog.ts';
import type { ComponentPort } from '../config-ports.ts';
import { resolveEdgePorts } from '../handles.ts';
import { getMediaInputKind } from '../input-nodes.ts';
import { takesInput } from '../input-values.ts';
import type { Graph, GraphNode, PortType } from '../types.ts';

export interface ComponentInterface {
  readonly inputs: readonly ComponentPort[];
  readonly outputs: readonly ComponentPort[];
}

const PREVIEW = 'output:preview';
export const GALLERY = 'output:gallery';

export const isOutput = ({ data }: Pick<GraphNode, 'data'>): boolean =>
  data.nodeType === PREVIEW || data.nodeType === GALLERY;

/**
 * Returns the interface, in the order of the nodes: each input node that no edge feeds, and each preview and gallery.
 * A preview has the type of the port that feeds it, if the type is known.
 */
export function getInterface(graph: Graph, catalog: Catalog): ComponentInterface {
  return readInterface(graph, ({ data }) => catalog.ports(data.nodeType, { ...data.config, ...data.params }));
}

export function readInterface(
  { nodes, edges }: Graph,
  getPorts: (node: GraphNode) => ResolvedPorts,
): ComponentInterface {
  const byId = new Map(nodes.map(node => [node.id, node]));
  const fedIds = new Set(edges.map(({ target }) => target));
  const previewTypes = new Map<string, PortType>();
  for (const edge of edges) {
    const source = byId.get(edge.source);
    const target = byId.get(edge.target);
    if (source === undefined || target?.data.nodeType !== PREVIEW) continue;
    const ports = resolveEdgePorts(edge, getPorts(source), getPorts(target), new Set());
    if (ports !== undefined) previewTypes.set(target.id, ports.from.type);
  }
  const toPort = (node: GraphNode, type: PortType = 'ANY'): ComponentPort => ({
    id: node.id,
    label: node.data.label,
    type,
  });
  return {
    inputs: nodes
      .filter(({ id, data }) => takesInput(data.nodeType) && !fedIds.has(id))
      .map(node => ({
        ...toPort(node, getPorts(node).outputs[0]?.type),
        ...(isMissingMedia(node) ? { required: true as const } : {}),
      })),
    outputs: nodes
      .filter(isOutput)
      .map(node => toPort(node, node.data.nodeType === GALLERY ? 'LIST' : previewTypes.get(node.id))),
  };
}

function isMissingMedia({ data }: GraphNode): boolean {
  if (getMediaInputKind(data.nodeType) === undefined) return false;
  const { url, mediaId, items } = { ...data.config, ...data.params };
  return !url && !mediaId && !Array.isArray(items);
}

/** Returns the ports of a call whose component has this interface. */
export function toCallPorts({ inputs, outputs }: ComponentInterface): ResolvedPorts {
  const toDef = (port: ComponentPort) => ({ ...port, isPort: true });
  return { inputs: inputs.map(toDef), outputs: outputs.map(toDef) };
}
