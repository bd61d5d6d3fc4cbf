// Edits graphs with pure functions, which the editor and the tools of agents share. Unchanged nodes and edges keep
// their identity.
import { acceptsNull, type Catalog, type InputDef, type ResolvedPorts } from './catalog.ts';
import { completeEdges, getTypeDefaults } from './complete.ts';
import { type EdgeEnds, resolveEdges, toHandle } from './handles.ts';
import { withLabel } from './input-names.ts';
import type { GraphEdge, GraphNode, Json, JsonObject } from './types.ts';

interface NodeItem {
  readonly id: string;
  readonly data: { readonly config?: JsonObject };
}

interface GraphItems<Node> {
  readonly nodes: readonly Node[];
  readonly edges: readonly GraphEdge[];
}

/** Returns the ids of the nodes inside a group. */
export function getChildIds({ data }: NodeItem): readonly string[] {
  const childNodeIds = data.config?.childNodeIds;
  return Array.isArray(childNodeIds) ? childNodeIds.filter(id => typeof id === 'string') : [];
}

/** Removes nodes and edges by id, and the edges of removed nodes. Groups drop removed children. */
export function withoutItems<Node extends NodeItem>(
  { nodes, edges }: GraphItems<Node>,
  removed: { readonly nodes?: readonly string[]; readonly edges?: readonly string[] },
): GraphItems<Node> {
  const removedNodes = new Set(removed.nodes);
  const removedEdges = new Set(removed.edges);
  return {
    nodes: nodes
      .filter(({ id }) => !removedNodes.has(id))
      .map(node => {
        const children = getChildIds(node);
        const childNodeIds = children.filter(id => !removedNodes.has(id));
        return childNodeIds.length === children.length
          ? node
          : { ...node, data: { ...node.data, config: { ...node.data.config, childNodeIds } } };
      }),
    edges: edges.filter(
      ({ id, source, target }) =>
        !removedEdges.has(id) && !removedNodes.has(source) && !removedNodes.has(target),
    ),
  };
}

/**
 * Adds an edge. The new edge replaces the edges at its input, unless the input takes a list. Returns `edges` itself if
 * the edge exists already.
 */
export function withEdge<Node extends NodeItem>(
  { nodes, edges }: GraphItems<Node>,
  edge: EdgeEnds,
  getPorts: (node: Node) => ResolvedPorts,
): readonly GraphEdge[] {
  if (edges.some(other => isSameEdge(other, edge))) return edges;
  const nodesById = new Map(nodes.map(node => [node.id, node]));
  const findPorts = (id: string): ResolvedPorts | undefined => {
    const node = nodesById.get(id);
    return node && getPorts(node);
  };
  const sameTarget: readonly EdgeEnds[] = edges.filter(({ target }) => target === edge.target);
  const inputs = new Map(
    Array.from(resolveEdges([...sameTarget, edge], findPorts), ({ edge, to }) => [edge, to]),
  );
  const input = inputs.get(edge);
  const otherEdges =
    input === undefined || input.type === 'LIST'
      ? edges
      : edges.filter(other => inputs.get(other)?.id !== input.id);
  return completeEdges([...otherEdges, edge]) as readonly GraphEdge[];
}

const isSameEdge = (a: EdgeEnds, b: EdgeEnds): boolean =>
  a.source === b.source &&
  a.target === b.target &&
  (a.sourceHandle ?? '') === (b.sourceHandle ?? '') &&
  (a.targetHandle ?? '') === (b.targetHandle ?? '');

/**
 * Merges settings into the config of a node. undefined removes a setting, which restores its default. null also removes
 * the setting, unless null is a value of the field.
 */
export function withConfig<Node extends NodeItem>(
  node: Node,
  settings: Readonly<Record<string, Json | undefined>>,
  fields: readonly InputDef[],
): Node {
  const isValue = (key: string, value: Json | undefined): boolean =>
    value !== undefined && (value !== null || fields.some(def => def.id === key && acceptsNull(def)));
  const mergedEntries = Object.entries({ ...node.data.config, ...settings });
  const config = Object.fromEntries(mergedEntries.filter(([key, value]) => isValue(key, value)));
  return { ...node, data: { ...node.data, config } };
}

/**
 * Changes the type of a node. A default label changes to that of the new type. Edges stay, but lose the handles that the
 * new type does not have; a run then connects the first ports that match.
 */
export function withType<Node extends NodeItem & Pick<GraphNode, 'type' | 'data'>>(
  { nodes, edges }: GraphItems<Node>,
  node: Node,
  change: {
    readonly nodeType: string;
    readonly label?: string | undefined;
    readonly config?: JsonObject | undefined;
  },
  catalog: Pick<Catalog, 'find' | 'ports'>,
): GraphItems<Node> {
  const { inputs: _, outputs: __, ...data } = node.data;
  const { nodeType } = change;
  const config = change.config ?? data.config ?? {};
  const defaults = getTypeDefaults(nodeType, catalog.find(nodeType));
  const { type, category } = defaults;
  const isTypeLabel = data.label === catalog.find(data.nodeType)?.label;
  const label = change.label ?? (isTypeLabel ? defaults.label : data.label);
  const named = withLabel(nodes, { ...node, data }, label);
  const changedNode = { ...node, type, data: { ...named, nodeType, category, config } };
  const ports = catalog.ports(nodeType, config);
  const handles = new Set([
    ...ports.inputs.filter(({ isPort }) => isPort).map(({ id }) => toHandle('in', id)),
    ...ports.outputs.filter(({ isPort }) => isPort).map(({ id }) => toHandle('out', id)),
  ]);
  const isMissing = (end: string, handle: string | null | undefined): boolean =>
    end === node.id && typeof handle === 'string' && !handles.has(handle);
  return {
    nodes: nodes.map(other => (other === node ? changedNode : other)),
    edges: edges.map(edge => {
      const { sourceHandle, targetHandle, ...rest } = edge;
      const [losesSource, losesTarget] = [
        isMissing(edge.source, sourceHandle),
        isMissing(edge.target, targetHandle),
      ];
      if (!losesSource && !losesTarget) return edge;
      return {
        ...rest,
        ...(losesSource || sourceHandle === undefined ? {} : { sourceHandle }),
        ...(losesTarget || targetHandle === undefined ? {} : { targetHandle }),
      };
    }),
  };
}
