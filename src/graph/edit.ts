// Edits graphs with pure functions, which the editor and the tools of agents share. Unchanged nodes and edges keep
// their identity.
import { acceptsNull, type Catalog, type InputDef, type ResolvedPorts } from './catalog.ts';
import { completeEdges, getTypeDefaults } from './complete.ts';
import { resolveEdgePorts } from './handles.ts';
import type { GraphEdge, GraphNode, Json, JsonObject } from './types.ts';

interface Item {
  readonly id: string;
  readonly data: { readonly config?: JsonObject };
}

/** An edge that has no id yet. */
export type NewEdge = Pick<GraphEdge, 'source' | 'target' | 'sourceHandle' | 'targetHandle'>;

interface Items<Node> {
  readonly nodes: readonly Node[];
  readonly edges: readonly GraphEdge[];
}

/** Returns the ids of the nodes inside a group. */
export function readChildIds({ data }: Item): readonly string[] {
  const childNodeIds = data.config?.childNodeIds;
  return Array.isArray(childNodeIds) ? childNodeIds.filter(id => typeof id === 'string') : [];
}

/** Removes nodes and edges by id, and the edges of removed nodes. Groups drop removed children. */
export function withoutItems<Node extends Item>(
  { nodes, edges }: Items<Node>,
  removed: { readonly nodes?: readonly string[]; readonly edges?: readonly string[] },
): Items<Node> {
  const removedNodes = new Set(removed.nodes);
  const removedEdges = new Set(removed.edges);
  return {
    nodes: nodes
      .filter(({ id }) => !removedNodes.has(id))
      .map(node => {
        const children = readChildIds(node);
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
 * Adds an edge. It replaces the edges at its input, unless the input takes a list. Returns the same list if the edge is
 * there already.
 */
export function withEdge<Node extends Item>(
  { nodes, edges }: Items<Node>,
  edge: NewEdge,
  getPorts: (node: Node) => ResolvedPorts,
): readonly GraphEdge[] {
  if (edges.some(other => isSameEdge(other, edge))) return edges;
  const ends = new Map(nodes.map(node => [node.id, node]));
  const join = (it: NewEdge, taken: ReadonlySet<string>) => {
    const [source, target] = [ends.get(it.source), ends.get(it.target)];
    return source && target && resolveEdgePorts(it, getPorts(source), getPorts(target), taken)?.to;
  };
  const inputs = new Map<GraphEdge, string>();
  for (const other of edges) {
    const input = other.target === edge.target ? join(other, new Set(inputs.values())) : undefined;
    if (input !== undefined) inputs.set(other, input.id);
  }
  const input = join(edge, new Set(inputs.values()));
  const kept =
    input === undefined || input.type === 'LIST'
      ? edges
      : edges.filter(other => inputs.get(other) !== input.id);
  return completeEdges([...kept, edge]) as readonly GraphEdge[];
}

const isSameEdge = (a: NewEdge, b: NewEdge): boolean =>
  a.source === b.source &&
  a.target === b.target &&
  (a.sourceHandle ?? '') === (b.sourceHandle ?? '') &&
  (a.targetHandle ?? '') === (b.targetHandle ?? '');

/**
 * Merges settings into those of a node. undefined removes a setting, which restores its default. So does null, unless
 * null is a value of the field.
 */
export function withConfig<Node extends Item>(
  node: Node,
  settings: Readonly<Record<string, Json | undefined>>,
  fields: readonly InputDef[],
): Node {
  const isValue = (key: string, value: Json | undefined): boolean =>
    value !== undefined && (value !== null || fields.some(def => def.id === key && acceptsNull(def)));
  const merged = Object.entries({ ...node.data.config, ...settings });
  const config = Object.fromEntries(merged.filter(([key, value]) => isValue(key, value)));
  return { ...node, data: { ...node.data, config } };
}

/**
 * Changes the type of a node. A label that the old type gave follows the type. Edges stay: handles that the new type
 * lacks are dropped, so that a run joins the first ports that match.
 */
export function withType<Node extends Item & Pick<GraphNode, 'type' | 'data'>>(
  { nodes, edges }: Items<Node>,
  node: Node,
  to: {
    readonly nodeType: string;
    readonly label?: string | undefined;
    readonly config?: JsonObject | undefined;
  },
  catalog: Pick<Catalog, 'find' | 'ports'>,
): Items<Node> {
  const { inputs: _, outputs: __, ...data } = node.data;
  const config = to.config ?? data.config ?? {};
  const { type, category, ...filled } = getTypeDefaults(to.nodeType, catalog.find(to.nodeType));
  const isTypeLabel = data.label === catalog.find(data.nodeType)?.label;
  const label = to.label ?? (isTypeLabel ? filled.label : data.label);
  const changed = { ...node, type, data: { ...data, nodeType: to.nodeType, category, config, label } };
  const ports = catalog.ports(to.nodeType, config);
  const handles = new Set([
    ...ports.inputs.filter(({ isPort }) => isPort).map(({ id }) => `in-${id}`),
    ...ports.outputs.filter(({ isPort }) => isPort).map(({ id }) => `out-${id}`),
  ]);
  const isMissing = (end: string, handle: string | null | undefined): boolean =>
    end === node.id && typeof handle === 'string' && !handles.has(handle);
  return {
    nodes: nodes.map(it => (it === node ? changed : it)),
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
